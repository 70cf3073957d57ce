package hookcmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/cli/clitest"
	"entire/internal/testrepo"
)

func TestHookFor(t *testing.T) {
	t.Parallel()
	env, _, _ := clitest.NewWorld("/")
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
		if got := hookFor(env, strings.Fields(line)) != nil; got != want {
			t.Errorf("%s: a hook %v, want %v", line, got, want)
		}
	}
}

func TestPanicInAHookIsLoggedOnly(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	clitest.Put(t, filepath.Join(r.Dir, ".entire", "settings.json"), `{"enabled":true}`)
	env, out, complaint := clitest.WorldOf(r)
	getwd := env.Getwd
	env.Getwd = func() (string, error) {
		env.Getwd = getwd
		panic("broken " + clitest.Secret)
	}
	if !Run(t.Context(), env, []string{"hooks", "git", "post-commit"}) {
		t.Error("the command line counts as another command's")
	}
	if out.Len()+complaint.Len() > 0 {
		t.Errorf("printed %q and %q", out, complaint)
	}
	log, err := os.ReadFile(filepath.Join(r.Dir, ".entire", "logs", "entire.log"))
	if err != nil || !strings.Contains(string(log), "panic: broken") || strings.Contains(string(log), clitest.Secret) {
		t.Errorf("log %q, %v", log, err)
	}
}
