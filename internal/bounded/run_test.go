//go:build unix

package bounded

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	t.Parallel()
	run := func(script string, timeout time.Duration) (string, string, time.Duration, error) {
		begin := time.Now()
		out, errs, err := Program{
			Path: "/bin/sh", Args: []string{"-c", script}, Dir: t.TempDir(), Environ: []string{"PATH=/usr/bin:/bin"}, In: strings.NewReader("hello"),
			Timeout: timeout, Grace: 200 * time.Millisecond, Out: 1000, Err: 5,
		}.Run(t.Context())
		return string(out), string(errs), time.Since(begin), err
	}
	if out, errs, _, err := run("cat; echo complaint >&2", time.Minute); out != "hello" || errs != "compl" || err != nil {
		t.Errorf("%q, %q, %v", out, errs, err)
	}
	var exit *exec.ExitError
	if _, _, _, err := run("exit 7", time.Minute); !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("exit 7: %v", err)
	}
	if out, _, took, err := run("while :; do echo x; done", time.Minute); !errors.Is(err, ErrTooMuch) || len(out) > 1000 || took > 30*time.Second {
		t.Errorf("endless output: %d bytes, %v after %s", len(out), err, took)
	}
	for name, script := range map[string]string{
		"hangs": "sleep 600", "its child hangs": "sleep 600 & wait", "it ignores the signal": "trap '' TERM; sleep 600; sleep 600",
	} {
		if _, _, took, err := run(script, 200*time.Millisecond); !errors.Is(err, ErrTimeout) || took > 10*time.Second {
			t.Errorf("%s: %v after %s", name, err, took)
		}
	}
	if out, _, took, err := run("echo done; sleep 600 &", time.Minute); out != "done\n" || err != nil || took > 10*time.Second {
		t.Errorf("a child keeps the output open: %q, %v after %s", out, err, took)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := (Program{Path: "/bin/sh", Timeout: time.Minute}).Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, _, err := (Program{Path: "/no/such/program", Timeout: time.Minute}).Run(t.Context()); err == nil {
		t.Error("a program that is not there was run")
	}
}
