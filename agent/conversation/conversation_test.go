package conversation_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entire/agent"
	"entire/agent/conversation"
	"entire/agent/internal/agenttest"
	"entire/agent/internal/jsontext"
	"entire/internal/effects"
)

// story writes a transcript and keeps its own account of what is in it.
type story struct {
	lines    []string
	prompts  []string
	usage    agent.TokenUsage
	edits    []string // in order of their last edit
	open     []conversation.ToolCall
	agents   []string
	answer   string
	uuid     string
	messages int
}

// write adds one line made of fields and, mostly, a uuid.
func (s *story) write(t agenttest.Fataler, fields map[string]any) {
	t.Helper()
	s.uuid = fmt.Sprintf("uuid-%d", len(s.lines))
	fields["uuid"] = s.uuid
	line, err := json.Marshal(fields)
	if err != nil {
		t.Fatalf("%v", err)
	}
	s.lines = append(s.lines, string(line))
}

func (s *story) prompt(t agenttest.Fataler, text string, content any) {
	s.write(t, map[string]any{"type": "user", "message": map[string]any{"content": content}})
	s.prompts = append(s.prompts, text)
	s.open = nil
}

// message is one answer of the model, its blocks on a line each, which repeat the
// usage with a growing count of output.
func (s *story) message(t agenttest.Fataler, u agent.TokenUsage, blocks ...map[string]any) {
	s.messages++
	for i, b := range blocks {
		s.write(t, map[string]any{"type": "assistant", "message": map[string]any{
			"id": fmt.Sprintf("msg_%d", s.messages), "model": "claude-opus-4-6", "content": []any{b},
			"usage": map[string]any{
				"input_tokens": u.InputTokens, "cache_creation_input_tokens": u.CacheCreationTokens,
				"cache_read_input_tokens": u.CacheReadTokens, "output_tokens": u.OutputTokens - (len(blocks) - 1 - i),
			},
		}})
	}
	u.APICallCount = 1
	s.usage = s.usage.Add(u)
}

func (s *story) call(callID, name string, input map[string]any) map[string]any {
	c := conversation.ToolCall{ID: callID, Name: name}
	if command, ok := input["command"].(string); ok {
		c.Command, c.Commits = command, true // a make may commit
	}
	if path, ok := input["file_path"].(string); ok && name != "Read" {
		s.edits = append(slices.DeleteFunc(s.edits, func(p string) bool { return p == path }), path)
	}
	s.open = append(s.open, c)
	return map[string]any{"type": "tool_use", "id": callID, "name": name, "input": input}
}

func (s *story) result(t agenttest.Fataler, callID string, extra map[string]any) {
	fields := map[string]any{"type": "user", "message": map[string]any{"content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": callID, "content": "done"}}}}
	maps.Copy(fields, extra)
	s.write(t, fields)
	s.open = slices.DeleteFunc(s.open, func(c conversation.ToolCall) bool { return c.ID == callID })
}

