package process

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A hook below shells that run one line finds the program that called it, and that program is among the
// processes above everything that it starts.
func TestCallerAboveAHook(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		if a, ok := CallerAbove(os.Getpid()); ok || len(Ancestors(os.Getpid())) > 0 {
			t.Errorf("a process appeared: %+v", a)
		}
		return
	}
	if os.Getenv("CALLER_TEST_HOOK") != "" {
		a, ok := CallerAbove(os.Getppid())
		if !ok || !slices.Contains(Ancestors(os.Getppid()), a) {
			t.Fatalf("%+v is not above", a)
		}
		args := look(a.PID).args
		t.Logf("CALLER %s", strings.Join(args, " "))
		return
	}
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-s", "an-agent")
	cmd.Env = append(os.Environ(), "CALLER_TEST_HOOK=1", "SELF="+self)
	cmd.Stdin = strings.NewReader(`sh -c 'env -u X bash -lc "\"\$SELF\" -test.v -test.run=^TestCallerAboveAHook$; exit \$?" || exit 1; exit 0'` + "\nexit $?\n")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "CALLER sh -s an-agent") {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestRunsOneLine(t *testing.T) {
	for line, want := range map[string]bool{
		"sh -c x": true, "/bin/bash -lc x": true, "-zsh -c x": true, "env A=b x": true, "timeout 5 x": true,
		"sh agent.sh": false, "-bash": false, "node claude -c": false, "bash --rcfile abc": false, "": false,
	} {
		if got := runsOneLine(strings.Fields(line)); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}
