package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"entire/internal/bodies"
	"entire/internal/testrepo"
)

// checkpoints is the branch that a push of sessions sends.
const checkpoints = "refs/heads/entire/checkpoints/v1"

// worker is a clone that somebody works in. One goroutine uses it at a time.
type worker struct {
	*testrepo.Repo
	l      *serverLab
	name   string
	random *rand.Rand
	turns  int
	own    []string // its checkpoints that are not forgotten, oldest first
}

// step does one thing that somebody does: works and pushes, reads the work of another one, or forgets something.
func (w *worker) step() {
	switch n := w.random.IntN(10); {
	case n < 4 || w.turns == 0:
		w.work()
	case n < 6:
		w.read()
	case n < 7:
		w.look()
	case len(w.own) > 6:
		w.forget()
	default:
		w.push()
	}
}

// run runs a command, and notes an error if it has one. said is all that it wrote.
func (w *worker) run(stdin, name string, args ...string) (said string, err error) {
	cmd := w.Command(name, args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	said = string(out)
	w.l.heard(fmt.Sprintf("%s: %s %s", w.name, name, strings.Join(args, " ")), said, err)
	return said, err
}

// push sends the sessions, again and again until it works.
func (w *worker) push() {
	for {
		if _, err := w.run("", "entire", "share", "push"); err == nil {
			return
		}
		w.l.count(&w.l.again)
	}
}

// work is a turn of an agent with a large answer, a commit and a push.
func (w *worker) work() {
	w.turns++
	session := fmt.Sprintf("55555555-0000-4000-8000-%04x%08d", w.name[len(w.name)-1], w.turns)
	mark := fmt.Sprintf("mark-%s-%d", w.name, w.turns)
	transcript := filepath.Join(filepath.Dir(w.Home), "transcripts", session+".jsonl")
	var lines strings.Builder
	fmt.Fprintf(&lines, `{"type":"user","uuid":"u","sessionId":%q,"message":{"role":"user","content":"Tell me"}}`+"\n", session)
	for i := range 10 + w.random.IntN(90) {
		fmt.Fprintf(&lines, `{"type":"assistant","uuid":"a%d","sessionId":%q,"message":{"role":"assistant","content":[{"type":"text","text":%q}]}}`+"\n",
			i, session, mark+" "+w.words(16<<10))
	}
	fmt.Fprintf(&lines, `{"type":"assistant","uuid":"z","sessionId":%q,"message":{"role":"assistant","content":[{"type":"text","text":"end-%s"}]}}`+"\n", session, mark)
	payload := fmt.Sprintf(`{"session_id":%q,"transcript_path":%q,"cwd":%q,"prompt":"Tell me"}`, session, transcript, w.Dir)
	w.must(payload, "entire", "hooks", "claude-code", "user-prompt-submit")
	if err := os.MkdirAll(filepath.Dir(transcript), 0o755); err != nil {
		w.l.Error(err)
	}
	if err := os.WriteFile(transcript, []byte(lines.String()), 0o600); err != nil {
		w.l.Error(err)
	}
	w.Write("file-"+w.name, mark)
	w.must(payload, "entire", "hooks", "claude-code", "stop")
	w.must("", "git", "add", "-A")
	w.must("", "git", "commit", "-q", "-m", mark)
	id := strings.TrimSpace(w.must("", "git", "log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)"))
	if id == "" {
		w.l.Errorf("%s: the commit of %s has no checkpoint", w.name, mark)
		return
	}
	w.must("", "git", "push", "-q", "origin", "HEAD:refs/heads/"+w.name) // whatever the bucket does, the user's push goes on
	w.own = append(w.own, id)
	w.l.add(id, "end-"+mark)
}

func (w *worker) words(n int) string {
	var text strings.Builder
	for text.Len() < n {
		for range 2 + w.random.IntN(7) {
			text.WriteByte(byte('a' + w.random.IntN(26)))
		}
		text.WriteByte(' ')
	}
	return text.String()
}

// must runs a command that does not depend on the bucket.
func (w *worker) must(stdin, name string, args ...string) string {
	said, err := w.run(stdin, name, args...)
	if err != nil {
		w.l.Errorf("%s: %s %v: %v: %s", w.name, name, args, err, said)
	}
	return said
}

// read shows a conversation that may be of another clone, and whose text is not here.
func (w *worker) read() {
	id, end := w.l.pick(w.random)
	if id == "" || len(pointersIn(w.l, w.l.shared, id)) == 0 {
		return // nobody has sent it yet
	}
	w.must("", "git", "fetch", "-q", "origin")
	w.drop(id)
	cmd := w.Command("entire", "explain", id, "--full")
	out, err := cmd.CombinedOutput()
	if !w.l.lives(id) {
		return // another clone has forgotten it meanwhile
	}
	said := string(out)
	about := w.l.heard(w.name+": explain "+id, said, err)
	if about == 0 && !strings.Contains(said, end) {
		w.l.Errorf("%s: %s lacks %s: %s", w.name, id, end, said)
	}
}

// look reads all that the clone's checkpoints need from the bucket. What is missing belongs to a checkpoint that another
// clone has forgotten.
func (w *worker) look() {
	cmd := w.Command("entire", "share", "bucket", "--check", "--json")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var v struct {
		Checked struct{ Missing, Wrong []string }
	}
	if len(out) == 0 {
		w.l.heard(w.name+": check", stderr.String(), err)
		return
	}
	if jerr := json.Unmarshal(out, &v); jerr != nil || len(v.Checked.Wrong) > 0 || (err == nil) != (len(v.Checked.Missing) == 0) {
		w.l.Errorf("%s: check: %v, %v: %s", w.name, err, jerr, out)
	}
	w.l.heard(w.name+": check", stderr.String(), nil)
	for _, name := range v.Checked.Missing {
		if !w.l.isGone(name) {
			w.l.Errorf("%s: the bucket lacks %s", w.name, name)
		}
	}
}

// drop removes this clone's copies of what a checkpoint needs and the bucket has.
func (w *worker) drop(id string) {
	for name := range pointersIn(w.l, w.Repo, id) {
		_ = os.Remove(filepath.Join(w.Dir, ".git", "entire", "bodies", "kept", name))
	}
}

// forget removes the oldest but two of the worker's checkpoints from the history.
func (w *worker) forget() {
	id := w.own[2]
	w.own = slices.Delete(w.own, 2, 3)
	w.l.forgotten(id, pointersIn(w.l, w.Repo, id))
	w.must("", "entire", "share", "forget", id, "--yes", "--reason", "secret")
	_, _ = w.run("", "entire", "share", "push")
}

// pointersIn returns the bodies that the branch of checkpoints names: of one checkpoint, or with "" of all.
func pointersIn(l *serverLab, r *testrepo.Repo, id string) map[string]bodies.Pointer {
	found := map[string]bodies.Pointer{}
	args := []string{"ls-tree", "-r", "-l", checkpoints}
	if id != "" {
		args = append(args, id[:2]+"/"+id[2:]+"/")
	}
	list, err := r.TryGit(args...)
	if err != nil {
		return found // nothing was sent yet
	}
	var small strings.Builder
	for line := range strings.Lines(list) {
		if f := strings.Fields(line); len(f) > 4 && len(f[3]) <= 3 {
			small.WriteString(f[2] + "\n")
		}
	}
	texts := r.Command("git", "cat-file", "--batch")
	texts.Stdin = strings.NewReader(small.String())
	out, err := texts.Output()
	if err != nil {
		l.Errorf("git cat-file: %v", err)
	}
	for line := range strings.Lines(string(out)) { // what stands for a body is one line
		if p, err := bodies.Parse([]byte(line)); err == nil {
			found[p.SHA256] = p
		}
	}
	return found
}

// whole fails unless nothing of the clone is stuck, when the server has run for long enough.
func (w *worker) whole(named map[string]bodies.Pointer) {
	git := filepath.Join(w.Dir, ".git")
	for _, folder := range []string{"waiting", "leaving", "forgotten"} {
		entries, _ := os.ReadDir(filepath.Join(git, "entire", "bodies", folder))
		for _, e := range entries {
			w.l.Errorf("%s: stuck: %s/%s", w.name, folder, e.Name())
		}
	}
	w.kept(func(name, file string) {
		data, err := os.ReadFile(file)
		if _, ok := named[name]; !ok || err != nil || bodies.NameOf(data) != name {
			w.l.Errorf("%s: kept/%s is damaged, or belongs to nothing: %v", w.name, name, err)
		}
	})
	_ = filepath.WalkDir(git, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == "entire" && filepath.Dir(path) == git { // its locks end with the processes
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".lock") || strings.HasPrefix(entry.Name(), "tmp_") {
			w.l.Errorf("%s: left behind: %s", w.name, path)
		}
		return nil
	})
}