// tell writes what happens in one of many kinds of event.
func (s *story) tell(t *rapid.T) {
	n := len(s.lines)
	word := rapid.SampledFrom([]string{"fix the cart", "größer \"now\"", "a\nb", "<b>bold</b>", "a < b", "é\u2028é"}).Draw(t, "word")
	u := agent.TokenUsage{
		InputTokens: rapid.IntRange(0, 9999).Draw(t, "input"), CacheReadTokens: n,
		CacheCreationTokens: 2 * n, OutputTokens: rapid.IntRange(10, 5000).Draw(t, "output"),
	}
	text := map[string]any{"type": "text", "text": word}
	switch rapid.IntRange(0, 9).Draw(t, "event") {
	case 0:
		s.prompt(t, word, "<system-reminder>x</system-reminder> "+word)
	case 1:
		s.prompt(t, word+"\n\nmore", []any{text, map[string]any{"type": "image"}, map[string]any{"type": "text", "text": "more"}})
	case 2:
		s.message(t, u, map[string]any{"type": "thinking", "thinking": word}, text)
		s.answer = word
	case 3:
		id := fmt.Sprintf("toolu_%d", n)
		s.message(t, u, text, s.call(id, rapid.SampledFrom([]string{"Edit", "Write", "MultiEdit", "Read"}).Draw(t, "tool"),
			map[string]any{"file_path": rapid.SampledFrom([]string{"/w/a.go", "/w/b.go", "/w/ü \".go"}).Draw(t, "path"), "content": word}))
		s.answer = word
	case 4:
		s.message(t, u, s.call(fmt.Sprintf("toolu_%d", n), "Bash", map[string]any{"command": "make " + word}))
	case 5:
		if len(s.open) > 0 {
			s.result(t, s.open[rapid.IntRange(0, len(s.open)-1).Draw(t, "call")].ID, nil)
		}
	case 6:
		id := fmt.Sprintf("a%d", n)
		s.message(t, u, s.call("toolu_"+id, "Task", map[string]any{"description": word}))
		s.result(t, "toolu_"+id, map[string]any{"toolUseResult": map[string]any{"content": word, "agentId": id}})
		s.agents = append(s.agents, id)
	case 7:
		s.write(t, map[string]any{"type": "user", "isMeta": true, "message": map[string]any{"content": word}})
	case 8:
		s.write(t, map[string]any{"type": "progress", "data": map[string]any{"message": map[string]any{"type": "user", "content": word}}})
	case 9:
		s.lines = append(s.lines, `{"type":"user","uuid":"torn","message":{"content":"`+"x")
	}
}

func (s *story) check(t agenttest.Fataler, c *conversation.Conversation) {
	t.Helper()
	for _, row := range []struct {
		what      string
		got, want any
	}{
		{"lines", c.Lines, len(s.lines)},
		{"prompts", slices.Concat(c.Prompts), slices.Concat(s.prompts)},
		{"usage", c.Usage(), s.usage},
		{"edits", slices.Concat(c.EditsSince(conversation.Mark{})), slices.Concat(s.edits)},
		{"open calls", withoutEdits(c.OpenCalls), slices.Concat(s.open)},
		{"agents", slices.Concat(c.AgentIDs), slices.Concat(s.agents)},
		{"answer", c.LastAssistant, s.answer},
		{"uuid", c.LastUUID, s.uuid},
	} {
		if !reflect.DeepEqual(row.got, row.want) {
			t.Fatalf("%s: got %+v, want %+v, in\n%s", row.what, row.got, row.want, strings.Join(s.lines, "\n"))
		}
	}
}

// withoutEdits returns the calls without the edits before them, which TestFailedEdits checks.
func withoutEdits(calls []conversation.ToolCall) []conversation.ToolCall {
	calls = slices.Concat(calls)
	for i := range calls {
		calls[i].Before = nil
	}
	return calls
}

// TestConversationOfAKnownStory feeds stories whose content is known by
// construction, stores the conversation anywhere in between, and takes slices.
func TestConversationOfAKnownStory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, c := &story{}, conversation.NewConversation(agent.AgentTypeClaudeCode)
		var sum agent.TokenUsage
		var prompts []string
		for range rapid.IntRange(1, 4).Draw(t, "slices") {
			mark, edited := c.Mark(), len(s.lines)
			for range rapid.IntRange(0, 40).Draw(t, "events") {
				s.tell(t)
			}
			for _, line := range s.lines[edited:] {
				c.AddLine([]byte(line))
			}
			c = stored(t, c)
			sum = sum.Add(c.UsageSince(mark))
			prompts = append(prompts, c.PromptsSince(mark)...)
			s.check(t, c)
			checkEdits(t, c.EditsSince(mark), s.lines[edited:])
		}
		if sum != s.usage || !slices.Equal(prompts, s.prompts) || !slices.Equal(c.AgentIDs, s.agents) {
			t.Fatalf("slices do not add up: %+v %q %q, want %+v %q %q", sum, prompts, c.AgentIDs, s.usage, s.prompts, s.agents)
		}
		whole := []byte(strings.Join(s.lines, "\n"))
		if u := conversation.Read(agent.AgentTypeUnknown, whole).Usage(); u != s.usage {
			t.Fatalf("whole: %+v, want %+v", u, s.usage)
		}
		if p := conversation.Read(agent.AgentTypeUnknown, whole).Prompts; !slices.Equal(p, s.prompts) {
			t.Fatalf("whole: %q, want %q", p, s.prompts)
		}
		c.Forget(c.Mark())
		c = stored(t, c)
		if n := len(c.PromptsSince(conversation.Mark{})); n != 0 || c.Mark().Prompts != len(s.prompts) {
			t.Fatalf("forgot all but %d of %d prompts", n, c.Mark().Prompts)
		}
	})
}

