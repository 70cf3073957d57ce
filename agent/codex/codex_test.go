package codex_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"entire/agent"
	"entire/agent/check"
	"entire/agent/codex"
	"entire/agent/conversation"
	"entire/agent/internal/agenttest"
)

const (
	session = "01a20edc-f218-72a0-8650-fb0e34414f8d"
	helper  = "01a20edc-f3a2-7620-9ee6-cbfaa869240e"
	day     = "/home/dana/.codex/sessions/2026/11/24/"
	rollout = day + "rollout-2026-11-24T19-41-30-" + session + ".jsonl" // one hour east of UTC
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDecode(t *testing.T) {
	t.Parallel()
	shell := agent.Event{Type: agent.ToolStart, ToolName: "Bash", ToolUseID: "call_b2", ToolInput: []byte(`{"command":"git commit -qm x"}`)}
	ran := shell
	ran.Type = agent.ToolEnd
	helped := ran
	helped.AgentID = helper
	started := agent.Event{Type: agent.TaskStart, AgentID: helper, SubagentType: "default", Launched: true, OwnSession: true}
	asked := started
	asked.Description = "Write the notes"
	none := agent.Event{}
	n := -1
	notified := agent.Event{Type: agent.TurnEnd, Prompt: "Make it red", Answer: "Ready."}
	agenttest.DecodeAll(t, codex.New(), read(t, "payloads.jsonl"), []agent.Event{
		{Type: agent.SessionStart, Source: "resume", Model: "gpt-5.5"},
		{Type: agent.TurnStart, Prompt: "Add a cart"},
		shell,
		ran,
		started,
		asked,
		helped,
		{Type: agent.TaskEnd, AgentID: helper, SubagentType: "default", OwnSession: true, Answer: "Notes are written."},
		none, // without the subagent's ID
		{Type: agent.TurnEnd},
		{Type: agent.TurnEnd, Source: "no transcript"},
		{Type: agent.TurnEnd},
		none,
		none,
		notified,
		none,
		{Type: agent.SessionEnd, Reason: "other"},
	}, func(ev *agent.Event) {
		n++
		ev.AgentType, ev.SessionID, ev.Dir = agent.AgentTypeCodex, agenttest.Session(t, session), "/home/dana/shop"
		switch {
		case reflect.DeepEqual(ev.Prompt, notified.Prompt):
		case ev.Source == "no transcript":
			ev.Source, ev.Mode = "", "default"
		case ev.AgentID != "" && ev.Type != agent.TaskEnd: // the payload names the subagent's own transcript
			ev.Mode = "default"
		default:
			ev.TranscriptPath, ev.Mode = rollout, "default"
		}
	})
	if n < 10 {
		t.Errorf("%d events were compared", n+1)
	}
}

func TestHooks(t *testing.T) {
	t.Parallel()
	agenttest.RoundTrips(t, codex.New())
	for src, want := range map[string]bool{
		"": false, "[features]\nhooks = false # no\n": true, "features.hooks=false": true, "[features]\nhooks = true\n": false,
		"[other]\nhooks = false\n": false, "hooks = false": false,
	} {
		if got := codex.New().SwitchedOff([]byte(src)); got != want {
			t.Errorf("SwitchedOff(%q) = %v", src, got)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	a, sid := codex.New(), agenttest.Session(t, session)
	if got, want := a.TranscriptPath("/home/dana", "/home/dana/shop", sid), day+"rollout-2026-11-24T18-41-30-"+session+".jsonl"; got != want {
		t.Errorf("TranscriptPath = %s", got)
	}
	for name, want := range map[string]bool{filepath.Base(rollout): true, filepath.Base(rollout) + ".zst": true, session + ".jsonl": false, "rollout-x-" + helper + ".jsonl": false} {
		if got := a.OwnsFile(name, sid); got != want {
			t.Errorf("OwnsFile(%s) = %v", name, got)
		}
	}
	got := a.SubagentTranscripts(rollout, sid, helper)
	want := []string{day + "rollout-2026-11-24T19-41-31-" + helper + ".jsonl", day + "rollout-2026-11-24T19-41-32-" + helper + ".jsonl"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("SubagentTranscripts = %s", got)
	}
	for _, bad := range []string{"", "../../up", "not-a-uuid", strings.Repeat("-", 36)} {
		if got := a.SubagentTranscripts(rollout, sid, bad); got != nil {
			t.Errorf("the subagent %q has the transcripts %s", bad, got)
		}
	}
	if days := a.SessionFolders("/r", sid); !slices.Equal(days, []string{"/r/2026/11/24", "/r/2026/11/25"}) {
		t.Errorf("SessionFolders = %s", days)
	}
	if of, ok := agent.TypeByLocation(rollout); !ok || of != agent.AgentTypeCodex {
		t.Errorf("the transcript's place is that of %s", of)
	}
	if got := a.FileName(sid, read(t, "rollout.jsonl")); got != "rollout-2026-11-24T18-41-30-"+session+".jsonl" {
		t.Errorf("FileName = %s", got)
	}
}

func calls(records []agent.Record) map[string]agent.Call {
	out := map[string]agent.Call{}
	for _, r := range records {
		for _, p := range r.Parts {
			if p.Kind == agent.CallPart {
				out[p.Call.ID] = p.Call
			}
		}
	}
	return out
}

func TestRecords(t *testing.T) {
	t.Parallel()
	records := agenttest.RecordsOf(t, codex.New(), read(t, "rollout.jsonl"))
	of := calls(records)
	if got, want := of["call_1"].Edits, []agent.Edit{
		{Path: "cart.py", Texts: []string{"items = []\ntotal = 0\n"}},
		{Path: "shop.py"},
		{Path: "market.py", Texts: []string{"new = 2\n", "more = 3\n"}, Replaced: []string{"old = 1\n"}},
		{Path: "gone.py"},
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("the patch is\n%+v\nwant\n%+v", got, want)
	}
	if c := of["call_2"]; c.Command != "echo a > a.txt" {
		t.Errorf("the command is %+v", c)
	}
	if c := of["call_3"]; c.Command != "" || !reflect.DeepEqual(c.Edits, []agent.Edit{{Path: "sub/b.txt", Texts: []string{"b\n"}}}) {
		t.Errorf("the patch in a command is %+v", c)
	}
	if !of["call_4"].Reads || !of["call_5"].Starts {
		t.Errorf("the plan is %+v, the subagent %+v", of["call_4"], of["call_5"])
	}
	failed, agents := map[string]bool{}, 0
	for _, r := range records {
		for _, p := range r.Parts {
			if p.Kind == agent.ResultPart {
				failed[p.CallID] = failed[p.CallID] || p.Failed
				agents += len(p.AgentIDs)
			}
		}
	}
	if failed["call_1"] || !failed["call_2"] || failed["call_3"] || agents != 1 {
		t.Errorf("failed are %v, subagents %d", failed, agents)
	}
}

// TestFileChange reads what Codex reports of a patch that it has made, and of a command that goes on.
func TestFileChange(t *testing.T) {
	t.Parallel()
	records := agenttest.RecordsOf(t, codex.New(), []byte(`{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"FileChange","id":"c1","status":"completed","changes":{`+
		`"/w/new.py":{"type":"add","content":"a\nb\n"},"/w/old.py":{"type":"delete","content":"c\n"},`+
		`"/w/was.py":{"type":"update","unified_diff":"@@ -1,2 +1,2 @@\n keep\n-d\n+e\n","move_path":"/w/now.py"}}}}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"FileChange","id":"c2","status":"failed","changes":{"/w/x.py":{"type":"add","content":"a\n"}}}}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"c3","output":"Chunk ID: 1\nWall time: 1 seconds\nProcess running with session ID 7\nOutput:\nready"}}
`))
	want := []agent.Edit{
		{Path: "/w/new.py", Texts: []string{"a\nb\n"}},
		{Path: "/w/old.py", Replaced: []string{"c\n"}},
		{Path: "/w/now.py", Texts: []string{"e\n"}, Replaced: []string{"d\n"}},
	}
	if len(records) != 3 || len(records[0].Parts) != 1 || records[0].Parts[0].CallID != "c1" || !reflect.DeepEqual(records[0].Parts[0].Edits, want) {
		t.Fatalf("the changes are %+v", records)
	}
	if len(records[1].Parts) > 0 || !records[2].Parts[0].Running || records[2].Parts[0].Failed {
		t.Errorf("the failed patch is %+v, the command %+v", records[1].Parts, records[2].Parts)
	}
}

func TestConversation(t *testing.T) {
	t.Parallel()
	text := read(t, "rollout.jsonl")
	c := conversation.Conversation{Agent: agent.AgentTypeCodex}
	agent.EachFinalLine(text, func(line []byte) { c.AddLine(line) })
	if !reflect.DeepEqual(c.Prompts, []string{"Add a cart", "Make it red"}) || c.Model != "gpt-5.5" || c.Version != "0.169.0" || c.LastAssistant != "Ready." {
		t.Errorf("the conversation is %+v", c)
	}
	want := agent.TokenUsage{InputTokens: 1007 + 82 + 100, CacheReadTokens: 311 + 1318 + 1400, OutputTokens: 41 + 30 + 5, APICallCount: 3}
	if got := c.Usage(); got != want {
		t.Errorf("the usage is %+v, not %+v", got, want)
	}
	var sum agent.TokenUsage
	for _, m := range conversation.Normalize(agent.AgentTypeCodex, text) {
		if m.Usage != nil {
			sum = sum.Add(*m.Usage)
		}
		if m.Role == agent.RoleUser && !m.Injected && m.Content != "Add a cart" && m.Content != "Make it red" {
			t.Errorf("a person is said to have typed %q", m.Content)
		}
	}
	if sum != want {
		t.Errorf("the messages' usage is %+v, not %+v", sum, want)
	}
}

// A rollout of a subagent says so in its first line only.
func TestSubagentPassages(t *testing.T) {
	t.Parallel()
	text := bytes.Replace(read(t, "rollout.jsonl"), []byte(`"id":"`+session+`"`), []byte(`"id":"`+helper+`"`), 1)
	text = bytes.Replace(text, []byte(`"source":"exec"`), []byte(`"source":{"subagent":{"thread_spawn":{"depth":1}}}`), 1)
	n := 0
	for _, p := range conversation.Passages(agent.AgentTypeCodex, text) {
		if n++; p.Chain != helper {
			t.Errorf("a passage is of %q: %+v", p.Chain, p)
		}
	}
	if n < 5 {
		t.Errorf("%d passages", n)
	}
}

func TestFork(t *testing.T) {
	t.Parallel()
	text := read(t, "rollout.jsonl")
	var out bytes.Buffer
	if err := check.Fork(agent.AgentTypeCodex, bytes.NewReader(text), &out, "ctc_1", ""); err != nil {
		t.Fatal(err)
	}
	cut := out.Bytes()
	if !bytes.Contains(cut, []byte("ctco_1")) || bytes.Contains(cut, []byte("fc_2")) || bytes.Contains(cut, []byte("Make it red")) {
		t.Errorf("the cut is\n%s", cut)
	}
	out.Reset()
	if err := check.Fork(agent.AgentTypeCodex, bytes.NewReader(text), &out, "", helper); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(out.Bytes(), []byte(session)) {
		t.Errorf("a fork names the session that it comes from")
	}
}

// TestRecordsOfAScript: Codex tells the calls of a script in lines of their own, each when it has ended.
func TestRecordsOfAScript(t *testing.T) {
	t.Parallel()
	agenttest.GoldenRecords(t, codex.New(), "rollout-script.jsonl")
}

func FuzzRecords(f *testing.F) {
	agenttest.FuzzReader(f, codex.New(), append(read(f, "rollout.jsonl"), read(f, "rollout-script.jsonl")...))
}
