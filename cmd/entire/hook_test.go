package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/testrepo"
)

func TestHookFor(t *testing.T) {
	t.Parallel()
	w, _, _ := newWorld("/")
	for line, want := range map[string]bool{
		"hooks git post-commit":               true,
		"hooks git prepare-commit-msg file":   true,
		"hooks git commit-msg file":           true,
		"hooks git pre-push origin":           true,
		"hooks claude-code stop":              true,
		"hooks claude-code post-todo":         true,
		"hooks git post-commit --help":        false,
		"hooks git update":                    false,
		"hooks git":                           false,
		"hooks":                               false,
		"hooks claude-code nope":              false,
		"hooks nobody stop":                   false,
		"status":                              false,
		"hooks git prepare-commit-msg a -h":   true, // an argument of git's
		"hooks git prepare-commit-msg --help": false,
	} {
		if got := w.hookFor(strings.Fields(line)) != nil; got != want {
			t.Errorf("%s: a hook %v, want %v", line, got, want)
		}
	}
}

// An agent whose settings name a hook of another version reads what is printed.
func TestUnknownHookPrintsNothingForAgents(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"hooks claude-code nope", "hooks nobody stop", "hooks git update"} {
		w, out, complaint := newWorld("/")
		if err := w.execute(t.Context(), strings.Fields(line)); err != nil || out.Len() > 0 || !strings.Contains(complaint.String(), "no hook") {
			t.Errorf("%s: %v, %q, %q", line, err, out, complaint)
		}
	}
}

// panicking is a standard input that breaks the program.
type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("broken " + secret) }

func TestPanicInAHookIsLoggedOnly(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	put(t, filepath.Join(r.Dir, ".entire", "settings.json"), `{"enabled":true}`)
	w, out, complaint := worldOf(r)
	h := &hookRun{world: w, name: "test"}
	func() {
		defer h.end()
		defer h.survive()
		panicking{}.Read(nil)
	}()
	if out.Len()+complaint.Len() > 0 {
		t.Errorf("printed %q and %q", out, complaint)
	}
	log, err := os.ReadFile(filepath.Join(r.Dir, ".entire", "logs", "entire.log"))
	if err != nil || !strings.Contains(string(log), "panic: broken") || strings.Contains(string(log), secret) {
		t.Errorf("log %q, %v", log, err)
	}
}

// unread fails the test when somebody reads it.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("standard input was read")
	return 0, io.EOF
}

func TestDisabledHookReadsNothing(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	put(t, filepath.Join(r.Dir, ".entire", "settings.json"), `{"enabled":false}`)
	w, out, complaint := worldOf(r)
	w.in = unread{t}
	w.environ = []string{"PATH="} // no git
	for _, line := range []string{"hooks claude-code stop", "hooks git post-commit", "hooks git prepare-commit-msg x"} {
		if code := run(context.Background(), strings.Fields(line), w); code != 0 {
			t.Errorf("%s: exit %d", line, code)
		}
	}
	if out.Len()+complaint.Len() > 0 {
		t.Errorf("printed %q and %q", out, complaint)
	}
	if _, err := os.Lstat(filepath.Join(r.Dir, ".entire", "logs")); err == nil {
		t.Error("a log was written")
	}
}