// checkEdits compares with the edits that lines name, found another way.
func checkEdits(t agenttest.Fataler, got []string, lines []string) {
	t.Helper()
	want := map[string]bool{}
	for _, l := range lines {
		if !strings.Contains(l, `"tool_use"`) || strings.Contains(l, `"Read"`) {
			continue
		}
		for _, p := range []string{`/w/a.go`, `/w/b.go`, `/w/ü \".go`} {
			if strings.Contains(l, `"`+p+`"`) {
				want[strings.ReplaceAll(p, `\`, "")] = true
			}
		}
	}
	if !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(maps.Keys(want))) {
		t.Fatalf("edits %q, want %v", got, want)
	}
}

// stored is c after it was written down and read again.
func stored(t agenttest.Fataler, c *conversation.Conversation) *conversation.Conversation {
	t.Helper()
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatalf("%v", err)
	}
	again := &conversation.Conversation{}
	if err := json.Unmarshal(data, again); err != nil {
		t.Fatalf("%v", err)
	}
	return again
}

func TestConversationStaysSmall(t *testing.T) {
	t.Parallel()
	s, c := &story{}, conversation.NewConversation(agent.AgentTypeClaudeCode)
	long := strings.Repeat("ü", 9_000)
	for i := range 600 {
		s.lines = nil
		s.message(t, agent.TokenUsage{InputTokens: 1, OutputTokens: 2},
			map[string]any{"type": "text", "text": long[:2*15*i]},
			s.call(fmt.Sprint("toolu_", i), "Write", map[string]any{"file_path": fmt.Sprint("/w/", i), "content": "x"}),
			s.call(fmt.Sprint("toolu_b", i), "Bash", map[string]any{"command": long[:1000]}))
		s.result(t, "toolu_none", map[string]any{"toolUseResult": map[string]any{"agentId": fmt.Sprint("a", i)}})
		for _, l := range s.lines {
			c.AddLine([]byte(l))
		}
	}
	data, err := json.Marshal(c)
	if err != nil || len(data) > 100_000 {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	if want := (agent.TokenUsage{InputTokens: 600, OutputTokens: 1200, APICallCount: 600}); c.Usage() != want {
		t.Fatalf("usage %+v", c.Usage())
	}
	if n := len(c.EditsSince(conversation.Mark{})); n != conversation.MaxEdits || len(c.OpenCalls) != conversation.MaxOpen {
		t.Fatalf("%d edits, %d open calls", n, len(c.OpenCalls))
	}
}

func TestConversationLines(t *testing.T) {
	t.Parallel()
	usage := `"usage":{"input_tokens":1,"output_tokens":`
	for name, row := range map[string]struct {
		lines []string
		want  conversation.Conversation
	}{
		"first of equal outputs wins": {[]string{
			`{"type":"assistant","message":{"id":"m",` + usage + `5}}}`,
			`{"type":"assistant","message":{"id":"m","usage":{"input_tokens":9,"output_tokens":5}}}`,
		}, conversation.Conversation{Recent: []conversation.MessageUsage{{ID: "m", Usage: agent.TokenUsage{InputTokens: 1, OutputTokens: 5, APICallCount: 1}}}}},
		"usage of strange numbers": {[]string{
			`{"type":"assistant","message":{"id":"m","usage":{"input_tokens":-5,"output_tokens":1e300,"cache_read_input_tokens":"7"}}}`,
		}, conversation.Conversation{Recent: []conversation.MessageUsage{{ID: "m", Usage: agent.TokenUsage{OutputTokens: jsontext.MostTokens, APICallCount: 1}}}}},
		"no message id, no call":        {[]string{`{"type":"assistant","message":{` + usage + `5}}}`}, conversation.Conversation{}},
		"human is an old name for user": {[]string{`{"type":"human","message":{"content":"hi"}}`}, conversation.Conversation{Prompts: []string{"hi"}}},
		"asides are no prompts": {[]string{
			`{"type":"user","isMeta":true,"message":{"content":"a"}}`,
			`{"type":"user","message":{"content":"b"},"isSidechain":true}`,
			`{"type":"user","isCompactSummary":true,"isMeta":false,"message":{"content":"c"}}`,
			`{"type":"user","message":{"content":"<command-name>/clear</command-name>"}}`,
			`{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"d"}]}}`,
		}, conversation.Conversation{}},
		"agent id in a result's text": {[]string{
			`{"type":"user","message":{"content":[{"type":"tool_result","content":[{"type":"text","text":"agentId: a1 (x)"}]}]}}`,
			`{"type":"user","message":{"content":[{"type":"tool_result","content":"so: agentId: b2"},{"type":"text","text":""}]}}`,
			`{"type":"user","toolUseResult":{"agentId":"../x"},"message":{"content":[{"type":"tool_result","content":"agentId: a1"}]}}`,
		}, conversation.Conversation{AgentIDs: []string{"a1", "b2"}}},
		"a prompt ends what was interrupted": {[]string{
			`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"sleep 9"}}]}}`,
			`{"type":"user","message":{"content":"stop"}}`,
		}, conversation.Conversation{Prompts: []string{"stop"}, LastShellStart: 1, CallsKnownAt: 1, Called: 1}},
		"model and version": {[]string{
			`{"type":"assistant","version":"2.1.39","message":{"model":"claude-opus-4-6"}}`,
			`{"type":"assistant","timestamp":"2026-02-11T20:36:45.618Z","message":{"model":"<synthetic>"}}`,
			`{"type":"system","version":"2.1.40"}`,
		}, conversation.Conversation{Model: "claude-opus-4-6", Version: "2.1.40", LastTime: "2026-02-11T20:36:45.618Z",
			Models: []conversation.ModelUse{{Model: "claude-opus-4-6", Line: 1}}}},
		"models, a subagent's too": {[]string{
			`{"type":"assistant","message":{"model":"one"}}`,
			`{"type":"assistant","isSidechain":true,"message":{"model":"two"}}`,
			`{"type":"assistant","message":{"model":"one"}}`,
		}, conversation.Conversation{Model: "one", Models: []conversation.ModelUse{{Model: "two", Line: 2}, {Model: "one", Line: 3}}}},
		"keys in any order, space, carriage return": {[]string{
			" { \"message\" : { \"content\" : \"hi\" } , \"uuid\" : \"u\\u0031\" , \"type\" : \"user\" } \r",
		}, conversation.Conversation{Prompts: []string{"hi"}, LastUUID: "u1"}},
		"invalid utf-8": {[]string{"{\"type\":\"user\",\"message\":{\"content\":\"a\xffb\"}}"}, conversation.Conversation{Prompts: []string{"a\uFFFDb"}}},
		"blank lines":   {[]string{"", " \r"}, conversation.Conversation{}},
		"malformed": {[]string{
			"null", "[]", "{", `{"type":"user"`, `{"type":"user",}`, `{"type":"user","message":{"content":"x"}}}`,
			`{"type":"user","message":{"content":"x`, `{"type":"user","message":{"content":[1,}}`, `{"type":"user"}`,
			`{"type":"x","deep":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
		}, conversation.Conversation{Malformed: 10}},
		"odd shapes": {[]string{
			`{}`, `{"type":7}`, `{"type":"user","message":null}`, `{"type":"user","message":"x"}`, `{"type":"user","message":{"content":{}}}`,
			`{"type":"user","message":{"content":[1,"x",{"type":"text"},{"type":"text","text":5}]}}`,
			`{"type":"assistant","message":{"content":"x","usage":"y","id":{}}}`,
			`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Edit","input":"x"},{"type":"tool_use"}]}}`,
		}, conversation.Conversation{LastAssistant: "x", CallsKnownAt: 8, Called: 8, // an unnamed tool may have written anything
			Touched: []conversation.Touched{{Files: effects.Unknown().Files[0], Line: 8}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := conversation.NewConversation("")
			for _, l := range row.lines {
				c.AddLine([]byte(l))
			}
			row.want.Lines = len(row.lines)
			if !reflect.DeepEqual(*c, row.want) {
				t.Fatalf("got  %+v\nwant %+v", *c, row.want)
			}
		})
	}
}

