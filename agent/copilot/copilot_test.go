package copilot_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/conversation"
	"entire/agent/copilot"
	"entire/agent/internal/agenttest"
)

const (
	session  = "9f0c6f1e-5a0f-4a52-9a43-1fb6a9d9a001"
	subagent = "26544483-40a7-4a40-b5d6-5e2f869525b7"
	events   = "/home/dana/.copilot/session-state/" + session + "/events.jsonl"
	common   = `"sessionId":"` + session + `","timestamp":1795511187606,"cwd":"/home/dana/shop"`
	ofSub    = `"timestamp":1795511187606,"cwd":"/home/dana/shop","agentId":"` + subagent + `","agentType":"general-purpose","parentAgentId":"` + session + `"`
	settled  = `"timestamp":1795511187606`
)

func TestDecode(t *testing.T) {
	t.Parallel()
	event := func(e agent.Event) agent.Event {
		e.SessionID, e.Dir = agenttest.Session(t, session), "/home/dana/shop"
		return e
	}
	agenttest.Decode(t, copilot.New(), map[string]agenttest.DecodeRow{
		"a session starts": {Verb: "session-start", Payload: `{` + common + `,"source":"new","initialPrompt":"Add a total"}`,
			Want: event(agent.Event{Type: agent.SessionStart, Source: "new", Time: time.UnixMilli(1795511187606)})},
		"a prompt": {Verb: "user-prompt-submitted", Payload: `{` + common + `,"prompt":"Add a total"}`,
			Want: event(agent.Event{Type: agent.TurnStart, Prompt: "Add a total"})},
		"a call ends": {Verb: "post-tool",
			Payload: `{` + common + `,"toolName":"bash","toolArgs":{"command":"git commit -m x"},"toolResult":{"resultType":"success","textResultForLlm":""}}`,
			Want:    event(agent.Event{Type: agent.ToolEnd, ToolName: "bash", ToolInput: json.RawMessage(`{"command":"git commit -m x"}`)})},
		"arguments as text": {Verb: "post-tool", Payload: `{` + common + `,"toolName":"bash","toolArgs":"{\"command\":\"ls\"}"}`,
			Want: event(agent.Event{Type: agent.ToolEnd, ToolName: "bash", ToolInput: json.RawMessage(`{"command":"ls"}`)})},
		"a subagent's call ends": {Verb: "post-tool", Payload: `{"sessionId":"` + subagent + `",` + ofSub + `,"toolName":"bash","toolArgs":{}}`,
			Want: event(agent.Event{Type: agent.ToolEnd, ToolName: "bash", AgentID: subagent, ToolInput: json.RawMessage(`{}`)})},
		"a subagent starts": {Verb: "subagent-start", Payload: `{` + common + `,"transcriptPath":"` + events + `","agentName":"general-purpose","agentId":"` + subagent + `","agentType":"general-purpose"}`,
			Want: event(agent.Event{Type: agent.TaskStart, TranscriptPath: events, AgentID: subagent, SubagentType: "general-purpose", Launched: true, OwnSession: true})},
		"a subagent's prompt": {Verb: "user-prompt-submitted", Payload: `{"sessionId":"` + subagent + `",` + ofSub + `,"prompt":"Write the notes"}`,
			Want: event(agent.Event{Type: agent.TaskStart, AgentID: subagent, SubagentType: "general-purpose", Description: "Write the notes", Launched: true, OwnSession: true})},
		"a subagent's turn ends": {Verb: "agent-stop", Payload: `{"sessionId":"` + subagent + `",` + ofSub + `,"transcriptPath":"` + events + `","stopReason":"end_turn","stop_hook_active":false}`,
			Want: event(agent.Event{Type: agent.TaskEnd, TranscriptPath: events, AgentID: subagent, SubagentType: "general-purpose", OwnSession: true, Settled: settled})},
		"a subagent ends": {Verb: "subagent-stop", Payload: `{` + common + `,"transcriptPath":"` + events + `","agentId":"` + subagent + `","agentType":"general-purpose","response":"Done."}`,
			Want: event(agent.Event{Type: agent.TaskEnd, TranscriptPath: events, AgentID: subagent, SubagentType: "general-purpose", OwnSession: true, Settled: settled})},
		"a turn ends": {Verb: "agent-stop", Payload: `{` + common + `,"transcriptPath":"` + events + `","stopReason":"end_turn","stop_hook_active":false}`,
			Want: event(agent.Event{Type: agent.TurnEnd, TranscriptPath: events, Settled: settled})},
		"a session ends": {Verb: "session-end", Payload: `{` + common + `,"reason":"complete"}`,
			Want: event(agent.Event{Type: agent.SessionEnd, Reason: "complete", Settled: settled})},
		"a subagent's session ends": {Verb: "session-end", Payload: `{"sessionId":"` + subagent + `",` + ofSub + `,"reason":"complete"}`},
		"fields of the wrong type": {Verb: "agent-stop", Payload: `{"sessionId":"` + session + `","timestamp":"now","cwd":7,"transcriptPath":{},"agentId":[]}`,
			Want: agent.Event{Type: agent.TurnEnd, SessionID: agenttest.Session(t, session),
				Warnings: []string{"cwd is not a string: ignored", "transcriptPath is not a string: ignored", "agentId is not a string: ignored"}}},
		"only a transcript": {Verb: "agent-stop", Payload: `{"transcriptPath":"` + events + `"}`,
			Want: agent.Event{Type: agent.TurnEnd, SessionID: agenttest.Session(t, session), TranscriptPath: events, Warnings: []string{"no session_id: taken from transcript_path"}}},
	})
	agenttest.Refuses(t, copilot.New())
}

