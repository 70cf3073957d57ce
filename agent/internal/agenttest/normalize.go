package agenttest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/agent"
)

// Lines makes a transcript of records.
func Lines(records ...string) []byte { return []byte(strings.Join(records, "\n") + "\n") }

type normalizeRow struct {
	Name       string
	Agent      agent.AgentType
	Transcript []byte
	Want       string
}

var NormalizeRows = []normalizeRow{
	{"a turn with a tool", agent.AgentTypeClaudeCode, Lines(
		`{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"add a total"}}`,
		`{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"m1","model":"x","content":[{"type":"text","text":"Now."}],"usage":{"input_tokens":10,"output_tokens":1}}}`,
		`{"type":"assistant","uuid":"a2","parentUuid":"a1","message":{"id":"m1","model":"x","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"a.go"}}],"usage":{"input_tokens":10,"output_tokens":7}}}`,
		`{"type":"user","uuid":"r1","parentUuid":"a2","message":{"content":[{"tool_use_id":"t1","type":"tool_result","content":"done"}]},"toolUseResult":{"a":1}}`,
	), `u1< user add a total
a1<u1 assistant Now. used:[10,1,1]
a2<a1 assistant  call:t1:Edit:{"file_path":"a.go"} used:[0,6,0]
r1<a2 tool done for:t1:Edit
`},
	{"records without a message are skipped over", agent.AgentTypeClaudeCode, Lines(
		`{"type":"file-history-snapshot","messageId":"u1"}`,
		`{"type":"progress","uuid":"p0","parentUuid":null}`,
		`{"type":"progress","uuid":"p1","parentUuid":"p0"}`,
		`{"type":"user","uuid":"u1","parentUuid":"p1","message":{"content":"hi"}}`,
		`{"type":"attachment","uuid":"p2","parentUuid":"u1"}`,
		`{"type":"system","uuid":"p3","parentUuid":"p2"}`,
		`{"type":"not-yet-invented","uuid":"p4","parentUuid":"p3","message":7}`,
		`{"type":"assistant","uuid":"a1","parentUuid":"p4","message":{"id":"m1","content":"hello"}}`,
	), "u1< user hi\na1<u1 assistant hello used:[0,0,1]\n"},
	{"several results in one record", agent.AgentTypeClaudeCode, Lines(
		`{"type":"assistant","uuid":"a1","parentUuid":null,"message":{"content":[{"type":"tool_use","id":"t1","name":"Read","input":{}},{"type":"tool_use","id":"t2","name":"Bash","input":{}}]}}`,
		`{"type":"user","uuid":"r1","parentUuid":"a1","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"one"},{"type":"image","source":{}}]},{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":"no"},{"type":"text","text":"<system-reminder>x</system-reminder>"}]}}`,
		`{"type":"assistant","uuid":"a2","parentUuid":"r1","message":{"content":[{"type":"text","text":"fine"}]}}`,
	), `a1< assistant  call:t1:Read:{} call:t2:Bash:{}
r1<a1 tool one

[image] for:t1:Read
r1#2<r1 tool no for:t2:Bash error
r1#3<r1#2 user <system-reminder>x</system-reminder> injected
a2<r1#3 assistant fine
`},
	{"thought, notes, a stop", agent.AgentTypeClaudeCode, Lines(
		`{"type":"user","uuid":"u0","parentUuid":null,"isMeta":true,"message":{"content":"caveat"}}`,
		`{"type":"user","uuid":"u1","parentUuid":"u0","message":{"content":[{"type":"image","source":{"data":"AAAA"}},{"type":"text","text":"what is it"}]}}`,
		`{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"m1","content":[{"type":"thinking","thinking":"secret"}],"usage":{"input_tokens":3,"output_tokens":2}}}`,
		`{"type":"user","uuid":"u2","parentUuid":"a1","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}`,
	), `u0< user caveat injected
u1<u0 user [image]

what is it
a1<u1 assistant  used:[3,2,1]
u2<a1 user [Request interrupted by user] injected
`},
	{"a compaction", agent.AgentTypeClaudeCode, Lines(
		`{"type":"user","uuid":"u1","parentUuid":null,"message":{"content":"one"}}`,
		`{"type":"system","subtype":"compact_boundary","uuid":"b1","parentUuid":null,"logicalParentUuid":"u1"}`,
		`{"type":"user","uuid":"u2","parentUuid":"b1","isCompactSummary":true,"message":{"content":"This session is being continued"}}`,
	), "u1< user one\nu2<u1 user This session is being continued injected\n"},
	{"a subagent's lines", agent.AgentTypeClaudeCode, Lines(
		`{"type":"user","uuid":"u1","parentUuid":null,"message":{"content":"one"}}`,
		`{"type":"user","uuid":"s1","parentUuid":null,"isSidechain":true,"agentId":"a7","message":{"content":"task"}}`,
		`{"type":"assistant","uuid":"s2","parentUuid":"lost","isSidechain":true,"agentId":"a7","message":{"id":"m9","content":"done"}}`,
		`{"type":"assistant","uuid":"a1","parentUuid":"lost","message":{"id":"m1","content":"yes"}}`,
	), `u1< user one
s1< user task side:a7
s2<s1 assistant done side:a7 used:[0,0,1]
a1<u1 assistant yes used:[0,0,1]
`},
	{"repeated and malformed lines", agent.AgentTypeClaudeCode, Lines(
		`{"type":"user","uuid":"u1","parentUuid":null,"message":{"content":"one"}}`,
		`{"type":"user","uuid":"u1","parentUuid":null,"message":{"content":"one"}}`,
		`{"type":"assistant","uuid":"torn","parentUuid":"u1","message":{"conte`,
		`{"type":"assistant","uuid":"bad","parentUuid":"u1","message":{"content":tru}}`,
		`{"type":"assistant","uuid":"a1","parentUuid":"bad","message":{"id":"m1","content":"x"}}`,
	), "u1< user one\na1<u1 assistant x used:[0,0,1]\n"},
	{"this program's own form", agent.AgentTypeUnknown, Lines(
		`{"role":"user","text":"go"}`,
		`{"role":"tool","name":"edit","files":["a.go"]}`,
		`{"role":"assistant","id":"m1","text":[{"text":"done"}],"usage":{"input_tokens":4,"output_tokens":2}}`,
		`{"role":"assistant","id":"m1","text":"really","usage":{"input_tokens":4,"output_tokens":3}}`,
	), `line-1< user go
line-2<line-1 tool edit: a.go for::edit
m1<line-2 assistant done used:[4,2,1]
line-4<m1 assistant really used:[0,1,0]
`},
	{"records of Gemini", agent.AgentTypeGemini, Lines(
		`{"sessionId":"s","kind":"main"}`,
		`{"id":"1","type":"user","content":[{"text":"go"},{"inlineData":{"mimeType":"image/png","data":"AA"}}]}`,
		`{"id":"2","type":"gemini","content":"Let me"}`,
		`{"id":"2","type":"gemini","content":"Let me see.","toolCalls":[{"id":"c1","name":"shell","args":{"command":"ls"},"status":"executing"}],"tokens":{"input":9,"output":2}}`,
		`{"id":"2","type":"gemini","content":"Let me see.","toolCalls":[{"id":"c1","name":"shell","args":{"command":"ls"},"status":"error","result":[{"functionResponse":{"response":{"output":"a.go"}}}]}],"tokens":{"input":9,"output":3}}`,
		`{"id":"3","type":"user","content":"wrong"}`,
		`{"$rewindTo":"3"}`,
		`{"id":"4","type":"info","content":"a note"}`,
		`{"$set":{"messages":[{"id":"1","type":"user","content":"go"},{"id":"5","type":"gemini","content":"bye"}]}}`,
	), `1< user go

[image]
2<1 assistant Let me
2#2<2 assistant  see. call:c1:shell:{"command":"ls"} used:[9,2,1]
2#3<2#2 assistant  used:[0,1,0]
2#4<2#3 tool a.go for:c1:shell error
3<2#4 user wrong
4<2#4 system a note
1#2<1 user go
5<4 assistant bye
`},
}

func Encoded(t Tester, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// EachReal calls fn with the transcripts of the folder that ENTIRE_TRANSCRIPTS
// names, none if it names none.
func EachReal(t *testing.T, fn func(name string, transcript []byte)) {
	t.Helper()
	dir := os.Getenv("ENTIRE_TRANSCRIPTS")
	if dir == "" {
		return
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts in %s: %v", dir, err)
	}
	for _, f := range files {
		transcript, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		fn(filepath.Base(f), transcript)
	}
}
