package conversation_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"entire/agent"
	"entire/agent/conversation"
	"entire/agent/internal/agenttest"
)

// sketch is messages as a test writes them: uuid<parent role "content" and what else there is.
func sketch(messages []agent.Message) string {
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

func TestNormalize(t *testing.T) {
	t.Parallel()
	for _, test := range agenttest.NormalizeRows {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			if got := sketch(conversation.Normalize(test.Agent, test.Transcript)); got != test.Want {
				t.Errorf("got\n%s\nwant\n%s", got, test.Want)
			}
			checkNormalized(t, test.Agent, test.Transcript)
		})
	}
}

// checkNormalized checks what holds for every transcript of lines: storing the
// Normalizer makes no difference, every parent is a message given before, no two
// have a UUID in common, and usage adds up to that of the conversation.
func checkNormalized(t *testing.T, agentType agent.AgentType, transcript []byte) []agent.Message {
	t.Helper()
	c, whole, stored := conversation.NewConversation(agentType), conversation.NewNormalizer(agentType), conversation.NewNormalizer(agentType)
	var out, again []agent.Message
	var sum agent.TokenUsage
	agent.EachFinalLine(transcript, func(line []byte) {
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
	if got, want := agenttest.Encoded(t, again), agenttest.Encoded(t, out); got != want {
		t.Fatalf("stored between lines it gives\n%s\nwithout\n%s", got, want)
	}
	if whole.Malformed != c.Malformed {
		t.Errorf("malformed %d, the conversation has %d", whole.Malformed, c.Malformed)
	}
	checkLinks(t, out)
	return out
}

func checkLinks(t *testing.T, messages []agent.Message) {
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

func restored(t *testing.T, n *conversation.Normalizer) *conversation.Normalizer {
	t.Helper()
	raw, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	back := new(conversation.Normalizer)
	if err := json.Unmarshal(raw, back); err != nil {
		t.Fatal(err)
	}
	return back
}

func TestNormalizeDocumentAgain(t *testing.T) {
	t.Parallel()
	n := conversation.NewNormalizer(agent.AgentTypeGemini)
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
	n := conversation.NewNormalizer(agent.AgentTypeClaudeCode)
	var out []agent.Message
	for i := range 20_000 {
		id := strings.Repeat("x", 30) + string(rune('a'+i%26)) + agenttest.Encoded(t, i)
		kind := []string{"user", "assistant", "progress"}[i%3]
		out = n.AddLine(out[:0], []byte(`{"type":"`+kind+`","uuid":"`+id+`","message":{"id":"`+id+`","content":[{"type":"tool_use","id":"`+id+`","name":"n","input":{}}]}}`))
	}
	if size := len(agenttest.Encoded(t, n)); size > 128<<10 {
		t.Errorf("after 20,000 lines its state has %d bytes", size)
	}
}

func TestNormalizeRealTranscripts(t *testing.T) {
	t.Parallel()
	agenttest.EachReal(t, func(name string, transcript []byte) {
		count := agenttest.CountRaw(t, transcript)
		if got := agenttest.CountMessages(checkNormalized(t, agent.AgentTypeClaudeCode, transcript)); got != count {
			t.Errorf("%s: the messages have %+v, counted in the raw lines %+v", name, got, count)
		}
		t.Logf("%s: %+v", name, count)
	})
}

func FuzzNormalizeLine(f *testing.F) {
	for _, row := range agenttest.NormalizeRows {
		f.Add(string(row.Agent), row.Transcript)
	}
	f.Fuzz(func(t *testing.T, agentType string, transcript []byte) {
		n := conversation.NewNormalizer(agent.AgentType(agentType))
		var out []agent.Message
		for line := range bytes.Lines(transcript) {
			out = n.AddLine(out, bytes.TrimSuffix(line, []byte("\n")))
			n = restored(t, n)
		}
		for _, m := range out {
			back := agent.Message{}
			if err := json.Unmarshal([]byte(agenttest.Encoded(t, m)), &back); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func FuzzNormalizeDocument(f *testing.F) {
	f.Add([]byte(`{"messages":[{"id":"1","type":"user","content":"go"},{"id":"2","type":"gemini","toolCalls":[{"name":"n","status":"executing"}]}]}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		n := conversation.NewNormalizer(agent.AgentTypeGemini)
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
			t.Errorf("given again: %s", agenttest.Encoded(t, m))
		}
	})
}
