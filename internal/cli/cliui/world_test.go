package cliui_test

import (
	"io"
	"testing"

	"entire/internal/cli/clitest"
	"entire/internal/cli/cliui"
)

func TestEnvTakesTheLastValue(t *testing.T) {
	t.Parallel()
	env, _, _ := clitest.NewWorld("/", "A=1", "AB=2", "A=3", "EMPTY=")
	if got := env.Getenv("A"); got != "3" {
		t.Errorf("A = %q", got)
	}
	if _, set := env.LookupEnv("EMPTY"); !set {
		t.Error("EMPTY is not set")
	}
	if _, set := env.LookupEnv("B"); set {
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
			env, _, _ := clitest.NewWorld("/", test.environ...)
			if got := env.PersonPresent(); got != test.want {
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
		{"advice", cliui.Failf("try again", "no %s", "luck"), "entire: no luck\nhint: try again\n", 1},
		{"several lines become one", cliui.Failf("", "a\nb"), "entire: a; b\n", 1},
		{"already told", cliui.ErrTold, "", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			env, out, complaint := clitest.NewWorld("/")
			if code := env.Exit(test.err); code != test.code || complaint.String() != test.want || out.Len() > 0 {
				t.Errorf("exit = %d, printed %q and %q; want %d, %q", code, out, complaint, test.code, test.want)
			}
		})
	}
}
