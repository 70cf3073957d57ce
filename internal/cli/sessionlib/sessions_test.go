package sessionlib

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
	"entire/internal/cli/clitest"
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

func TestMergeMakesOneSessionOfAllThatIsKnown(t *testing.T) {
	t.Parallel()
	later, ended := clitest.Noon.Add(time.Hour), clitest.Noon.Add(2*time.Hour)
	linked := func(id string) resume.Session {
		return resume.Session{ID: id, Description: "Do it", Strategy: "manual-commit", StartTime: clitest.Noon,
			Checkpoints: []resume.Checkpoint{{Message: "Done", Timestamp: later}}}
	}
	stored := func(id string) session.SessionMetadata {
		return session.SessionMetadata{ID: id, Title: "Do it", AgentType: agent.AgentTypeClaudeCode, CreatedAt: clitest.Noon, UpdatedAt: later, MessageCount: 4, TurnCount: 1, TotalTokens: 10}
	}
	over := stored("a")
	over.EndedAt = &ended
	state := func(phase session.Phase) *session.State {
		return &session.State{SessionID: sessionIDOf(t, "a"), StartedAt: clitest.Noon, Phase: phase, EndedAt: &ended}
	}
	more := stored("a")
	more.MessageCount = 9
	for _, test := range []struct {
		name    string
		known   Known
		state   string
		sources string
		n       int // messages
	}{
		{"in the store, not ended", Known{Stored: []session.SessionMetadata{stored("a")}}, StateIdle, "store", 4},
		{"in the store, ended", Known{Stored: []session.SessionMetadata{over}}, stateEnded, "store", 4},
		{"only in commits", Known{linked: []resume.Session{linked("a")}}, stateLinked, "git", 0},
		{"only in commits, with its messages", Known{ingit: []session.SessionMetadata{more}, linked: []resume.Session{linked("a")}}, stateLinked, "git", 9},
		{"active, whatever the store says", Known{Stored: []session.SessionMetadata{over}, states: []*session.State{state(session.PhaseActive)}}, StateActive, "store state", 4},
		{"between turns, and in commits", Known{linked: []resume.Session{linked("a")}, states: []*session.State{state(session.PhaseIdle)}}, StateIdle, "git state", 0},
		{"over, and in no commit", Known{states: []*session.State{state(session.PhaseEnded)}}, stateEnded, "state", 0},
		{"over, and in commits", Known{Stored: []session.SessionMetadata{over}, linked: []resume.Session{linked("a")}, states: []*session.State{state(session.PhaseEnded)}}, stateLinked, "store git state", 4},
		{"more came with git than is here", Known{Stored: []session.SessionMetadata{over}, ingit: []session.SessionMetadata{more}}, stateLinked, "store git", 9},
	} {
		all := test.known.Merge()
		if len(all) != 1 {
			t.Errorf("%s: %d sessions", test.name, len(all))
			continue
		}
		s := all[0]
		if s.State != test.state || strings.Join(s.Sources, " ") != test.sources || s.Messages != test.n || !s.Started.Equal(clitest.Noon) {
			t.Errorf("%s: %s, %q, %d messages, begun %v; want %s, %q, %d", test.name, s.State, s.Sources, s.Messages, s.Started, test.state, test.sources, test.n)
		}
	}
}

// A session that goes on is not over, though it ended once.
func TestMergeOfASessionThatCameBack(t *testing.T) {
	t.Parallel()
	ended := clitest.Noon
	k := Known{
		Stored: []session.SessionMetadata{{ID: "a", CreatedAt: clitest.Noon, UpdatedAt: clitest.Noon, EndedAt: &ended, ExitReason: "exit"}},
		states: []*session.State{{SessionID: sessionIDOf(t, "a"), StartedAt: clitest.Noon, Phase: session.PhaseActive}},
	}
	if s := k.Merge()[0]; s.Ended != nil || s.Reason != "" {
		t.Errorf("ended %v, %q", s.Ended, s.Reason)
	}
}

