package attribsuite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/internal/histories"
	"entire/internal/testrepo"
)

// world is a repository in which people and agents work, and the real program
// looks on.
type world struct {
	*testrepo.Repo
	t               testing.TB
	sessions, talks map[string]*histories.Session // by their letters: all, and those that have begun
	clock           time.Time                     // of git, where it is not the real one
	last            result                        // of a command that may fail

	// strict: nobody writes another's line that is not there, or works without a
	// turn. Random histories keep to it, and so must what is left of them.
	strict  bool
	enabled bool

	untold map[string]*bool // by their marks, lines of which perhaps nobody can tell whose they are

	agent   string // of the sessions that have no letter of another agent's; "" is Claude Code
	results bool   // all sessions of Claude Code show what their calls added, not only A

	verdict verdict  // of all lines judged
	said    []string // what blame said of each file
	league  league
}

func newWorld(t testing.TB, opts ...testrepo.Option) *world {
	return worldIn(t, testrepo.New(t, append(opts, testrepo.Files(map[string]string{"README": "hello\n"}))...))
}

func worldOf(t testing.TB, r *testrepo.Repo) *world {
	return &world{Repo: r, t: t, sessions: map[string]*histories.Session{}, talks: map[string]*histories.Session{}, untold: map[string]*bool{}}
}

func worldIn(t testing.TB, r *testrepo.Repo) *world {
	w := worldOf(t, r)
	w.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	w.Setenv("ENTIRE_TEST_TTY", "1")
	w.Setenv("ENTIRE_TELEMETRY_OPTOUT", "1")
	return w
}

// tick lets a minute pass, if git has no real clock.
func (w *world) tick() {
	if w.clock.IsZero() {
		return
	}
	w.clock = w.clock.Add(time.Minute)
	stamp := w.clock.Format(time.RFC3339)
	w.Setenv("GIT_AUTHOR_DATE", stamp)
	w.Setenv("GIT_COMMITTER_DATE", stamp)
}

// result is how a command ended.
type result struct {
	out, err string
	code     error
}

// run starts a program as somebody at a terminal would, or, with an open call of an
// agent, as that would.
func (w *world) run(stdin, name string, args ...string) result {
	ctx, cancel := context.WithTimeout(w.t.Context(), 3*time.Minute)
	defer cancel()
	cmd := w.Command(name, args...)
	var out, errs strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if err := cmd.Start(); err != nil {
		histories.Fail("start", "%v", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer stop()
	err := cmd.Wait()
	return result{out.String(), errs.String(), err}
}

// shell runs a command line; it has to fail if so expected.
func (w *world) shell(line string, fails bool) {
	w.tick()
	if r := w.run("", "sh", "-c", line); (r.code != nil) != fails {
		histories.Fail("command", "%s: %v\n%s%s", line, r.code, r.out, r.err)
	}
}

func (w *world) enable(args ...string) {
	w.enabled = true
	agent := cmp.Or(w.agent, histories.Claude.Agent)
	r := w.run("", filepath.Join(bin, "entire"), append([]string{"enable", "--agent", agent, "--telemetry=false"}, args...)...)
	if r.code != nil {
		histories.Fail("enable", "%v\n%s%s", r.code, r.out, r.err)
	}
}

// owner is what blame says of a line: "p" for a person, "?", or the letter of a
// session, and its turn.
type owner struct {
	who  string
	turn int
	told blamed
}

type blamed struct {
	Line     int    `json:"line"`
	Class    string `json:"class"`
	Session  string `json:"session_id"`
	Turn     int    `json:"turn"`
	Evidence string `json:"evidence"`
	Commit   string `json:"commit"`
}

// owners asks for the lines of a file; rev "" is the worktree.
func (w *world) owners(path, rev string) []owner {
	args := []string{"blame", "--json"}
	if rev != "" {
		args = append(args, "--rev", rev)
	}
	r := w.run("", filepath.Join(bin, "entire"), append(args, "--", path)...)
	var doc struct {
		Lines []blamed `json:"lines"`
	}
	if err := json.Unmarshal([]byte(r.out), &doc); r.code != nil || err != nil {
		histories.Fail("blame", "%s: %v, %v\n%s", path, r.code, err, r.err)
	}
	out := make([]owner, len(doc.Lines))
	for i, l := range doc.Lines {
		if l.Line != i+1 {
			histories.Fail("blame", "%s: line %d after line %d", path, l.Line, i)
		}
		out[i] = owner{w.letter(l), l.Turn, l}
	}
	return out
}

func (w *world) letter(l blamed) string {
	switch l.Class {
	case "human":
		return "p"
	case "unknown":
		return "?"
	}
	for name, k := range w.talks {
		if k.ID == l.Session {
			return name
		}
	}
	return fmt.Sprintf("session %q", l.Session)
}

// files are the text files of the worktree.
func (w *world) files() []string {
	var out []string
	for _, f := range strings.Fields(w.run("", "git", "ls-files", "-co", "--exclude-standard", "--", "*.txt").out) {
		if w.Exists(f) {
			out = append(out, f)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
