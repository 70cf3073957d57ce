package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/session/internal/layout"
)

// TestForkCopiesNothing shows that a fork's messages are the parent's file under
// a second name.
func TestForkCopiesNothing(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	sayAll(t, s, "a", 1, 4)
	must(t, second(s.ForkAt(t.Context(), "a", "b", "m2")))
	parent, err := os.Stat(filepath.Join(s.Dir("a"), layout.MessagesName))
	must(t, err)
	child, err := os.Stat(filepath.Join(s.Dir("b"), "base-000.jsonl"))
	must(t, err)
	if !os.SameFile(parent, child) {
		t.Error("the messages were copied")
	}
	if _, err := os.Stat(filepath.Join(s.Dir("b"), layout.MessagesName)); err == nil {
		t.Error("the fork has messages of its own")
	}
	sayAll(t, s, "b", 7, 7)
	wantSaid(t, s, "b", "m1 m2 m7")
	wantSaid(t, s, "a", "m1 m2 m3 m4")
}

// TestForkAtEveryMessage resumes each fork and goes on with it.
func TestForkAtEveryMessage(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "f0"}))
	sayAll(t, s, "f0", 1, 9)
	all, err := s.LoadMessages("f0")
	must(t, err)
	for n := 1; n <= 9; n++ {
		// Each is forked from the fork before, which has it in its base.
		from := fmt.Sprintf("f%d", max(n-2, 0))
		if n < 9 {
			from = "f0"
		}
		fork, err := s.ForkAt(t.Context(), from, fmt.Sprintf("f%d", n), fmt.Sprintf("m%d", n))
		if n == 9 {
			if !errors.Is(err, ErrNoMessage) { // f7 ends with m7
				t.Errorf("forked beyond the end: %+v, %v", fork, err)
			}
			continue
		}
		if err != nil || uuids(fork.Messages) != uuids(all[:n]) || fork.Metadata.MessageCount != n || fork.Metadata.TurnCount != (n+1)/2 {
			t.Errorf("fork at %d: %+v, %v", n, fork, err)
		}
	}
	must(t, s.Delete("f0"))
	for n := 1; n < 9; n++ {
		wantSaid(t, s, fmt.Sprintf("f%d", n), uuids(all[:n]))
	}
}

func TestForkWhileTorn(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	sayAll(t, s, "a", 1, 2)
	must(t, s.AppendSDKMessage("a", SDKMessage(`{"n":1}`)))
	must(t, s.Flush(t.Context()))
	for _, name := range []string{layout.MessagesName, layout.TranscriptName} {
		f, err := os.OpenFile(filepath.Join(s.Dir("a"), name), os.O_WRONLY|os.O_APPEND, 0)
		must(t, err)
		must(t, second(f.WriteString(`{"uuid":"torn`)))
		must(t, f.Close())
	}
	must(t, second(s.Fork("a", "b")))
	sayAll(t, s, "a", 3, 3)
	must(t, s.AppendSDKMessage("a", SDKMessage(`{"n":2}`)))
	sayAll(t, s, "b", 4, 4)
	wantSaid(t, s, "a", "m1 m2 m3")
	wantSaid(t, s, "b", "m1 m2 m4")
	wantStream(t, s, "b", `{"n":1}`)
	wantStream(t, s, "a", `{"n":1}`, `{"n":2}`)
}

func TestForkTranscript(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	sayAll(t, s, "a", 1, 3)
	records := []string{`{"type":"summary"}`, `{"uuid":"m1"}`, `{"uuid":"m2","parentUuid":"m1"}`, `{"uuid":"m3","parentUuid":"m2"}`}
	for _, r := range records {
		must(t, s.AppendSDKMessage("a", SDKMessage(r)))
	}
	must(t, second(s.ForkAt(t.Context(), "a", "b", "m2")))
	wantStream(t, s, "b", records[:3]...)
	must(t, s.AppendMessage("a", Message{UUID: "unknown", Role: "user"}))
	must(t, second(s.ForkAt(t.Context(), "a", "c", "unknown")))
	wantStream(t, s, "c")
	must(t, os.WriteFile(filepath.Join(s.Dir("a"), layout.DocumentName), []byte("{}"), 0o600))
	must(t, second(s.Fork("a", "d")))
	if data, err := os.ReadFile(filepath.Join(s.Dir("d"), layout.DocumentName)); err != nil || string(data) != "{}" {
		t.Errorf("document %q, %v", data, err)
	}
}

