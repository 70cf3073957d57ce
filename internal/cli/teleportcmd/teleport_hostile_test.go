package teleportcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire/agent"
	"entire/id"
	"entire/internal/archive"
	"entire/internal/cli/clitest"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/teleport"
	"entire/internal/testrepo"
	"entire/session"
	"entire/strategy/engine"
	"entire/strategy/handoff"
)

// A hostileWorld is a sender that makes whatever parcel it likes.
type hostileWorld struct {
	t    *testing.T
	repo *testrepo.Repo
	key  teleport.Key
	good hostileParcel
}

// hostileParcel is what goes into a parcel; a row changes one thing of it.
type hostileParcel struct {
	head  teleport.Head
	files map[string]string
	state []byte
	pack  []byte
}

const hostileSession = "5e55104f-0000-4000-8000-0000000000aa"

// newHostileWorld sends a session with an uncommitted file, and keeps what was sent.
func newHostileWorld(t *testing.T) *hostileWorld {
	key, err := teleport.NewCode().Key()
	if err != nil {
		t.Fatal(err)
	}
	h := &hostileWorld{t: t, repo: testrepo.New(t, testrepo.Files(map[string]string{"a.txt": "one\n", "dir/b.txt": "two\n"})), key: key}
	h.repo.Write("new.txt", "new\n")
	env, _, complaint := clitest.WorldOf(h.repo)
	wp, err := workplace.Open(context.Background(), env)
	if err != nil {
		t.Fatal(err, complaint)
	}
	defer wp.Close()
	ctx, sid := context.Background(), mustSession(t, hostileSession)
	for _, ev := range []agent.Event{{Type: agent.TurnStart, Prompt: "write it"}, {Type: agent.TurnEnd}} {
		ev.SessionID, ev.Agent, ev.AgentType, ev.Dir, ev.Time = sid, "claude-code", agent.AgentTypeClaudeCode, h.repo.Dir, env.Now()
		if ev.Type == agent.TurnEnd {
			h.repo.Write("made.txt", "made\n")
		}
		if _, err := engine.Handle(ctx, wp.Engine, ev); err != nil {
			t.Fatal(err)
		}
	}
	p, err := handoff.PlanBundle(ctx, wp.Engine, sid, true)
	if err != nil {
		t.Fatal(err)
	}
	var pack bytes.Buffer
	if err := handoff.WritePack(ctx, wp.Engine, p, &pack); err != nil {
		t.Fatal(err)
	}
	h.good = hostileParcel{
		head: teleport.Head{Made: env.Now(), Expires: env.Now().Add(teleport.DefaultExpiry), Session: hostileSession, Agent: agent.AgentTypeClaudeCode,
			From: teleport.Place{Home: h.repo.Home, Root: h.repo.Dir},
			Repo: &teleport.Repository{Format: p.Format, Branch: "main", Head: p.Head.String(), Tip: p.Tip.String(), Needs: []string{p.Head.String()}, Worktree: true}},
		files: map[string]string{
			"metadata.json":    `{"session_id":"` + hostileSession + `","cwd":"` + h.repo.Dir + `","agent_type":"Claude Code"}`,
			"messages.jsonl":   `{"uuid":"u1","role":"user","content":"write it"}` + "\n",
			"transcript.jsonl": `{"type":"user","uuid":"u1","sessionId":"` + hostileSession + `","cwd":"` + h.repo.Dir + `","message":{"role":"user","content":"write it"}}` + "\n",
		},
		state: p.State, pack: pack.Bytes(),
	}
	return h
}

func mustSession(t *testing.T, text string) id.SessionID {
	sid, err := id.ParseSessionID(text)
	if err != nil {
		t.Fatal(err)
	}
	return sid
}

