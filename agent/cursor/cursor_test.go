package cursor_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/cursor"
	"entire/agent/internal/agenttest"
	"entire/agent/internal/jsontext"
)

const (
	session = "3b8f7f0a-1f9e-4a63-8f0b-0a8f0f6f2f22"
	common  = `"conversation_id":"` + session + `","generation_id":"g1","model":"default","cursor_version":"3.1.0","workspace_roots":["/home/dana/shop"],"user_email":null`
)

func TestDecode(t *testing.T) {
	t.Parallel()
	event := func(e agent.Event) agent.Event {
		e.SessionID, e.Dir = agenttest.Session(t, session), "/home/dana/shop"
		return e
	}
	path := "/home/dana/.cursor/projects/home-dana-shop/agent-transcripts/" + session + "/" + session + ".jsonl"
	agenttest.Decode(t, cursor.New(), map[string]agenttest.DecodeRow{
		"a session starts": {Verb: "session-start", Payload: `{` + common + `,"session_id":"` + session + `","is_background_agent":false,"composer_mode":"agent"}`,
			Want: event(agent.Event{Type: agent.SessionStart, Model: "default"})},
		"a prompt": {Verb: "before-submit-prompt", Payload: `{` + common + `,"prompt":"Add a total","attachments":[],"transcript_path":"` + path + `"}`,
			Want: event(agent.Event{Type: agent.TurnStart, Prompt: "Add a total", TranscriptPath: path})},
		"an empty cwd": {Verb: "before-submit-prompt", Payload: `{` + common + `,"cwd":"","prompt":"Add a total","transcript_path":null}`,
			Want: event(agent.Event{Type: agent.TurnStart, Prompt: "Add a total"})},
		"a call": {Verb: "pre-tool-use", Payload: `{` + common + `,"tool_name":"Write","tool_input":{}}`, Want: event(agent.Event{Type: agent.TurnStart, Implied: true})},
		"a command": {Verb: "pre-tool", Payload: `{` + common + `,"command":"rm -r x"}`,
			Want: event(agent.Event{Type: agent.ToolStart, ToolName: "Shell", ToolInput: json.RawMessage(`{"command":"rm -r x"}`)})},
		"a command has ended": {Verb: "post-tool", Payload: `{` + common + `,"command":"git commit -m x","output":"","duration":12}`,
			Want: event(agent.Event{Type: agent.ToolEnd, ToolName: "Shell", ToolInput: json.RawMessage(`{"command":"git commit -m x"}`)})},
		"a turn ends": {Verb: "stop", Payload: `{` + common + `,"status":"completed","loop_count":0,"input_tokens":1200,"output_tokens":90,"cache_read_tokens":800,"cache_write_tokens":10}`,
			Want: event(agent.Event{Type: agent.TurnEnd, Implied: true, UsageReport: "g1",
				Usage: agent.TokenUsage{InputTokens: 390, OutputTokens: 90, CacheReadTokens: 800, CacheCreationTokens: 10}})},
		"a turn ends, and the cache counts apart": {Verb: "stop", Payload: `{` + common + `,"input_tokens":5,"output_tokens":"90","cache_read_tokens":800,"cache_write_tokens":-1}`,
			Want: event(agent.Event{Type: agent.TurnEnd, Implied: true, UsageReport: "g1", Usage: agent.TokenUsage{InputTokens: 5, CacheReadTokens: 800}})},
		"a session ends": {Verb: "session-end", Payload: `{` + common + `,"session_id":"` + session + `","reason":"completed","duration_ms":5}`,
			Want: event(agent.Event{Type: agent.SessionEnd, Reason: "completed"})},
	})
	agenttest.Refuses(t, cursor.New())
}

