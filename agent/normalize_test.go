package agent

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lines makes a transcript of records.
func lines(records ...string) []byte { return []byte(strings.Join(records, "\n") + "\n") }

// sketch is messages as a test writes them: uuid<parent role "content" and what else there is.
func sketch(messages []Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(m.UUID + "<" + m.ParentUUID + " " + m.Role + " " + m.Content)
		for _, c := range m.ToolCalls {
			b.WriteString(" call:" + c.ID + ":" + c.Name + ":" + string(c.Input))
		}
		if m.ToolCallID != "" || m.ToolName != "" {
			b.WriteString(" for:" + m.ToolCallID + ":" + m.ToolName)
		}
		for _, mark := range []struct {
			on   bool
			text string
		}{{m.IsError, " error"}, {m.Sidechain, " side:" + m.AgentID}, {m.Injected, " injected"}} {
			if mark.on {
				b.WriteString(mark.text)
			}
		}
		if m.Usage != nil {
			out, _ := json.Marshal([]int{m.Usage.InputTokens, m.Usage.OutputTokens, m.Usage.APICallCount})
			b.WriteString(" used:" + string(out))
		}
		b.WriteString("\n")
	}
	return b.String()
}

type normalizeRow struct {
	name       string
	agent      AgentType
	transcript []byte
	want       string
}