// kept calls use with each body that counts as sent.
func (w *worker) kept(use func(name, file string)) {
	dir := filepath.Join(w.Dir, ".git", "entire", "bodies", "kept")
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if bodyName.MatchString(e.Name()) {
			use(e.Name(), filepath.Join(dir, e.Name()))
		}
	}
}

var bodyName = regexp.MustCompile(`^[0-9a-f]{64}$`)

// checked reads all that the clone's checkpoints need from the bucket.
func (w *worker) checked(named int) {
	said := w.must("", "entire", "share", "bucket", "--check")
	if want := fmt.Sprintf("Checked %d parts: 0 missing, 0 with other bytes", named); !strings.Contains(said, want) {
		w.l.Errorf("%s: want %q: %s", w.name, want, said)
	}
}

// newWorker clones the repository, agrees to its destination and to its bucket.
func newWorker(l *serverLab, name string) *worker {
	r := l.shared.Clone()
	r.Home = testrepo.NewHome(l)
	r.Env = l.environ(r.Home)
	w := &worker{Repo: r, l: l, name: name, random: rand.New(rand.NewPCG(uint64(len(name)), uint64(time.Now().UnixNano())))}
	w.must("", "entire", "enable", "--agent", "claude-code", "--push-to", "origin")
	w.must("", "entire", "share", "bucket", "--agree")
	return w
}
