package droid_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/agent"
	"entire/agent/droid"
	"entire/agent/internal/agenttest"
)

const (
	session    = "4317abfc-7df7-41ee-8bc3-45ebd961ad05"
	transcript = "/home/dana/.factory/sessions/-home-dana-shop/" + session + ".jsonl"
	common     = `"session_id":"` + session + `","transcript_path":"` + transcript + `","cwd":"/home/dana/shop","permission_mode":"auto-low"`
)

func TestDecode(t *testing.T) {
	t.Parallel()
	event := func(e agent.Event) agent.Event {
		e.SessionID, e.Dir, e.TranscriptPath, e.Mode = agenttest.Session(t, session), "/home/dana/shop", transcript, "auto-low"
		return e
	}
	agenttest.Decode(t, droid.New(), map[string]agenttest.DecodeRow{
		"a session starts":     {Verb: "session-start", Payload: `{` + common + `,"source":"startup"}`, Want: event(agent.Event{Type: agent.SessionStart, Source: "startup"})},
		"a prompt":             {Verb: "user-prompt-submit", Payload: `{` + common + `,"message_id":"m1","prompt":"Add a total"}`, Want: event(agent.Event{Type: agent.TurnStart, Prompt: "Add a total"})},
		"a call":               {Verb: "pre-tool-use", Payload: `{` + common + `,"tool_name":"Create","tool_input":{"file_path":"cart.py"}}`, Want: event(agent.Event{Type: agent.TurnStart, Implied: true})},
		"a subagent has ended": {Verb: "user-prompt-submit", Payload: `{` + common + `,"prompt":"Background task completed.\ntask_id: t1"}`, Want: event(agent.Event{Type: agent.TurnContinues})},
		"a command":            {Verb: "pre-tool", Payload: `{` + common + `,"tool_name":"Execute","tool_input":{"command":"rm -r x"}}`, Want: event(agent.Event{Type: agent.ToolStart, ToolName: "Execute", ToolInput: json.RawMessage(`{"command":"rm -r x"}`)})},
		"a call has ended":     {Verb: "post-tool", Payload: `{` + common + `,"tool_name":"Execute","tool_input":{"command":"git commit -m x"},"tool_response":""}`, Want: event(agent.Event{Type: agent.ToolEnd, ToolName: "Execute", ToolInput: json.RawMessage(`{"command":"git commit -m x"}`)})},
		"a turn ends":          {Verb: "stop", Payload: `{` + common + `,"message_id":"m2","stop_hook_active":false}`, Want: event(agent.Event{Type: agent.TurnEnd, Implied: true})},
		"a session ends":       {Verb: "session-end", Payload: `{` + common + `,"reason":"other","message_count":20}`, Want: event(agent.Event{Type: agent.SessionEnd, Reason: "other"})},
		"fields in camelCase":  {Verb: "stop", Payload: `{"sessionId":"` + session + `","transcriptPath":"` + transcript + `","cwd":"/home/dana/shop","permissionMode":"auto-low"}`, Want: event(agent.Event{Type: agent.TurnEnd, Implied: true})},
	})
	agenttest.Refuses(t, droid.New())
}

func TestInstall(t *testing.T) {
	t.Parallel()
	agenttest.RoundTrips(t, droid.New())
}

func TestSubagentsNameTheirSession(t *testing.T) {
	t.Parallel()
	a := droid.New()
	parent, call, ok := a.ParentOf([]byte(`{"type":"session_start","id":"c1","callingSessionId":"` + session + `","callingToolUseId":"call_5"}`))
	if !ok || parent.String() != session || call != "call_5" {
		t.Errorf("%s, %q, %v", parent, call, ok)
	}
	for _, line := range []string{"", "{", `{"type":"session_start","id":"c1"}`, `{"callingSessionId":7}`, `{"callingSessionId":"../x"}`} {
		if _, _, ok := a.ParentOf([]byte(line)); ok {
			t.Errorf("%q names a session", line)
		}
	}
	ev := agent.Event{Type: agent.TurnStart, SessionID: agenttest.Session(t, "c1"), Implied: true, Prompt: "# Task"}
	ev.TurnIntoTaskOf(parent, call, transcript)
	if ev.Type != agent.TaskStart || ev.SessionID != parent || ev.AgentID != "c1" || ev.ToolUseID != "call_5" || ev.Prompt != "" || ev.Implied {
		t.Errorf("%+v", ev)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	a := droid.New()
	if got := a.UsageFile(transcript); got != "/home/dana/.factory/sessions/-home-dana-shop/"+session+".settings.json" {
		t.Error(got)
	}
	u, ok := a.Usage([]byte(`{"tokenUsage":{"inputTokens":5105,"outputTokens":215,"cacheCreationTokens":3,"cacheReadTokens":1665,"thinkingTokens":0},"inclusiveTokenUsage":{"inputTokens":9}}`))
	if want := (agent.TokenUsage{InputTokens: 5105, OutputTokens: 215, CacheCreationTokens: 3, CacheReadTokens: 1665}); !ok || u != want {
		t.Errorf("%+v, %v", u, ok)
	}
	for _, bad := range []string{"", "{", "{}", `{"tokenUsage":7}`} {
		if _, ok := a.Usage([]byte(bad)); ok {
			t.Errorf("%q has tokens", bad)
		}
	}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	agenttest.GoldenRecords(t, droid.New(), "session.jsonl")
}

func FuzzRecords(f *testing.F) {
	lines, err := os.ReadFile(filepath.Join("testdata", "session.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	agenttest.FuzzReader(f, droid.New(), lines)
}

// TestSubagentsAreFound: a result names the subagent's session, in the foreground and in the background, and
// the first line of the subagent's transcript says whose it is.
func TestSubagentsAreFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"session_id: s-1\nNotes are written.":                                                "s-1",
		"Task launched in background.\ntask_id: t-1\nsession_id: s-2\nsubagent_type: worker": "s-2",
		"The file says:\nsession_id: s-3":                                                    "",
		"session_id: ../x\n":                                                                 "",
	} {
		line, _ := json.Marshal(map[string]any{"type": "message", "id": "m", "message": map[string]any{"role": "user",
			"content": []any{map[string]any{"type": "tool_result", "tool_use_id": "c", "content": text}}}})
		records, ok := droid.New().Records(line)
		if !ok || len(records) != 1 || len(records[0].Parts) != 1 {
			t.Fatalf("%q: %+v, %v", text, records, ok)
		}
		if got := strings.Join(records[0].Parts[0].AgentIDs, " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	const first = `{"type":"session_start","id":"s-1","callingSessionId":"s-0","callingToolUseId":"c"}`
	if records, _ := droid.New().Records([]byte(first)); len(records) != 1 || !records[0].OwnTranscript || records[0].Subagent != "s-1" {
		t.Errorf("%+v", records)
	}
}
