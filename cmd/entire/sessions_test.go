package main

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"entire/agent"
	"entire/id"
	"entire/internal/term"
	"entire/session"
	"entire/strategy/resume"
)

func sessionIDOf(t *testing.T, s string) id.SessionID {
	t.Helper()
	sid, err := id.ParseSessionID(s)
	if err != nil {
		t.Fatal(err)
	}
	return sid
}

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func TestMergeMakesOneSessionOfAllThatIsKnown(t *testing.T) {
	t.Parallel()
	later, ended := noon.Add(time.Hour), noon.Add(2*time.Hour)
	linked := func(id string) resume.Session {
		return resume.Session{ID: id, Description: "Do it", Strategy: "manual-commit", StartTime: noon,
			Checkpoints: []resume.Checkpoint{{Message: "Done", Timestamp: later}}}
	}
	stored := func(id string) session.SessionMetadata {
		return session.SessionMetadata{ID: id, Title: "Do it", AgentType: agent.AgentTypeClaudeCode, CreatedAt: noon, UpdatedAt: later, MessageCount: 4, TurnCount: 1, TotalTokens: 10}
	}
	over := stored("a")
	over.EndedAt = &ended
	state := func(phase session.Phase) *session.State {
		return &session.State{SessionID: sessionIDOf(t, "a"), StartedAt: noon, Phase: phase, EndedAt: &ended}
	}
	more := stored("a")
	more.MessageCount = 9
	for _, test := range []struct {
		name    string
		known   known
		state   string
		sources string
		n       int // messages
	}{
		{"in the store, not ended", known{stored: []session.SessionMetadata{stored("a")}}, stateIdle, "store", 4},
		{"in the store, ended", known{stored: []session.SessionMetadata{over}}, stateEnded, "store", 4},
		{"only in commits", known{linked: []resume.Session{linked("a")}}, stateLinked, "git", 0},
		{"only in commits, with its messages", known{ingit: []session.SessionMetadata{more}, linked: []resume.Session{linked("a")}}, stateLinked, "git", 9},
		{"active, whatever the store says", known{stored: []session.SessionMetadata{over}, states: []*session.State{state(session.PhaseActive)}}, stateActive, "store state", 4},
		{"between turns, and in commits", known{linked: []resume.Session{linked("a")}, states: []*session.State{state(session.PhaseIdle)}}, stateIdle, "git state", 0},
		{"over, and in no commit", known{states: []*session.State{state(session.PhaseEnded)}}, stateEnded, "state", 0},
		{"over, and in commits", known{stored: []session.SessionMetadata{over}, linked: []resume.Session{linked("a")}, states: []*session.State{state(session.PhaseEnded)}}, stateLinked, "store git state", 4},
		{"more came with git than is here", known{stored: []session.SessionMetadata{over}, ingit: []session.SessionMetadata{more}}, stateLinked, "store git", 9},
	} {
		all := test.known.merge()
		if len(all) != 1 {
			t.Errorf("%s: %d sessions", test.name, len(all))
			continue
		}
		s := all[0]
		if s.State != test.state || strings.Join(s.Sources, " ") != test.sources || s.Messages != test.n || !s.Started.Equal(noon) {
			t.Errorf("%s: %s, %q, %d messages, begun %v; want %s, %q, %d", test.name, s.State, s.Sources, s.Messages, s.Started, test.state, test.sources, test.n)
		}
	}
}

// A session that goes on is not over, though it ended once.
func TestMergeOfASessionThatCameBack(t *testing.T) {
	t.Parallel()
	ended := noon
	k := known{
		stored: []session.SessionMetadata{{ID: "a", CreatedAt: noon, UpdatedAt: noon, EndedAt: &ended, ExitReason: "exit"}},
		states: []*session.State{{SessionID: sessionIDOf(t, "a"), StartedAt: noon, Phase: session.PhaseActive}},
	}
	if s := k.merge()[0]; s.Ended != nil || s.Reason != "" {
		t.Errorf("ended %v, %q", s.Ended, s.Reason)
	}
}

func TestPick(t *testing.T) {
	t.Parallel()
	all := []listedSession{{ID: "abc"}, {ID: "abcd"}, {ID: "xyz"}}
	var ambiguous *resume.AmbiguousSessionError
	for prefix, want := range map[string]string{"abc": "abc", "abcd": "abcd", "x": "xyz", "xyz": "xyz"} {
		if got, err := pick(all, prefix); err != nil || got.ID != want {
			t.Errorf("pick(%q) = %q, %v", prefix, got.ID, err)
		}
	}
	if _, err := pick(all, "ab"); !errors.As(err, &ambiguous) || !slices.Equal(ambiguous.IDs, []string{"abc", "abcd"}) {
		t.Errorf("pick(ab): %v", err)
	}
	for _, prefix := range []string{"", "q", "abcde"} {
		if _, err := pick(all, prefix); !errors.Is(err, resume.ErrNoSession) {
			t.Errorf("pick(%q): %v", prefix, err)
		}
	}
}