func TestPick(t *testing.T) {
	t.Parallel()
	all := []ListedSession{{ID: "abc"}, {ID: "abcd"}, {ID: "xyz"}}
	var ambiguous *resume.AmbiguousSessionError
	for prefix, want := range map[string]string{"abc": "abc", "abcd": "abcd", "x": "xyz", "xyz": "xyz"} {
		if got, err := Pick(all, prefix); err != nil || got.ID != want {
			t.Errorf("pick(%q) = %q, %v", prefix, got.ID, err)
		}
	}
	if _, err := Pick(all, "ab"); !errors.As(err, &ambiguous) || !slices.Equal(ambiguous.IDs, []string{"abc", "abcd"}) {
		t.Errorf("pick(ab): %v", err)
	}
	for _, prefix := range []string{"", "q", "abcde"} {
		if _, err := Pick(all, prefix); !errors.Is(err, resume.ErrNoSession) {
			t.Errorf("pick(%q): %v", prefix, err)
		}
	}
}

func TestSessionTable(t *testing.T) {
	t.Parallel()
	all := []ListedSession{
		{ID: "2026-03-04-aaaa", Agent: agent.AgentTypeClaudeCode, Model: "claude-sonnet-4-5-20250929", State: StateActive, Updated: clitest.Noon.Add(-5 * time.Minute), Messages: 12, Turns: 3, Tokens: 1_234_567,
			Title: "Make the tests of the importer pass on every machine"},
		{ID: "2026-03-04-bbbb", Agent: agent.AgentTypeGemini, State: stateLinked, Updated: clitest.Noon.AddDate(-1, 0, 0), Parent: "x", Model: "gemini-3\x1b[2J", Title: "Evil \x1b[31m\ntitle"},
		{ID: "6e1f0d2a-0000", Updated: clitest.Noon, State: stateEnded, Messages: 123_456},
		{ID: "7e1f0d2a-0000", Agent: "My \x1bAgent", Updated: clitest.Noon, State: stateEnded, Title: "Mine"},
		{ID: "8e1f0d2a-0000", Agent: "The agent of a long name", Updated: clitest.Noon, State: stateEnded, Title: "Long"},
	}
	want := `ID            AGENT         STATE   WHEN     MSGS  TURNS  TOKENS  TITLE
2026-03-04-a  Claude        active  5m         12      3    1.2M  Make the tes…
2026-03-04-b  Gemini        linked  2025-03     -      -       -  ↳ Evil \x1b[…
6e1f0d2a-000  -             ended   now      123k      -       -  (no prompt)
7e1f0d2a-000  My \x1bAgent  ended   now         -      -       -  Mine
8e1f0d2a-000  The agent o…  ended   now         -      -       -  Long
`
	if got := SessionTable(all, term.Terminal{}, 79, clitest.Noon, false); got != want {
		t.Error(cmp.Diff(want, got))
	}
	want = `ID            AGENT         STATE   WHEN     MSGS  TURNS  TOKENS  MODEL                 TITLE
2026-03-04-a  Claude        active  5m         12      3    1.2M  claude-sonnet-4-5-2…  Make the tests of the importer …
2026-03-04-b  Gemini        linked  2025-03     -      -       -  gemini-3\x1b[2J       ↳ Evil \x1b[31m title
6e1f0d2a-000  -             ended   now      123k      -       -  -                     (no prompt)
7e1f0d2a-000  My \x1bAgent  ended   now         -      -       -  -                     Mine
8e1f0d2a-000  The agent o…  ended   now         -      -       -  -                     Long
`
	if got := SessionTable(all, term.Terminal{}, 120, clitest.Noon, false); got != want {
		t.Error(cmp.Diff(want, got))
	}
}

func TestConversationForPeople(t *testing.T) {
	t.Parallel()
	at := func(s int) time.Time { return time.Date(2026, 3, 4, 12, 0, s, 0, time.Local) }
	var b strings.Builder
	tw := NewConversationWriter(&b, term.Terminal{}, 60, "/home/me/app")
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
