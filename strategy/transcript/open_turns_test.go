package transcript_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"entire/agent"
	"entire/agent/opencode"
	"entire/strategy/internal/enginetest"
	"entire/strategy/transcript"
)

// TestStoppedProgramsShareTheWait: a hook waits for programs that do not answer no longer than for one, and hears the one
// that does.
func TestStoppedProgramsShareTheWait(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	folder, err := os.MkdirTemp("/tmp", "said")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	names := []string{"s1", "s2", "s3", "s4"}
	for _, name := range names {
		w.Event(agent.TurnStart, name, func(ev *agent.Event) {
			ev.Agent, ev.AgentType, ev.TranscriptPath, ev.Prompt = opencode.OpenCode().Name(), opencode.OpenCode().Type(), "", "hi"
			ev.Socket = filepath.Join(folder, name)
		})
	}
	for _, name := range names {
		l, err := net.Listen("unix", filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		if name == "s4" {
			go answer(l, fmt.Sprintf(`{"session_id":%q,"messages":[],"running":[]}`, enginetest.SessionID(t, name)))
		}
	}
	e, began := w.Engine(), time.Now()
	transcript.ReadOpenTurns(w.Ctx, e, agent.Event{})
	if took := time.Since(began); took > 1800*time.Millisecond {
		t.Errorf("it took %s", took)
	}
	if _, heard := e.OpenTurns[enginetest.SessionID(t, "s4")]; !heard || len(e.OpenTurns) != 1 {
		t.Errorf("heard %v", e.OpenTurns)
	}
}

// answer sends text to whoever sends something.
func answer(l net.Listener, text string) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = conn.Read(make([]byte, 256))
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}