// TestPathsOfWindows has the forms in which Cursor writes them.
func TestPathsOfWindows(t *testing.T) {
	t.Parallel()
	shop := jsontext.LocalPath("c:/Users/dana/shop")
	transcript := jsontext.LocalPath("c:/Users/dana/t/" + session + ".jsonl")
	for _, root := range []string{`c:\\Users\\dana\\shop`, "/c:/Users/dana/shop", "file:///c%3A/Users/dana/shop"} {
		payload := `{"conversation_id":"` + session + `","cwd":"","workspace_roots":["` + root + `"],"prompt":"x","transcript_path":"C:\\Users\\dana\\t\\` + session + `.jsonl"}`
		ev, err := cursor.New().Decode("before-submit-prompt", []byte(payload), agenttest.HookTime)
		if err != nil || ev.Dir != shop || ev.TranscriptPath != transcript || len(ev.Warnings) > 0 {
			t.Errorf("%s: %v, in %s, transcript %s, %q", root, err, ev.Dir, ev.TranscriptPath, ev.Warnings)
		}
		line := `{"role":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Write","input":{"path":"` + root + `/cart.ts","contents":"x"}},` +
			`{"type":"tool_use","id":"t2","name":"Other","input":{"uri":"` + root + `/notes.md"}}]}}`
		records, ok := cursor.New().Records([]byte(line))
		if !ok || len(records) != 1 || len(records[0].Parts) != 2 {
			t.Fatalf("%+v", records)
		}
		edit, other := records[0].Parts[0].Call, records[0].Parts[1].Call
		if want := filepath.Join(shop, "cart.ts"); len(edit.Edits) != 1 || edit.Edits[0].Path != want {
			t.Errorf("%s: %+v, want %s", root, edit.Edits, want)
		}
		if want := filepath.Join(shop, "notes.md"); len(other.Files) != 1 || other.Files[0] != want {
			t.Errorf("%s: %q, want %s", root, other.Files, want)
		}
	}
}

// TestInstall has the events that the documentation names: an unknown one voids the file.
func TestInstall(t *testing.T) {
	t.Parallel()
	agenttest.RoundTrips(t, cursor.New())
	known := map[string]bool{"sessionStart": true, "sessionEnd": true, "beforeSubmitPrompt": true, "stop": true, "preToolUse": true, "postToolUse": true,
		"postToolUseFailure": true, "subagentStart": true, "subagentStop": true, "beforeShellExecution": true, "afterShellExecution": true, "beforeMCPExecution": true,
		"afterMCPExecution": true, "beforeReadFile": true, "afterFileEdit": true, "afterAgentResponse": true, "afterAgentThought": true, "preCompact": true}
	out, _, err := cursor.New().Install("", nil, agent.InstallOptions{})
	if err != nil || gjson.GetBytes(out, "version").Num != 1 || gjson.GetBytes(out, "hooks.stop.0.command").Str != "entire hooks cursor stop" {
		t.Fatalf("%v:\n%s", err, out)
	}
	gjson.GetBytes(out, "hooks").ForEach(func(event, _ gjson.Result) bool {
		if !known[event.Str] {
			t.Errorf("Cursor does not know %s", event.Str)
		}
		return true
	})
}

func TestTranscriptPlace(t *testing.T) {
	t.Parallel()
	a, sid := cursor.New(), agenttest.Session(t, session)
	path := a.TranscriptPath("/home/dana", "/home/dana/shop", sid)
	if want := "/home/dana/.cursor/projects/home-dana-shop/agent-transcripts/" + session + "/" + session + ".jsonl"; filepath.ToSlash(path) != want || !a.OwnsFile(path, sid) {
		t.Errorf("%s is not %s", path, want)
	}
	if of, known := agent.TypeByLocation(path); !known || of != agent.AgentTypeCursor {
		t.Errorf("a transcript there is that of %s", of)
	}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	agenttest.GoldenRecords(t, cursor.New(), "session.jsonl")
}

func FuzzRecords(f *testing.F) {
	lines, err := os.ReadFile(filepath.Join("testdata", "session.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	agenttest.FuzzReader(f, cursor.New(), lines)
}
