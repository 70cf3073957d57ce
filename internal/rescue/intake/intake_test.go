package intake_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"entire/internal/redact"
	"entire/internal/rescue"
	"entire/internal/rescue/intake"
	"entire/internal/rescue/rescuetest"
)

const (
	root = "../../.."
	key  = "p-0123456789abcdef0123456789abcdef"
)

// now is the time of the tests.
var now = func() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) }

// A machine is a home directory with the stores of a user.
type machine struct {
	t          *testing.T
	home, data string
}

func newMachine(t *testing.T) machine {
	return machine{t, rescuetest.Home(t, root), t.TempDir()}
}

// run imports all conversations that the memory does not know, and returns what became of them, by session.
func (m machine) run() map[string]intake.Result {
	m.t.Helper()
	ctx := m.t.Context()
	memory, err := rescue.OpenMemory(intake.MemoryIn(m.data))
	m.must(err)
	stores, err := intake.OpenStores(ctx, m.data, now)
	m.must(err)
	defer func() { m.must(stores.Close()) }()
	found, err := rescue.Find(ctx, rescue.Machine{Home: m.home, Getenv: func(string) string { return "" }, Memory: memory}, nil)
	m.must(err)
	im := intake.Importer{Stores: stores, Memory: memory, Redact: redact.Line, Plain: func(path string) (string, func(), error) { return path, func() {}, nil }, Transcripts: map[string]string{}}
	for _, c := range found.Conversations {
		im.Transcripts[c.Session] = c.Path
	}
	out := map[string]intake.Result{}
	for i := range found.Conversations {
		c := &found.Conversations[i]
		if _, done := memory.Outcome(c); done || c.Subagent {
			continue
		}
		r, err := im.Import(ctx, c, key)
		m.must(err)
		out[c.Session] = r
	}
	m.must(memory.Save())
	return out
}

func (m machine) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func TestImportsEveryAgentsForm(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	first := m.run()
	if len(first) < 11 {
		t.Errorf("%d conversations were imported", len(first))
	}
	for session, r := range first {
		if r.What != intake.New || r.Added == 0 || r.Added != r.Messages {
			t.Errorf("%s: %+v", session, r)
		}
	}
	if again := m.run(); len(again) > 0 {
		t.Errorf("what did not change was imported again: %v", again)
	}

	// Without the memory everything is read again, and nothing stored twice.
	m.must(os.Remove(intake.MemoryIn(m.data)))
	for session, r := range m.run() {
		if r.What != intake.Same || r.Added != 0 || r.Messages != first[session].Messages {
			t.Errorf("%s: %+v, at first %+v", session, r, first[session])
		}
	}
}

// TestSubagentsBelongToTheirSession: what a subagent said is in its session, under its name.
func TestSubagentsBelongToTheirSession(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.run()
	stores, err := intake.OpenStores(t.Context(), m.data, now)
	m.must(err)
	defer stores.Close()
	for _, session := range []string{"ses_1", "11111111-0000-4000-8000-000000000001"} {
		n := 0
		for message, err := range stores.Of(key).Messages(t.Context(), session) {
			m.must(err)
			if message.Sidechain {
				n++
			}
		}
		if n == 0 {
			t.Errorf("session %s has no message of its subagent", session)
		}
	}
}

