//go:build unix

package transcript_test

import (
	"syscall"
	"testing"
	"time"

	"entire/agent"
)

// TestPipeForHookCalls: a hook does not wait for a pipe in the place of the file.
func TestPipeForHookCalls(t *testing.T) {
	t.Parallel()
	w, calls := newGeminiTurn(t)
	if err := syscall.Mkfifo(calls, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- tellCall(t, w, agent.ToolStart, "make") }()
	select {
	case err := <-done:
		if err == nil {
			t.Error("a pipe counts as a file")
		}
	case <-time.After(20 * time.Second):
		t.Error("the hook waits for the pipe")
	}
}
