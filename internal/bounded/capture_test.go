package bounded_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"entire/internal/bounded"
	"entire/internal/testrepo"
)

// What a command wrote before it ended is returned, also if this process reads it long after that, and if a program that
// the command has started keeps the output open.
func TestCapture(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := func(text string) *exec.Cmd {
		path := dir + "/run"
		testrepo.WriteScript(t, path, "#!/bin/sh\n"+text)
		return exec.Command(path)
	}
	cmd := script("echo said >&2\ni=0\nwhile [ $i -lt 3000 ]; do echo 0123456789012345678901234567890123456789; i=$((i+1)); done\nexit 3\n")
	out, said, err := bounded.Capture(cmd, time.Second, nil)
	if len(out) != 3000*41 || string(said) != "said\n" || cmd.ProcessState.ExitCode() != 3 || err == nil {
		t.Errorf("%d bytes, %q, %v", len(out), said, err)
	}

	cmd = script("sleep 60 & echo $! >&2\necho there\n")
	cmd.WaitDelay = time.Millisecond
	slow := &slowly{}
	began := time.Now()
	out, said, err = bounded.Capture(cmd, time.Millisecond, slow)
	if string(out) != "there\n" || err != nil || slow.String() != string(said) {
		t.Errorf("%q, %q, %v", out, said, err)
	}
	if time.Since(began) > 30*time.Second {
		t.Error("waited for a program that the command left")
	}
	exec.Command("kill", strings.TrimSpace(string(said))).Run()

	if _, _, err := bounded.Capture(exec.Command(dir+"/absent"), time.Second, nil); !os.IsNotExist(err) {
		t.Errorf("a command that is not there: %v", err)
	}
}

// slowly is a terminal that takes longer for a line than the delay.
type slowly struct{ bytes.Buffer }

func (s *slowly) Write(p []byte) (int, error) {
	time.Sleep(100 * time.Millisecond)
	return s.Buffer.Write(p)
}