// TestAForkKeepsOnlyTheRest: a conversation that was continued under another ID shares what it repeats.
func TestAForkKeepsOnlyTheRest(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	path := filepath.Join(m.home, ".claude", "projects", "-home-dana-shop", "11111111-0000-4000-8000-000000000001.jsonl")
	text, err := os.ReadFile(path)
	m.must(err)
	before := m.run()["11111111-0000-4000-8000-000000000001"]

	session := sessionIn(text)
	copied := bytes.ReplaceAll(text, session, []byte("99999999-0000-4000-8000-000000000001"))
	copied = bytes.ReplaceAll(copied, []byte(`"userType":"external"`), []byte(`"userType":"external","promptId":"other"`)) // as Claude Code 2.1.330 does
	beside := filepath.Join(filepath.Dir(path), "99999999-0000-4000-8000-000000000001.jsonl")
	rescuetest.Put(t, beside, string(copied))
	r := m.run()["99999999-0000-4000-8000-000000000001"]
	if r.What != intake.Within || r.Of != "11111111-0000-4000-8000-000000000001" {
		t.Errorf("a copy became %+v", r)
	}

	more := `{"parentUuid":null,"isSidechain":false,"cwd":"/home/dana/shop","sessionId":"99999999-0000-4000-8000-000000000001","type":"user","message":{"role":"user","content":"Another way"},"uuid":"new-1","timestamp":"2026-11-30T10:00:00.000Z"}` + "\n"
	rescuetest.Put(t, beside, string(copied)+more)
	r = m.run()["99999999-0000-4000-8000-000000000001"]
	if r.What != intake.New || r.Added != 1 || r.Of != "11111111-0000-4000-8000-000000000001" {
		t.Errorf("the fork became %+v; the first has %d messages", r, before.Messages)
	}
	m.sharesStream("99999999-0000-4000-8000-000000000001", len(more))
	rescuetest.Put(t, beside, string(copied)+more+string(bytes.ReplaceAll([]byte(more), []byte("new-1"), []byte("new-2"))))
	if r = m.run()["99999999-0000-4000-8000-000000000001"]; r.What != intake.More || r.Added != 1 {
		t.Errorf("the fork that went on became %+v", r)
	}
}

// sharesStream reports a fork whose own stream is more than what its transcript added.
func (m machine) sharesStream(session string, added int) {
	m.t.Helper()
	own, err := os.Stat(filepath.Join(m.data, "projects", key, "sessions", session, "transcript.jsonl"))
	m.must(err)
	if own.Size() > int64(added) {
		m.t.Errorf("the fork's own stream has %d bytes; its transcript added %d", own.Size(), added)
	}
}

// sessionIn returns the first session that a transcript names.
func sessionIn(text []byte) []byte {
	_, rest, _ := bytes.Cut(text, []byte(`"sessionId":"`))
	id, _, _ := bytes.Cut(rest, []byte(`"`))
	return id
}

// TestWhatWasDeletedStaysDeleted, as long as nothing more is said in it.
func TestWhatWasDeletedStaysDeleted(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.run()
	stores, err := intake.OpenStores(t.Context(), m.data, now)
	m.must(err)
	m.must(stores.Of(key).DeleteContext(t.Context(), "c-1"))
	m.must(stores.Close())
	m.must(os.Remove(intake.MemoryIn(m.data)))
	if r := m.run()["c-1"]; r.What != intake.Deleted {
		t.Errorf("got %+v", r)
	}
}

// TestAForkWithoutItsBeginning: Codex 0.169 writes of a fork only what is new, and how far the first part goes.
func TestAForkWithoutItsBeginning(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	const parent, child = "01a20edc-f218-72a0-8650-fb0e34414f8d", "01a20edd-aaaa-72a0-8650-fb0e34414f8d"
	day := filepath.Join(m.home, ".codex", "sessions", "2026", "11", "24")
	text, err := os.ReadFile(filepath.Join(day, "rollout-2026-11-24T18-41-01-"+parent+".jsonl"))
	m.must(err)
	before := m.run()[parent]

	half := bytes.LastIndexByte(text[:len(text)*2/3], '\n') + 1
	rescuetest.Put(t, filepath.Join(day, "rollout-2026-11-24T19-41-01-"+child+".jsonl"),
		fmt.Sprintf(`{"timestamp":"2026-11-24T19:41:01.000Z","type":"session_meta","payload":{"id":%q,"forked_from_id":%q,"cwd":"/home/dana/shop","source":"vscode","history_base":{"thread_id":%q,"end_byte_offset":%d}}}`+"\n", child, parent, parent, half)+
			`{"timestamp":"2026-11-24T19:41:02.000Z","type":"response_item","payload":{"type":"message","role":"user","id":"msg_new","content":[{"type":"input_text","text":"Another way"}]}}`+"\n")
	r := m.run()[child]
	if r.What != intake.New || r.Of != parent || r.Added != 1 || r.Messages < 3 || r.Messages > before.Messages {
		t.Errorf("the fork became %+v; the first has %d messages", r, before.Messages)
	}
}