// seal makes the parcel's bytes.
func (h *hostileWorld) seal(p hostileParcel) []byte {
	h.t.Helper()
	var out bytes.Buffer
	s, err := teleport.NewSealer(&out, h.key, p.head)
	if err != nil {
		h.t.Fatal(err)
	}
	add := func(kind, name string, data []byte) {
		if err := s.AddBytes(archive.Entry{Kind: kind, Name: name}, data); err != nil {
			h.t.Fatal(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		add(teleport.KindFile, name, []byte(p.files[name]))
	}
	if p.state != nil {
		add(teleport.KindState, "", p.state)
	}
	if p.pack != nil {
		add(teleport.KindPack, "", p.pack)
	}
	if err := s.Close(); err != nil {
		h.t.Fatal(err)
	}
	return out.Bytes()
}

// raw makes an object of whatever bytes.
func (h *hostileWorld) raw(kind string, data string) string {
	return h.repo.GitInput(data, "hash-object", "-w", "--literally", "-t", kind, "--stdin")
}

// entry is one of a tree, as git stores it.
func entry(mode, name, oid string) string {
	var raw [20]byte
	fmt.Sscanf(oid, "%x", new([]byte))
	for i := range raw {
		fmt.Sscanf(oid[2*i:2*i+2], "%02x", &raw[i])
	}
	return mode + " " + name + "\x00" + string(raw[:])
}

// withTree makes the parcel's worktree a tree: what HEAD has and some entries, sorted
// if they are to be.
func (h *hostileWorld) withTree(p hostileParcel, sorted bool, entries ...string) hostileParcel {
	all := entries
	for _, line := range strings.Split(h.repo.Git("ls-tree", "HEAD"), "\n") {
		f := strings.Fields(line)
		mode := strings.TrimPrefix(f[0], "0")
		all = append(all, entry(mode, f[3], f[2]))
	}
	if sorted {
		slices.SortFunc(all, func(a, b string) int {
			key := func(e string) string {
				head, _, _ := strings.Cut(e, "\x00")
				mode, name, _ := strings.Cut(head, " ")
				if mode == "40000" {
					name += "/"
				}
				return name
			}
			return strings.Compare(key(a), key(b))
		})
	}
	return h.withCommit(p, h.raw("tree", strings.Join(all, "")), "")
}

// withCommit makes the parcel's tip a commit of a tree; message "" is that of the good
// one.
func (h *hostileWorld) withCommit(p hostileParcel, tree, message string) hostileParcel {
	if message == "" {
		message = h.repo.Git("log", "-1", "--format=%B", h.good.head.Repo.Tip)
	}
	who := "A <a@b> 1700000000 +0000"
	return h.withTip(p, h.raw("commit", "tree "+tree+"\nauthor "+who+"\ncommitter "+who+"\n\n"+message+"\n"), tree)
}

func (h *hostileWorld) withTip(p hostileParcel, tip string, also ...string) hostileParcel {
	repo := *p.head.Repo
	repo.Tip = tip
	p.head.Repo = &repo
	in := strings.Join(append([]string{tip}, also...), "\n") + "\n"
	for _, tree := range also {
		for _, line := range strings.Split(h.repo.Git("ls-tree", "HEAD"), "\n") {
			_ = tree
			in += strings.Fields(line)[2] + "\n"
		}
	}
	in += h.repo.Git("rev-parse", "HEAD:dir/b.txt") + "\n" + strings.Join(h.blobs(), "\n") + "\n"
	p.pack = []byte(h.packOf(in))
	return p
}

// blobs are those that rows need.
func (h *hostileWorld) blobs() []string {
	return []string{h.raw("blob", "evil\n"), h.raw("blob", "/etc/passwd"), h.raw("blob", "../../outside"), h.raw("blob", ".git/hooks"), h.raw("blob", `C:\x`), h.raw("blob", "dir/b.txt")}
}

func (h *hostileWorld) packOf(ids string) string {
	h.t.Helper()
	cmd := h.repo.Command("git", "pack-objects", "--stdout", "--quiet")
	cmd.Stdin = strings.NewReader(ids)
	out, err := cmd.Output()
	if err != nil {
		h.t.Fatal(err)
	}
	return string(out)
}

// everything is what there is on the receiver's machine, git's objects aside, which
// nothing refers to.
func everythingOf(t *testing.T, r *testrepo.Repo) map[string]string {
	out := map[string]string{"refs": r.Git("for-each-ref"), "status": r.Git("status", "--porcelain"), "HEAD": r.Git("rev-parse", "HEAD")}
	for _, top := range []string{r.Dir, r.Home} {
		err := filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if e.IsDir() {
				if e.Name() == "objects" && filepath.Base(filepath.Dir(path)) == ".git" {
					return fs.SkipDir
				}
				return nil
			}
			if name := e.Name(); name == "lock" || strings.HasSuffix(name, ".lock") || name == "index" || name == "project" {
				return nil
			}
			if e.Type()&fs.ModeSymlink != 0 {
				out[path], err = os.Readlink(path)
				return err
			}
			data, err := os.ReadFile(path)
			out[path] = string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// receiveSealed is `entire teleport receive` of some bytes, in a clone.
func receiveSealed(t *testing.T, h *hostileWorld, r *testrepo.Repo, data []byte) error {
	env, _, _ := clitest.WorldOf(r)
	return sessionlib.WithLibrary(context.Background(), env, func(l *sessionlib.Library) error {
		a := &arrival{l: l, key: h.key, source: sealedSource{
			open: func() (io.ReadCloser, int64, error) {
				return io.NopCloser(bytes.NewReader(data)), int64(len(data)), nil
			},
			claim: func(context.Context) (bool, error) { return true, nil },
			done:  func(context.Context) error { return nil },
		}}
		defer a.close()
		return a.receive(context.Background())
	})
}

// TestTeleportHostile hands a receiver what is sealed well and means ill. Every row is
// refused, and nothing has changed afterwards.
func TestTeleportHostile(t *testing.T) {
	t.Parallel()
	h := newHostileWorld(t)
	evil := h.blobs()[0]
	link := func(i int) string { return h.blobs()[i] }
	tree := func(sorted bool, entries ...string) func(hostileParcel) hostileParcel {
		return func(p hostileParcel) hostileParcel { return h.withTree(p, sorted, entries...) }
	}
	head := func(change func(*teleport.Head)) func(hostileParcel) hostileParcel {
		return func(p hostileParcel) hostileParcel {
			repo := *p.head.Repo
			p.head.Repo = &repo
			change(&p.head)
			return p
		}
	}
	file := func(name, text string) func(hostileParcel) hostileParcel {
		return func(p hostileParcel) hostileParcel {
			p.files = maps.Clone(p.files)
			p.files[name] = text
			return p
		}
	}
	state := func(change func(map[string]any)) func(hostileParcel) hostileParcel {
		return func(p hostileParcel) hostileParcel {
			var all map[string]map[string]any
			if err := json.Unmarshal(p.state, &all); err != nil {
				t.Fatal(err)
			}
			change(all["state"])
			p.state, _ = json.Marshal(all)
			return p
		}
	}
	pack := func(change func([]byte) []byte) func(hostileParcel) hostileParcel {
		return func(p hostileParcel) hostileParcel { p.pack = change(bytes.Clone(p.pack)); return p }
	}
	in := func(name string) string { return entry("40000", name, h.raw("tree", entry("100644", "x", evil))) }
	good := h.good
	rows := []struct {
		name string
		make func(hostileParcel) hostileParcel
	}{
		{"a file called ..", tree(true, entry("100644", "..", evil))},
		{"a folder called ..", tree(true, in(".."))},
		{"a folder called .", tree(true, in("."))},
		{"a path in one name", tree(true, entry("100644", "../../evil", evil))},
		{"an absolute path in one name", tree(true, entry("100644", "/tmp/evil", evil))},
		{".git", tree(true, in(".git"))},
		{".GIT", tree(true, in(".GIT"))},
		{".git as HFS+ sees it", tree(true, in(".g\u200cit"))},
		{".git as NTFS sees it", tree(true, in("git~1"))},
		{"a file twice", tree(true, entry("100644", "z", evil), entry("100644", "z", evil))},
		{"a tree out of order", tree(false, entry("100644", "z", evil))},
		{"a file but for its case another", tree(true, entry("100644", "A.TXT", evil))},
		{"a folder but for its case another", tree(true, in("DIR"))},
		{"a file and a folder but for their case", tree(true, entry("100644", "zZ", evil), in("zz"))},
		{"a link to an absolute path", tree(true, entry("120000", "l", link(1)))},
		{"a link that leads out", tree(true, entry("120000", "l", link(2)))},
		{"a link into .git", tree(true, entry("120000", "l", link(3)))},
		{"a link to a drive", tree(true, entry("120000", "l", link(4)))},
		{"a submodule", tree(true, entry("160000", "sub", h.repo.Git("rev-parse", "HEAD")))},
		{"a device", tree(true, entry("100644", "aux.txt", evil))},
		{"a device's folder", tree(true, in("com1"))},
		{"a backslash", tree(true, entry("100644", `..\evil`, evil))},
		{"a drive", tree(true, entry("100644", "c:evil", evil))},
		{"a file whose content is missing", tree(true, entry("100644", "gone", strings.Repeat("12", 20)))},
		{"a tree that is a file", func(p hostileParcel) hostileParcel { return h.withCommit(p, evil, "") }},
		{"a tip that is a file", func(p hostileParcel) hostileParcel { return h.withTip(p, evil) }},
		{"a tip that is nowhere", head(func(t *teleport.Head) { t.Repo.Tip = strings.Repeat("34", 20) })},
		{"a tip that is a person's commit", head(func(t *teleport.Head) { t.Repo.Tip = t.Repo.Head })},
		{"a step that is none", func(p hostileParcel) hostileParcel {
			return h.withCommit(p, h.repo.Git("rev-parse", "HEAD^{tree}"), "just a commit")
		}},
		{"a step of another session", func(p hostileParcel) hostileParcel {
			message := strings.ReplaceAll(h.repo.Git("log", "-1", "--format=%B", h.good.head.Repo.Tip), hostileSession, "another-session")
			return h.withCommit(p, h.repo.Git("rev-parse", "HEAD^{tree}"), message)
		}},
		{"checkpoints that are a file", func(p hostileParcel) hostileParcel {
			p = h.withTip(p, p.head.Repo.Tip)
			repo := *p.head.Repo
			repo.Metadata = evil
			p.head.Repo = &repo
			return p
		}},
		{"a commit that is missing here", head(func(t *teleport.Head) { t.Repo.Needs = []string{strings.Repeat("56", 20)} })},
		{"another format of objects", head(func(t *teleport.Head) {
			*t.Repo = teleport.Repository{Format: "sha256", Tip: strings.Repeat("7", 64), Head: strings.Repeat("7", 64), Worktree: true}
		})},
		{"a pack that is none", pack(func([]byte) []byte { return []byte("PACK of lies") })},
		{"an empty pack", pack(func([]byte) []byte { return []byte{} })},
		{"a pack that is cut off", pack(func(b []byte) []byte { return b[:len(b)/2] })},
		{"a pack with a flipped bit", pack(func(b []byte) []byte { b[len(b)/2] ^= 4; return b })},
		{"a pack and something behind it", pack(func(b []byte) []byte { return append(b, b...) })},
		{"a state of another session", state(func(s map[string]any) { s["session_id"] = "another" })},
		{"a state whose session leads out", state(func(s map[string]any) { s["session_id"] = "../../x" })},
		{"a state with files that lead out", state(func(s map[string]any) { s["files_touched"] = []string{"../../.bashrc"} })},
		{"a state with files of git's", state(func(s map[string]any) { s["files_touched"] = []string{".git/config"} })},
		{"a state that counts backwards", state(func(s map[string]any) { s["checkpoint_count"] = -1 })},
		{"a state that is none", func(p hostileParcel) hostileParcel { p.state = []byte("["); return p }},
		{"metadata of another session", file("metadata.json", `{"session_id":"another"}`)},
		{"metadata that is none", file("metadata.json", `{`)},
		{"a manifest that leads out", file("checkpoints/u1/manifest.json", `{"user_message_uuid":"u1","checkpoint_id":"u1","created_at":"2026-03-04T05:06:07Z","files":[{"path":"../../x","exists":false}]}`)},
		{"a manifest without its contents", file("checkpoints/u1/manifest.json", `{"user_message_uuid":"u1","checkpoint_id":"u1","created_at":"2026-03-04T05:06:07Z","files":[{"path":"x","exists":true,"hash":"`+strings.Repeat("0", 64)+`","mode":"100644"}]}`)},
		{"a content under another's name", file("blobs/"+strings.Repeat("0", 64), "x")},
		{"expired", head(func(t *teleport.Head) {
			t.Made, t.Expires = t.Made.Add(-2*teleport.DefaultExpiry), t.Made.Add(-teleport.DefaultExpiry)
		})},
	}
	r := h.repo.Clone()
	r.Setenv("HOME", testrepo.NewHome(t))
	before := everythingOf(t, r)
	for _, row := range rows { // one after the other: each finds what the one before has left
		err := receiveSealed(t, h, r, h.seal(row.make(good)))
		t.Logf("%s: %v", row.name, err)
		var told *cliui.Failure
		if err == nil {
			t.Fatalf("%s: it was taken in", row.name)
		}
		if !errors.As(err, &told) && !errors.Is(err, handoff.ErrBadBundle) {
			t.Errorf("%s: an error without advice: %v", row.name, err)
		}
		after := everythingOf(t, r)
		for name := range after {
			if before[name] != after[name] {
				t.Fatalf("%s: %s has changed: %.200q, was %.200q", row.name, name, after[name], before[name])
			}
		}
		if len(after) != len(before) {
			t.Fatalf("%s: %d files, were %d", row.name, len(after), len(before))
		}
		left, err := filepath.Glob(filepath.Join(r.Dir, ".git", "objects", "tmp_objdir*"))
		if len(left) > 0 || err != nil {
			t.Fatalf("%s: %v was left behind", row.name, left)
		}
	}
	if err := receiveSealed(t, h, r, h.seal(good)); err != nil {
		t.Fatalf("what the others are made of is refused, too: %v", err)
	}
	other := h.repo.Clone()
	other.Setenv("HOME", testrepo.NewHome(t))
	if err := receiveSealed(t, h, other, h.seal(tree(true, entry("100644", "z", evil), entry("120000", "zl", h.raw("blob", "dir/b.txt")))(good))); err != nil {
		t.Errorf("a tree that was made in the same way and means well is refused, too: %v", err)
	} else if other.Read("z") != "evil\n" || other.Read("zl") != "two\n" {
		t.Error("its files are not there")
	}
	if r.Read("new.txt") != "new\n" || r.Read("made.txt") != "made\n" {
		t.Error("its files are not there")
	}
	if steps := r.Git("rev-list", "--branches=entire/*"); !strings.Contains(steps, good.head.Repo.Tip) {
		t.Errorf("its last step %s is on no branch of steps:\n%s", good.head.Repo.Tip, steps)
	}
	meta, err := session.OpenStore(storeOfTest(t, r)).Metadata(context.Background(), hostileSession)
	if err != nil || meta.CWD != r.Dir || meta.MessageCount != 1 {
		t.Errorf("%+v, %v", meta, err)
	}
}

// storeOfTest is where the clone's sessions are.
func storeOfTest(t *testing.T, r *testrepo.Repo) (base string) {
	env, _, _ := clitest.WorldOf(r)
	if err := sessionlib.WithLibrary(context.Background(), env, func(l *sessionlib.Library) error { base = l.Store.Base(); return nil }); err != nil {
		t.Fatal(err)
	}
	return base
}