func TestForkKeepsFileCheckpoints(t *testing.T) {
	t.Parallel()
	s, work := testStore(t), t.TempDir()
	file := filepath.Join(work, "f.txt")
	must(t, s.Create(SessionMetadata{ID: "a", CWD: work}))
	for n := 1; n <= 3; n++ {
		sayAll(t, s, "a", n, n)
		must(t, os.WriteFile(file, []byte(fmt.Sprintf("before m%d", n)), 0o600))
		must(t, s.CreateCheckpoint("a", fmt.Sprintf("m%d", n), []string{"f.txt"}))
	}
	// Kept for the first time after the fork's point, and changed then.
	other := filepath.Join(work, "other.txt")
	must(t, os.WriteFile(other, []byte("before m3"), 0o600))
	must(t, s.CreateCheckpoint("a", "m3", []string{"other.txt"}))
	must(t, os.WriteFile(other, []byte("since"), 0o600))
	must(t, second(s.Fork("a", "whole")))
	must(t, second(s.ForkAt(t.Context(), "a", "part", "m2")))
	must(t, s.Delete("a"))
	must(t, second(s.RewindFiles("part", "m2", false)))
	if data, err := os.ReadFile(other); err != nil || string(data) != "before m3" {
		t.Errorf("a file of a checkpoint after the fork is %q, %v", data, err)
	}
	for sid, at := range map[string]string{"whole": "m3", "part": "m1"} {
		result, err := s.RewindFiles(sid, at, false)
		data, rerr := os.ReadFile(file)
		if err != nil || rerr != nil || !result.CanRewind || string(data) != "before "+at {
			t.Errorf("%s: %+v, %v: %q", sid, result, err, data)
		}
	}
}

// TestShareFileCopies copies where the file system has no second names, which a
// name that is taken already stands for.
func TestShareFileCopies(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	must(t, os.WriteFile(from, []byte("first\nsecond\n"), 0o600))
	for bytes, want := range map[int64]string{6: "first\n", layout.WholeFile: "first\nsecond\n"} {
		must(t, layout.CopyFile(from, to, bytes))
		if data, err := os.ReadFile(to); err != nil || string(data) != want {
			t.Errorf("%d bytes: %q, %v", bytes, data, err)
		}
	}
	if err := layout.CopyFile(from, to, 99); err == nil {
		t.Error("copied more than there is")
	}
	must(t, os.Symlink(from, filepath.Join(dir, "link")))
	if err := layout.ShareFile(filepath.Join(dir, "link"), filepath.Join(dir, "new"), 1); err == nil {
		t.Error("a link was shared")
	}
}

func TestHostileBase(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret")
	must(t, os.WriteFile(outside, []byte("{\"uuid\":\"secret\"}\n"), 0o600))
	for name, base := range map[string]string{
		"path":     `{"messages":[{"file":"../../secret","bytes":18}]}`,
		"absolute": `{"messages":[{"file":"` + outside + `","bytes":18}]}`,
		"negative": `{"messages":[{"file":"base-000.jsonl","bytes":-1}]}`,
		"too long": `{"messages":[{"file":"base-000.jsonl","bytes":999}]}`,
		"absent":   `{"messages":[{"file":"base-000.jsonl","bytes":1},{"file":"base-001.jsonl","bytes":1}]}`,
		"link":     `{"messages":[{"file":"base-000.jsonl","bytes":18},{"file":"base-001.jsonl","bytes":18}]}`,
		"not JSON": `{"messages":`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testStore(t)
			must(t, s.Create(SessionMetadata{ID: "a"}))
			must(t, os.WriteFile(filepath.Join(s.Dir("a"), "base-000.jsonl"), []byte("{\"uuid\":\"shared\"}\n"), 0o600))
			if name == "link" {
				must(t, os.Symlink(outside, filepath.Join(s.Dir("a"), "base-001.jsonl")))
			}
			must(t, os.WriteFile(filepath.Join(s.Dir("a"), layout.BaseName), []byte(base), 0o600))
			list, err := s.LoadMessages("a")
			if err == nil || strings.Contains(uuids(list), "secret") {
				t.Errorf("read %s, %v", uuids(list), err)
			}
			if _, err := s.Fork("a", "b"); err == nil {
				t.Error("forked")
			}
		})
	}
}