func TestInstall(t *testing.T) {
	t.Parallel()
	a := copilot.New()
	agenttest.RoundTrips(t, a)
	out, _, err := a.Install("", nil, agent.InstallOptions{})
	if err != nil || gjson.GetBytes(out, "version").Num != 1 || gjson.GetBytes(out, "hooks.agentStop.0.command").Str != "entire hooks copilot agent-stop" {
		t.Fatalf("%v:\n%s", err, out)
	}
	if gjson.GetBytes(out, "hooks.preToolUse").Exists() {
		t.Error("a failing preToolUse hook would refuse every call")
	}
}

func TestTranscriptPlace(t *testing.T) {
	t.Parallel()
	a, sid := copilot.New(), agenttest.Session(t, session)
	path := a.TranscriptPath("/home/dana", "/home/dana/shop", sid)
	if path != filepath.FromSlash(events) || !a.OwnsFile(path, sid) {
		t.Errorf("the transcript is expected at %s", path)
	}
	if folder := a.Folders("/home/dana", "/x", nil)[0]; filepath.Join(folder, a.FileName(sid, nil)) != path {
		t.Errorf("%s in %s is not %s", a.FileName(sid, nil), folder, path)
	}
	if a.OwnsFile("/home/dana/.copilot/session-state/other/events.jsonl", sid) || a.OwnsFile("events.jsonl", sid) {
		t.Error("another session's transcript is taken for it")
	}
	if got := a.ResumeCommand(sid); got != "copilot --resume="+session {
		t.Error(got)
	}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	agenttest.GoldenRecords(t, copilot.New(), "events.jsonl")
	agenttest.GoldenRecords(t, copilot.New(), "vscode.jsonl")
}

func FuzzRecords(f *testing.F) {
	transcript, err := os.ReadFile(filepath.Join("testdata", "events.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	agenttest.FuzzReader(f, copilot.New(), transcript)
}

// TestPassagesAfterASubagent: what a subagent used is no sign that the rest of the transcript is the subagent's.
func TestPassagesAfterASubagent(t *testing.T) {
	t.Parallel()
	const text = `{"type":"user.message","id":"1","data":{"content":"Ask a helper"}}
{"type":"session.usage_record","id":"2","agentId":"a1","data":{"usage":{"inputTokens":1,"outputTokens":1}}}
{"type":"assistant.message","id":"3","agentId":"a1","data":{"content":"Helped."}}
{"type":"assistant.message","id":"4","data":{"content":"Done."}}
`
	var got []string
	for _, p := range conversation.Passages(agent.AgentTypeCopilot, []byte(text)) {
		got = append(got, p.Chain+"|"+p.Text)
	}
	if want := []string{"|Ask a helper", "a1|Helped.", "|Done."}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