func TestModelsSince(t *testing.T) {
	t.Parallel()
	c := conversation.NewConversation("")
	for _, model := range []string{"one", "two", "one"} {
		c.AddLine([]byte(`{"type":"assistant","message":{"model":"` + model + `"}}`))
	}
	for lines, want := range [][]string{{"two", "one"}, {"two", "one"}, {"one"}, nil} {
		if got := c.ModelsSince(conversation.Mark{Lines: lines}); !slices.Equal(got, want) {
			t.Errorf("after line %d: %q, want %q", lines, got, want)
		}
	}
	for i := range 1000 {
		c.AddLine([]byte(fmt.Sprintf(`{"type":"assistant","message":{"model":"m%d"}}`, i)))
	}
	if got := c.ModelsSince(conversation.Mark{}); len(got) > 32 || got[len(got)-1] != "m999" {
		t.Errorf("%d models, the last is %s", len(got), got[len(got)-1])
	}
}

func TestGeminiIsNoLogOfLines(t *testing.T) {
	t.Parallel()
	c := conversation.Read(agent.AgentTypeGemini, []byte(`{"type":"user","message":{"content":"hi"}}`))
	if c.Lines != 1 || c.Prompts != nil {
		t.Fatalf("%+v", c)
	}
}

func FuzzConversation(f *testing.F) {
	f.Add([]byte(`{"type":"user","uuid":"u","message":{"content":"hi"}}`+"\n"+
		`{"type":"assistant","message":{"id":"m","model":"x","usage":{"output_tokens":3},"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}`), 1)
	f.Add([]byte(`{"type":"user","toolUseResult":{"agentId":"a1"},"message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"agentId: b2"}]}}`), 0)
	f.Add([]byte("{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"Edit\",\"input\":{\"file_path\":\"\xff\\ud800\"}}]}}"), 1)
	f.Fuzz(func(t *testing.T, transcript []byte, at int) {
		through, cut := conversation.NewConversation(agent.AgentTypeClaudeCode), conversation.NewConversation(agent.AgentTypeClaudeCode)
		lines := bytes.Split(transcript, []byte("\n"))
		for i, l := range lines {
			if i == at {
				cut = stored(t, cut)
			}
			through.AddLine(l)
			cut.AddLine(l)
		}
		if !reflect.DeepEqual(stored(t, cut), stored(t, through)) || !reflect.DeepEqual(cut, through) {
			t.Fatalf("storing made a difference:\n%+v\n%+v", cut, through)
		}
		for _, a := range through.AgentIDs {
			if !jsontext.IsSafeName(a) {
				t.Fatalf("agent id %q", a)
			}
		}
		conversation.CondenseFrom(agent.AgentTypeUnknown, transcript, 0, nil)
	})
}