var normalizeRows = []normalizeRow{
	{"a turn with a tool", AgentTypeClaudeCode, lines(
		`{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"add a total"}}`,
		`{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"m1","model":"x","content":[{"type":"text","text":"Now."}],"usage":{"input_tokens":10,"output_tokens":1}}}`,
		`{"type":"assistant","uuid":"a2","parentUuid":"a1","message":{"id":"m1","model":"x","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"a.go"}}],"usage":{"input_tokens":10,"output_tokens":7}}}`,
		`{"type":"user","uuid":"r1","parentUuid":"a2","message":{"content":[{"tool_use_id":"t1","type":"tool_result","content":"done"}]},"toolUseResult":{"a":1}}`,
	), `u1< user add a total
a1<u1 assistant Now. used:[10,1,1]
a2<a1 assistant  call:t1:Edit:{"file_path":"a.go"} used:[0,6,0]
r1<a2 tool done for:t1:Edit
`},
	{"records without a message are skipped over", AgentTypeClaudeCode, lines(
		`{"type":"file-history-snapshot","messageId":"u1"}`,
		`{"type":"progress","uuid":"p0","parentUuid":null}`,
		`{"type":"progress","uuid":"p1","parentUuid":"p0"}`,
		`{"type":"user","uuid":"u1","parentUuid":"p1","message":{"content":"hi"}}`,
		`{"type":"attachment","uuid":"p2","parentUuid":"u1"}`,
		`{"type":"system","uuid":"p3","parentUuid":"p2"}`,
		`{"type":"not-yet-invented","uuid":"p4","parentUuid":"p3","message":7}`,
		`{"type":"assistant","uuid":"a1","parentUuid":"p4","message":{"id":"m1","content":"hello"}}`,
	), "u1< user hi\na1<u1 assistant hello used:[0,0,1]\n"},
	{"several results in one record", AgentTypeClaudeCode, lines(
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
	{"thought, notes, a stop", AgentTypeClaudeCode, lines(
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
	{"a compaction", AgentTypeClaudeCode, lines(
		`{"type":"user","uuid":"u1","parentUuid":null,"message":{"content":"one"}}`,
		`{"type":"system","subtype":"compact_boundary","uuid":"b1","parentUuid":null,"logicalParentUuid":"u1"}`,
		`{"type":"user","uuid":"u2","parentUuid":"b1","isCompactSummary":true,"message":{"content":"This session is being continued"}}`,
	), "u1< user one\nu2<u1 user This session is being continued injected\n"},
	{"a subagent's lines", AgentTypeClaudeCode, lines(
		`{"type":"user","uuid":"u1","parentUuid":null,"message":{"content":"one"}}`,
		`{"type":"user","uuid":"s1","parentUuid":null,"isSidechain":true,"agentId":"a7","message":{"content":"task"}}`,
		`{"type":"assistant","uuid":"s2","parentUuid":"lost","isSidechain":true,"agentId":"a7","message":{"id":"m9","content":"done"}}`,
		`{"type":"assistant","uuid":"a1","parentUuid":"lost","message":{"id":"m1","content":"yes"}}`,
	), `u1< user one
s1< user task side:a7
s2<s1 assistant done side:a7 used:[0,0,1]
a1<u1 assistant yes used:[0,0,1]
`},
	{"repeated and malformed lines", AgentTypeClaudeCode, lines(
		`{"type":"user","uuid":"u1","parentUuid":null,"message":{"content":"one"}}`,
		`{"type":"user","uuid":"u1","parentUuid":null,"message":{"content":"one"}}`,
		`{"type":"assistant","uuid":"torn","parentUuid":"u1","message":{"conte`,
		`{"type":"assistant","uuid":"bad","parentUuid":"u1","message":{"content":tru}}`,
		`{"type":"assistant","uuid":"a1","parentUuid":"bad","message":{"id":"m1","content":"x"}}`,
	), "u1< user one\na1<u1 assistant x used:[0,0,1]\n"},
	{"this program's own form", AgentTypeUnknown, lines(
		`{"role":"user","text":"go"}`,
		`{"role":"tool","name":"edit","files":["a.go"]}`,
		`{"role":"assistant","id":"m1","text":[{"text":"done"}],"usage":{"input_tokens":4,"output_tokens":2}}`,
		`{"role":"assistant","id":"m1","text":"really","usage":{"input_tokens":4,"output_tokens":3}}`,
	), `line-1< user go
line-2<line-1 tool edit: a.go for::edit
m1<line-2 assistant done used:[4,2,1]
line-4<m1 assistant really used:[0,1,0]
`},
	{"records of Gemini", AgentTypeGemini, lines(
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

func TestNormalize(t *testing.T) {
	t.Parallel()
	for _, test := range normalizeRows {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := sketch(Normalize(test.agent, test.transcript)); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			checkNormalized(t, test.agent, test.transcript)
		})
	}
}

// checkNormalized checks what holds for every transcript of lines: storing the
// Normalizer makes no difference, every parent is a message given before, no two
// have a UUID in common, and usage adds up to that of the conversation.
func checkNormalized(t *testing.T, agentType AgentType, transcript []byte) []Message {
	t.Helper()
	c, whole, stored := NewConversation(agentType), NewNormalizer(agentType), NewNormalizer(agentType)
	var out, again []Message
	var sum TokenUsage
	wholeFile(transcript, func(line []byte) {
		c.AddLine(line)
		from := len(out)
		out = whole.AddLine(out, line)
		again = stored.AddLine(again, line)
		if whole.Lines < 100 || whole.Lines%50 == 0 {
			stored = restored(t, stored)
		}
		for _, m := range out[from:] {
			if m.Usage != nil {
				sum = sum.Add(*m.Usage)
			}
		}
		if owed := sum.Add(whole.Owed); owed != c.Usage() {
			t.Fatalf("line %d: the messages used %+v, the conversation %+v", whole.Lines, owed, c.Usage())
		}
	})
	if got, want := encoded(t, again), encoded(t, out); got != want {
		t.Fatalf("stored between lines it gives\n%s\nwithout\n%s", got, want)
	}
	if whole.Malformed != c.Malformed {
		t.Errorf("malformed %d, the conversation has %d", whole.Malformed, c.Malformed)
	}
	checkLinks(t, out)
	return out
}

func checkLinks(t *testing.T, messages []Message) {
	t.Helper()
	given := map[string]bool{"": true}
	for _, m := range messages {
		if !given[m.ParentUUID] {
			t.Fatalf("%s follows %s, which was not given", m.UUID, m.ParentUUID)
		}
		if given[m.UUID] {
			t.Fatalf("%q was given twice", m.UUID)
		}
		given[m.UUID] = true
	}
}

func restored(t *testing.T, n *Normalizer) *Normalizer {
	t.Helper()
	raw, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	back := new(Normalizer)
	if err := json.Unmarshal(raw, back); err != nil {
		t.Fatal(err)
	}
	return back
}

func encoded(t tester, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestNormalizeDocumentAgain(t *testing.T) {
	t.Parallel()
	n := NewNormalizer(AgentTypeGemini)
	for _, step := range []struct{ doc, want string }{
		{`{"messages":[{"id":"1","type":"user","content":"go"},{"type":"info","content":"x"},{"type":"info","content":"x"}]}`,
			"1< user go\nmsg-1f7c6756548095b0<1 system x\nmsg-6bc62b68ce79d619<msg-1f7c6756548095b0 system x\n"},
		{`{"messages":[{"id":"1","type":"user","content":"go"},{"type":"info","content":"x"},{"type":"info","content":"x"},{"id":"2","type":"gemini","content":"","toolCalls":[{"id":"c","name":"n","args":{},"status":"success"}]}]}`,
			"2<msg-6bc62b68ce79d619 assistant  call:c:n:{}\n2#2<2 tool  for:c:n\n"},
		// Compacted: what is gone is not missed, what is repeated not given again.
		{`{"messages":[{"id":"9","type":"user","content":"a summary"},{"id":"2","type":"gemini","content":"","toolCalls":[{"id":"c","name":"n","args":{},"status":"success"}]},{"id":"3","type":"gemini","content":"fine"}]}`,
			"9<2#2 user a summary\n3<9 assistant fine\n"},
		{`{"messages":[]}`, ""},
	} {
		got, err := n.AddDocument([]byte(step.doc))
		if err != nil {
			t.Fatal(err)
		}
		if sketch(got) != step.want {
			t.Errorf("got\n%s\nwant\n%s", sketch(got), step.want)
		}
		n = restored(t, n)
	}
	if _, err := n.AddDocument([]byte(`{"messages":[`)); err == nil {
		t.Error("half a document is read as a whole one")
	}
}

func TestNormalizerStaysSmall(t *testing.T) {
	t.Parallel()
	n := NewNormalizer(AgentTypeClaudeCode)
	var out []Message
	for i := range 20_000 {
		id := strings.Repeat("x", 30) + string(rune('a'+i%26)) + encoded(t, i)
		kind := []string{"user", "assistant", "progress"}[i%3]
		out = n.AddLine(out[:0], []byte(`{"type":"`+kind+`","uuid":"`+id+`","message":{"id":"`+id+`","content":[{"type":"tool_use","id":"`+id+`","name":"n","input":{}}]}}`))
	}
	if size := len(encoded(t, n)); size > 128<<10 {
		t.Errorf("after 20,000 lines its state has %d bytes", size)
	}
}

// eachReal calls fn with the transcripts of the folder that ENTIRE_TRANSCRIPTS
// names, none if it names none.
func eachReal(t *testing.T, fn func(name string, transcript []byte)) {
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

func TestNormalizeRealTranscripts(t *testing.T) {
	t.Parallel()
	eachReal(t, func(name string, transcript []byte) {
		count := countRaw(t, transcript)
		if got := countMessages(checkNormalized(t, AgentTypeClaudeCode, transcript)); got != count {
			t.Errorf("%s: the messages have %+v, counted in the raw lines %+v", name, got, count)
		}
		t.Logf("%s: %+v", name, count)
	})
}

func FuzzNormalizeLine(f *testing.F) {
	for _, row := range normalizeRows {
		f.Add(string(row.agent), row.transcript)
	}
	f.Fuzz(func(t *testing.T, agentType string, transcript []byte) {
		n := NewNormalizer(AgentType(agentType))
		var out []Message
		for line := range bytes.Lines(transcript) {
			out = n.AddLine(out, bytes.TrimSuffix(line, []byte("\n")))
			n = restored(t, n)
		}
		for _, m := range out {
			back := Message{}
			if err := json.Unmarshal([]byte(encoded(t, m)), &back); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func FuzzNormalizeDocument(f *testing.F) {
	f.Add([]byte(`{"messages":[{"id":"1","type":"user","content":"go"},{"id":"2","type":"gemini","toolCalls":[{"name":"n","status":"executing"}]}]}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		n := NewNormalizer(AgentTypeGemini)
		first, err := n.AddDocument(doc)
		if err != nil {
			return
		}
		checkLinks(t, first)
		again, err := restored(t, n).AddDocument(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range again {
			t.Errorf("given again: %s", encoded(t, m))
		}
	})
}
