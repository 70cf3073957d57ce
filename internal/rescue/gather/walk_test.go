package gather_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/internal/git"
	"entire/internal/rescue/gather"
	"entire/internal/rescue/versions"
	"entire/internal/testrepo"
)

// walk plays an agent and a person in a repository in which nothing of ours was ever enabled.
type walk struct {
	t    *testing.T
	r    *testrepo.Repo
	rnd  *rand.Rand
	file string // the agent's transcript
	at   time.Time
	n    int
	had  map[string]map[string]bool // every content that a path ever had
	// told is the last content of a path that the agent wrote or saw, "" if somebody else wrote it since.
	told map[string]string
}

// TestWalk plays random histories with commands that destroy work. What is called exact or verified was the
// content of the file at some time, and the last content of each file that the agent knew comes back.
func TestWalk(t *testing.T) {
	t.Parallel()
	walks := 12
	if testing.Short() {
		walks = 3
	}
	for seed := range walks {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := &walk{t: t, r: testrepo.New(t), rnd: rand.New(rand.NewPCG(uint64(seed), 26)), at: time.Now().Add(-time.Hour),
				had: map[string]map[string]bool{}, told: map[string]string{}}
			w.file = filepath.Join(t.TempDir(), "5e55104f.jsonl")
			for range 40 {
				w.step()
			}
			w.check()
		})
	}
}

var walkPaths = []string{"a.txt", "b.txt", "dir/c.txt", "dir/d e.txt"}

func (w *walk) step() {
	w.n++
	w.at = w.at.Add(time.Minute)
	path := walkPaths[w.rnd.IntN(len(walkPaths))]
	text, there := w.read(path)
	switch w.rnd.IntN(10) {
	case 0, 1:
		w.agentWrites(path)
	case 2, 3:
		if there && strings.Contains(text, "\n") {
			w.agentEdits(path, text)
		}
	case 4:
		if there {
			w.agentReads(path, text)
		}
	case 5:
		w.write(path, text+fmt.Sprintf("by hand %d\n", w.n))
		delete(w.told, path)
	case 6:
		w.git("add", "-A")
	case 7:
		w.git("add", "-A")
		w.git("commit", "-q", "--allow-empty", "-m", fmt.Sprint("work ", w.n))
	case 8:
		for _, c := range [][]string{{"reset", "-q", "--hard"}, {"checkout", "-q", "--", "."}, {"clean", "-fdq"}, {"reset", "-q", "--hard", "HEAD~1"}, {"stash", "-q", "-u"}, {"stash", "drop", "-q"}} {
			if w.rnd.IntN(3) == 0 {
				w.git(c...)
			}
		}
	case 9:
		os.Remove(filepath.Join(w.r.Dir, path))
	}
}

// git runs git as a person would, at the time of the walk; it may fail.
func (w *walk) git(args ...string) {
	when := w.at.Format(time.RFC3339)
	w.r.Setenv("GIT_AUTHOR_DATE", when)
	w.r.Setenv("GIT_COMMITTER_DATE", when)
	w.r.TryGit(args...)
}

func (w *walk) read(path string) (string, bool) {
	text, err := os.ReadFile(filepath.Join(w.r.Dir, filepath.FromSlash(path)))
	return string(text), err == nil
}