func TestSessionTable(t *testing.T) {
	t.Parallel()
	all := []listedSession{
		{ID: "2026-03-04-aaaa", Agent: agent.AgentTypeClaudeCode, State: stateActive, Updated: noon.Add(-5 * time.Minute), Messages: 12, Turns: 3, Tokens: 1_234_567,
			Title: "Make the tests of the importer pass on every machine"},
		{ID: "2026-03-04-bbbb", Agent: agent.AgentTypeGemini, State: stateLinked, Updated: noon.AddDate(-1, 0, 0), Parent: "x", Title: "Evil \x1b[31m\ntitle"},
		{ID: "6e1f0d2a-0000", Updated: noon, State: stateEnded, Messages: 123_456},
	}
	want := `ID            AGENT   STATE   WHEN     MSGS  TURNS  TOKENS  TITLE
2026-03-04-a  Claude  active  5m         12      3    1.2M  Make the tests of …
2026-03-04-b  Gemini  linked  2025-03     -      -       -  ↳ Evil \x1b[31m ti…
6e1f0d2a-000  -       ended   now      123k      -       -  (no prompt)
`
	if got := sessionTable(all, term.Terminal{}, 79, noon, false); got != want {
		t.Error(cmp.Diff(want, got))
	}
}

func TestRecent(t *testing.T) {
	t.Parallel()
	var all []listedSession
	for i := range 30 {
		all = append(all, listedSession{ID: "a", Updated: noon.Add(-time.Duration(i) * time.Hour)})
	}
	if got := recent(all, noon); len(got) != recentCount {
		t.Errorf("%d sessions of one day, want %d", len(got), recentCount)
	}
	if got := recent(all, noon.AddDate(0, 0, recentDays).Add(-150*time.Minute)); len(got) != 3 {
		t.Errorf("%d sessions, want the 3 of the last %d days", len(got), recentDays)
	}
}

func TestTalkForPeople(t *testing.T) {
	t.Parallel()
	at := func(s int) time.Time { return time.Date(2026, 3, 4, 12, 0, s, 0, time.Local) }
	var b strings.Builder
	tw := newTalkWriter(&b, term.Terminal{}, 60, "/home/me/app")
	for _, m := range []agent.Message{
		{UUID: "11111111-a", Role: agent.RoleUser, Timestamp: at(0), Content: "Count on\nplease\x1b[2J"},
		{UUID: "22222222-a", Role: agent.RoleAssistant, Timestamp: at(1), Content: "Sure."},
		{UUID: "33333333-a", Role: agent.RoleAssistant, Timestamp: at(2), ToolCalls: []agent.ToolUse{
			{ID: "t1", Name: "Bash", Input: json.RawMessage(`{"command":"seq 3\ncat /home/me/app/seq","description":"count"}`)},
			{ID: "t2", Name: "mcp", Input: json.RawMessage(`{"n": 1}`)}, {ID: "t3", Name: "ExitPlanMode"}}},
		{UUID: "44444444-a", Role: agent.RoleTool, Timestamp: at(3), ToolCallID: "t1", Content: "1\n2\n3\n"},
		{UUID: "55555555-a", Role: agent.RoleTool, Timestamp: at(3), ToolCallID: "t2", IsError: true, Content: "no such thing"},
		{UUID: "66666666-a", Role: agent.RoleUser, Timestamp: at(4), Injected: true, Content: "<reminder>\n" + strings.Repeat("x", 300)},
		{UUID: "77777777-a", Role: agent.RoleAssistant, Timestamp: at(5), Sidechain: true, AgentID: "a1", Content: "From below"},
	} {
		if err := tw.add(m); err != nil {
			t.Fatal(err)
		}
	}
	want := `[user] 2026-03-04 12:00:00 11111111
  Count on
  please\x1b[2J

[assistant] 12:00:01 22222222
  Sure.
  → Bash: seq 3 cat seq
  → mcp: {"n":1}
  → ExitPlanMode
  ← Bash: 1 (2 more lines)
  ← mcp: failed: no such thing

[note] 12:00:04 66666666
  <reminder> ` + strings.Repeat("x", 46) + `…

[assistant (subagent a1)] 12:00:05 77777777
  From below
`
	if got := b.String(); got != want {
		t.Errorf("%s", cmp.Diff(want, got))
	}
}

func TestShellWord(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"/a/b-1.c": "/a/b-1.c", "/a b": "'/a b'", "/it's": `'/it'\''s'`, "": "''", "/ü": "/ü", "/a;b": "'/a;b'"} {
		if got := shellWord(path); got != want {
			t.Errorf("shellWord(%q) = %s, want %s", path, got, want)
		}
	}
}

func TestNumberAndAge(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for n, want := range map[int]string{0: "-", 9999: "9999", 10_000: "10k", 999_999: "999k", 1_250_000: "1.2M", 12_000_000: "12M"} {
		if got := number(n); got != want {
			t.Errorf("number(%d) = %s, want %s", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		-time.Hour: "now", time.Minute: "1m", 2 * time.Hour: "2h", 99 * 24 * time.Hour: "99d", 100 * 24 * time.Hour: "2026-03",
	} {
		if got := age(d, at); got != want {
			t.Errorf("age(%v) = %s, want %s", d, got, want)
		}
	}
	if got := age(time.Hour, time.Time{}); got != "-" {
		t.Errorf("age of no time is %s", got)
	}
}
