package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/cli/clitest"
	"entire/internal/testrepo"
)

// An agent whose settings name a hook of another version reads what is printed.
func TestUnknownHookPrintsNothingForAgents(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"hooks claude-code nope", "hooks nobody stop", "hooks git update"} {
		env, out, complaint := clitest.NewWorld("/")
		if err := execute(t.Context(), env, strings.Fields(line)); err != nil || out.Len() > 0 || !strings.Contains(complaint.String(), "no hook") {
			t.Errorf("%s: %v, %q, %q", line, err, out, complaint)
		}
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
	clitest.Put(t, filepath.Join(r.Dir, ".entire", "settings.json"), `{"enabled":false}`)
	env, out, complaint := clitest.WorldOf(r)
	env.In = unread{t}
	env.Environ = []string{"PATH="} // no git
	for _, line := range []string{"hooks claude-code stop", "hooks git post-commit", "hooks git prepare-commit-msg x"} {
		if code := run(context.Background(), strings.Fields(line), env); code != 0 {
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
