package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"entire/internal/testrepo"
)

// newWorld is a world in which nobody is at a terminal.
func newWorld(dir string, environ ...string) (w *world, out, complaint *bytes.Buffer) {
	out, complaint = new(bytes.Buffer), new(bytes.Buffer)
	return &world{
		in: strings.NewReader(""), out: out, err: complaint, environ: environ,
		getwd: func() (string, error) { return dir, nil },
		now:   func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
	}, out, complaint
}

// worldOf is a world inside a repository, with a program to put on PATH or not.
func worldOf(r *testrepo.Repo) (w *world, out, complaint *bytes.Buffer) {
	return newWorld(r.Dir, append(r.Env, "ENTIRE_TEST_TTY=0")...)
}

func TestEnvTakesTheLastValue(t *testing.T) {
	t.Parallel()
	w, _, _ := newWorld("/", "A=1", "AB=2", "A=3", "EMPTY=")
	if got := w.env("A"); got != "3" {
		t.Errorf("A = %q", got)
	}
	if _, set := w.lookup("EMPTY"); !set {
		t.Error("EMPTY is not set")
	}
	if _, set := w.lookup("B"); set {
		t.Error("B is set")
	}
}

func TestPersonPresent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		environ []string
		want    bool
	}{
		{"a test says so", []string{"ENTIRE_TEST_TTY=1"}, true},
		{"a test denies it", []string{"ENTIRE_TEST_TTY=0"}, false},
		{"a test denies it with nothing", []string{"ENTIRE_TEST_TTY="}, false},
		{"a test wins over an agent", []string{"CLAUDECODE=1", "ENTIRE_TEST_TTY=1"}, true},
		{"an agent's shell", []string{"CLAUDECODE=1"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w, _, _ := newWorld("/", test.environ...)
			if got := w.personPresent(); got != test.want {
				t.Errorf("personPresent = %v, want %v", got, test.want)
			}
		})
	}
}

func TestExitTellsOnce(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		err  error
		want string
		code int
	}{
		{"success", nil, "", 0},
		{"an error", io.ErrUnexpectedEOF, "entire: unexpected EOF\n", 1},
		{"advice", failf("try again", "no %s", "luck"), "entire: no luck\nhint: try again\n", 1},
		{"several lines become one", failf("", "a\nb"), "entire: a; b\n", 1},
		{"already told", errTold, "", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w, out, complaint := newWorld("/")
			if code := w.exit(test.err); code != test.code || complaint.String() != test.want || out.Len() > 0 {
				t.Errorf("exit = %d, printed %q and %q; want %d, %q", code, out, complaint, test.code, test.want)
			}
		})
	}
}