func (w *walk) write(path, text string) {
	full := filepath.Join(w.r.Dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
	if w.had[path] == nil {
		w.had[path] = map[string]bool{}
	}
	w.had[path][text] = true
}

func (w *walk) agentWrites(path string) {
	text := ""
	for i := range 1 + w.rnd.IntN(6) {
		text += fmt.Sprintf("line %d of %d\n", i, w.n)
	}
	w.write(path, text)
	w.told[path] = text
	w.call("Write", map[string]any{"file_path": w.full(path), "content": text}, map[string]any{"type": "create", "filePath": w.full(path), "content": text})
}

func (w *walk) agentEdits(path, text string) {
	lines := strings.SplitAfter(text, "\n")
	old := lines[w.rnd.IntN(len(lines)-1)]
	if strings.Count(text, old) != 1 {
		return
	}
	now := fmt.Sprintf("edit %d\n\tand more\n", w.n)
	after := strings.Replace(text, old, now, 1)
	w.write(path, after)
	outcome := map[string]any{"filePath": w.full(path), "oldString": old, "newString": now, "structuredPatch": []any{}}
	if w.rnd.IntN(2) == 0 {
		outcome["originalFile"] = text
		w.told[path] = after
	} else if had, known := w.told[path]; !known || had != text {
		delete(w.told, path)
	} else {
		w.told[path] = after
	}
	w.call("Edit", map[string]any{"file_path": w.full(path), "old_string": old, "new_string": now}, outcome)
}

func (w *walk) agentReads(path, text string) {
	lines := strings.Count(text, "\n") + 1
	w.told[path] = text
	w.call("Read", map[string]any{"file_path": w.full(path)}, map[string]any{"type": "text", "file": map[string]any{"filePath": w.full(path), "content": text,
		"startLine": 1, "numLines": lines, "totalLines": lines}})
}

func (w *walk) full(path string) string { return filepath.Join(w.r.Dir, filepath.FromSlash(path)) }

// call adds a call and its result to the transcript.
func (w *walk) call(tool string, input, outcome any) {
	id := fmt.Sprintf("t%d", w.n)
	f, err := os.OpenFile(w.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	at := w.at.UTC().Format("2006-01-02T15:04:05.000Z")
	enc := json.NewEncoder(f)
	for _, line := range []map[string]any{
		{"type": "assistant", "uuid": "a" + id, "cwd": w.r.Dir, "timestamp": at, "message": map[string]any{"id": "m" + id, "role": "assistant",
			"content": []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}}}},
		{"type": "user", "uuid": "r" + id, "cwd": w.r.Dir, "timestamp": at, "toolUseResult": outcome, "message": map[string]any{"role": "user",
			"content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": "ok"}}}},
	} {
		if err := enc.Encode(line); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *walk) check() {
	repo, err := git.Discover(w.t.Context(), w.r.Dir, w.r.Env)
	if err != nil {
		w.t.Fatal(err)
	}
	defer repo.Close()
	c := gather.New(w.t.Context(), gather.Where{Repo: repo, Home: w.t.TempDir(), Environ: w.r.Env, Now: time.Now(),
		Transcripts: []gather.Transcript{{Path: w.file, Agent: agent.AgentTypeClaudeCode, Name: "Claude Code"}}})
	defer c.Pool.Close()
	if err := c.All(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	for _, path := range walkPaths {
		list, err := versions.Build(c.Evidence[path], c.Pool)
		if err != nil {
			w.t.Fatal(err)
		}
		found := map[string]bool{}
		for _, v := range list {
			if v.Gone {
				continue
			}
			content, err := c.Pool.Get(v.Content)
			if err != nil {
				w.t.Fatal(err)
			}
			found[string(content)] = true
			if v.Sure >= versions.Verified && !w.had[path][string(content)] && !strings.Contains(v.Source, "guess") {
				w.t.Errorf("%s: %s from %s was never there: %q", path, v.Sure, v.Source, content)
			}
		}
		if want, ok := w.told[path]; ok && !found[want] {
			w.t.Errorf("%s: the agent's last content is not found: %q\n%s", path, want, describe(c, path, list))
		}
	}
}

// describe returns what is known of a path, for a test that fails.
func describe(c *gather.Collector, path string, list []versions.Version) string {
	var b strings.Builder
	for _, e := range c.Evidence[path] {
		content, _ := c.Pool.Get(e.Content)
		fmt.Fprintf(&b, "  %s %d %s: %q %+v\n", e.At.Format("15:04:05.000000"), e.Kind, e.Source, content, e.Edits)
	}
	for _, v := range list {
		content, _ := c.Pool.Get(v.Content)
		fmt.Fprintf(&b, "  version %s %s %s: %q\n", v.At.Format("15:04:05.000000"), v.Sure, v.Source, content)
	}
	return b.String() + strings.Join(c.Notes, "\n")
}
