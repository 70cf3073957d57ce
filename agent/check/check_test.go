package check_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"entire/agent"
	"entire/agent/check"
	"entire/agent/conversation"
	"entire/agent/internal/agenttest"
)

// Records of Claude Code as the tests below write them: what follows what.

func parentValue(uuid string) string {
	if uuid == "" {
		return "null"
	}
	return fmt.Sprintf("%q", uuid)
}

func userLine(uuid, parent, text string) string {
	return fmt.Sprintf(`{"parentUuid":%s,"sessionId":"s","type":"user","uuid":%q,"message":{"role":"user","content":%q}}`, parentValue(parent), uuid, text)
}

func answerLine(uuid, parent, answer string) string {
	return fmt.Sprintf(`{"parentUuid":%s,"sessionId":"s","type":"assistant","uuid":%q,"message":{"id":%q,"content":[{"type":"text","text":"x"}]}}`, parentValue(parent), uuid, answer)
}

func callLine(uuid, parent, answer string, ids ...string) string {
	var blocks []string
	for _, id := range ids {
		blocks = append(blocks, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"Bash","input":{}}`, id))
	}
	return fmt.Sprintf(`{"parentUuid":%s,"sessionId":"s","type":"assistant","uuid":%q,"message":{"id":%q,"content":[%s]}}`, parentValue(parent), uuid, answer, strings.Join(blocks, ","))
}

func resultLine(uuid, parent string, ids ...string) string {
	var blocks []string
	for _, id := range ids {
		blocks = append(blocks, fmt.Sprintf(`{"tool_use_id":%q,"type":"tool_result","content":"ok"}`, id))
	}
	return fmt.Sprintf(`{"parentUuid":%s,"sessionId":"s","type":"user","uuid":%q,"message":{"content":[%s]}}`, parentValue(parent), uuid, strings.Join(blocks, ","))
}

func progressLine(uuid, parent string) string {
	return fmt.Sprintf(`{"parentUuid":%s,"sessionId":"s","type":"progress","uuid":%q}`, parentValue(parent), uuid)
}

// findings is a report as a test writes it.
func findings(r check.TranscriptReport) string {
	var b strings.Builder
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "%d %s %s", p.Line, p.Kind, p.UUID)
		if p.Normal {
			b.WriteString(" normal")
		}
		b.WriteString("\n")
	}
	v := r.Resume
	fmt.Fprintf(&b, "%s sees %d of %d", v.Leaf, v.Visible, v.Total)
	for _, part := range []struct {
		name string
		n    int
	}{{"compacted", v.Compacted}, {"abandoned", v.Abandoned}, {"parallel", v.Parallel}, {"lost", v.Lost}, {"open calls", r.OpenCalls}} {
		if part.n > 0 {
			fmt.Fprintf(&b, ", %d %s", part.n, part.name)
		}
	}
	return b.String()
}

var checkRows = []struct {
	name       string
	agent      agent.AgentType
	transcript []byte
	want       string
}{
	{"nothing", agent.AgentTypeClaudeCode, nil, " sees 0 of 0"},
	{"all is well", agent.AgentTypeClaudeCode, agenttest.Lines(
		progressLine("p0", ""), userLine("u1", "p0", "go"), callLine("a1", "u1", "m1", "t1"), progressLine("p1", "a1"), resultLine("r1", "a1", "t1"), answerLine("a2", "r1", "m2"),
	), "a2 sees 4 of 4"},
	{"tools at once", agent.AgentTypeClaudeCode, agenttest.Lines(
		userLine("u1", "", "go"), callLine("a1", "u1", "m1", "t1"), progressLine("p1", "a1"), callLine("a2", "p1", "m1", "t2"),
		resultLine("r1", "a1", "t1"), resultLine("r2", "a2", "t2"), answerLine("a3", "r2", "m2"),
	), "a3 sees 5 of 6, 1 parallel"},
	{"the other tool was the last", agent.AgentTypeClaudeCode, agenttest.Lines(
		userLine("u1", "", "go"), callLine("a1", "u1", "m1", "t1"), callLine("a2", "a1", "m1", "t2"),
		resultLine("r2", "a2", "t2"), resultLine("r1", "a1", "t1"), answerLine("a3", "r1", "m2"),
	), "a3 sees 4 of 6, 2 parallel"},
	{"a call that is still open", agent.AgentTypeClaudeCode, agenttest.Lines(
		userLine("u1", "", "go"), callLine("a1", "u1", "m1", "t1"), progressLine("p1", "a1"), callLine("a2", "p1", "m1", "t2"), resultLine("r2", "a2", "t2"),
	), "r2 sees 4 of 4, 1 open calls"},
	{"a result is missing", agent.AgentTypeClaudeCode, agenttest.Lines(
		userLine("u1", "", "go"), callLine("a1", "u1", "m1", "t1"), progressLine("p1", "a1"), userLine("u2", "p1", "and now"),
	), "2 missing_result a1\nu2 sees 3 of 3"},
	{"a result of one of two is missing", agent.AgentTypeClaudeCode, agenttest.Lines(
		userLine("u1", "", "go"), callLine("a1", "u1", "m1", "t1", "t2"), resultLine("r1", "a1", "t2"), answerLine("a2", "r1", "m2"),
	), "2 missing_result a1\na2 sees 4 of 4"},
	{"the call was rewound away", agent.AgentTypeClaudeCode, agenttest.Lines(
		userLine("u1", "", "go"), answerLine("a1", "u1", "m1"), userLine("u2", "a1", "wrong"), callLine("a2", "u2", "m2", "t1"), userLine("u3", "a1", "right"),
	), "3 abandoned_branch u2 normal\nu3 sees 3 of 5, 2 abandoned, 1 open calls"},
	{"rewound to the beginning", agent.AgentTypeClaudeCode, agenttest.Lines(
		userLine("u1", "", "go"), answerLine("a1", "u1", "m1"), userLine("u2", "", "other"),
	), "3 several_roots u2 normal\nu2 sees 1 of 3, 2 abandoned"},
	{"begun anew in the middle", agent.AgentTypeClaudeCode, agenttest.Lines(
		userLine("u1", "", "go"), callLine("a1", "u1", "m1", "t1"), resultLine("r1", "", "t1"),
	), "3 several_roots r1\nr1 sees 1 of 3, 2 abandoned"},
	{"a compaction", agent.AgentTypeClaudeCode, agenttest.Lines(
		userLine("u1", "", "go"), answerLine("a1", "u1", "m1"),
		`{"type":"system","uuid":"b","parentUuid":null,"logicalParentUuid":"a1"}`,
		`{"type":"user","uuid":"u2","parentUuid":"b","isCompactSummary":true,"message":{"content":"the summary"}}`,
		answerLine("a2", "u2", "m2"),
	), "a2 sees 2 of 4, 2 compacted"},
	{"the way is broken", agent.AgentTypeClaudeCode, agenttest.Lines(
		userLine("u1", "", "go"), answerLine("a1", "u1", "m1"), userLine("u2", "gone", "more"), answerLine("a2", "u2", "m2"),
	), "3 parent_not_found u2\na2 sees 2 of 4, 2 abandoned"},
	{"a circle", agent.AgentTypeClaudeCode, agenttest.Lines(
		userLine("u1", "a1", "go"), answerLine("a1", "u1", "m1"), userLine("u2", "a1", "more"), answerLine("self", "self", "m3"),
	), "1 cycle u1\n4 cycle self\nu2 sees 3 of 4, 1 lost"},
	{"the same twice", agent.AgentTypeClaudeCode, agenttest.Lines(
		userLine("u1", "", "go"), userLine("u1", "", "go"), userLine("u1", "", "other"),
	), "2 duplicate_uuid u1\n3 duplicate_uuid u1\nu1 sees 1 of 1"},
	{"torn and malformed lines", agent.AgentTypeClaudeCode, []byte(
		userLine("u1", "", "go") + "\n\x00\x00\x00\n\n" + answerLine("a1", "u1", "m1")[:50] + userLine("u2", "u1", "on") + "\n[]\n" + answerLine("a2", "u2", "m2")[:60]),
		"2 malformed_line \n4 torn_line \n5 malformed_line \n6 torn_line \nu1 sees 1 of 1"},
	{"an answer without a question", agent.AgentTypeClaudeCode, agenttest.Lines(userLine("u1", "", "go"), resultLine("r1", "u1", "t9")),
		"2 result_without_call r1\nr1 sees 2 of 2"},
	{"the clock", agent.AgentTypeClaudeCode, agenttest.Lines(
		`{"type":"user","uuid":"u1","parentUuid":null,"timestamp":"2026-02-11T20:36:54.283Z","message":{"content":"go"}}`,
		`{"type":"assistant","uuid":"a1","parentUuid":"u1","timestamp":"2026-02-11T20:36:54.1Z","message":{"content":"x"}}`,
		`{"type":"assistant","uuid":"a2","parentUuid":"a1","timestamp":"2026-02-11T20:36:44.1Z","message":{"content":"x"}}`,
	), "3 clock_backwards a2\na2 sees 3 of 3"},
	{"a subagent", agent.AgentTypeClaudeCode, agenttest.Lines(
		userLine("u1", "", "go"), strings.Replace(userLine("s1", "", "task"), `"type"`, `"isSidechain":true,"agentId":"a","type"`, 1), answerLine("a1", "u1", "m1"),
	), "a1 sees 2 of 2"},
	{"this program's own form", agent.AgentTypeUnknown, agenttest.Lines(
		`{"role":"user","text":"go"}`, `{"role":"tool","name":"edit"}`, `oh`, `{"role":"assistant","text":"done"}`,
	), "3 malformed_line \nline-4 sees 3 of 3"},
	{"records of Gemini", agent.AgentTypeGemini, agenttest.Lines(
		`{"sessionId":"s"}`, `{"id":"1","type":"user","content":"go"}`,
		`{"id":"2","type":"gemini","content":"","toolCalls":[{"id":"c","name":"n","status":"executing"}]}`,
		`{"id":"3","type":"user","content":"wrong"}`, `{"$rewindTo":"3"}`, `{"$rewindTo":"9"}`, `{"id":"4","type":"user","content":"ri`,
		`{"id":"4","type":"user","content":"right"}`,
	), "3 missing_result 2\n4 abandoned_branch 3 normal\n6 parent_not_found 9\n7 torn_line \n4 sees 3 of 4, 1 abandoned"},
	{"a document of Gemini", agent.AgentTypeGemini, []byte(`{"messages":[{"id":"1","type":"user","content":"go"},7,{"id":"1","type":"user","content":"go"}]}`),
		"2 malformed_line \n3 duplicate_uuid 1\n1 sees 1 of 1"},
	{"half a document", agent.AgentTypeGemini, []byte(`{"messages":[{"id":"1"`), "1 torn_line \n sees 0 of 0"},
}

func TestCheckTranscript(t *testing.T) {
	t.Parallel()
	for _, test := range checkRows {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			report, err := check.Transcript(test.agent, bytes.NewReader(test.transcript))
			if err != nil {
				t.Fatal(err)
			}
			if got := findings(report); got != test.want {
				t.Errorf("got\n%s\nwant\n%s\n%+v", got, test.want, report.Problems)
			}
			if v := report.Resume; v.Visible+v.Compacted+v.Abandoned+v.Parallel+v.Lost != v.Total || v.Total != report.Messages {
				t.Errorf("the parts of %+v do not add up to %d", v, report.Messages)
			}
		})
	}
}

func TestCheckMessages(t *testing.T) {
	t.Parallel()
	broken := []agent.Message{
		{UUID: "u1", Role: agent.RoleUser, Content: "go"},
		{UUID: "a1", ParentUUID: "u1", Role: agent.RoleAssistant, ToolCalls: []agent.ToolUse{{ID: "t1"}, {ID: "t2"}}},
		{UUID: "r1", ParentUUID: "a1", Role: agent.RoleTool, ToolCallID: "t1"},
		{UUID: "u2", ParentUUID: "lost", Role: agent.RoleUser, Content: "more"},
		{UUID: "u2", ParentUUID: "lost", Role: agent.RoleUser, Content: "more"},
		{UUID: "u3", ParentUUID: "r1", Role: agent.RoleUser, Content: "more"},
	}
	report, err := check.Messages(each(broken, nil))
	if err != nil {
		t.Fatal(err)
	}
	want := "2 missing_result a1\n4 parent_not_found u2\n5 duplicate_uuid u2\nu3 sees 4 of 5, 1 lost"
	if got := findings(report); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, row := range agenttest.NormalizeRows {
		report, err := check.Messages(each(conversation.Normalize(row.Agent, row.Transcript), nil))
		if err != nil || !report.OK() {
			t.Errorf("%s: %v %+v", row.Name, err, report.Problems)
		}
	}
	cause := errors.New("the disk")
	if _, err := check.Messages(each(broken, cause)); !errors.Is(err, cause) {
		t.Errorf("got %v, want the error of the sequence", err)
	}
}

func each(messages []agent.Message, end error) iter.Seq2[agent.Message, error] {
	return func(yield func(agent.Message, error) bool) {
		for _, m := range messages {
			if !yield(m, nil) {
				return
			}
		}
		if end != nil {
			yield(agent.Message{}, end)
		}
	}
}

func TestCheckReadsToTheEnd(t *testing.T) {
	t.Parallel()
	cause := errors.New("the disk")
	for _, agentType := range []agent.AgentType{agent.AgentTypeClaudeCode, agent.AgentTypeGemini} {
		if _, err := check.Transcript(agentType, errorReader{cause}); !errors.Is(err, cause) {
			t.Errorf("%s: got %v, want the error of the reader", agentType, err)
		}
	}
}

type errorReader struct{ error }

func (e errorReader) Read([]byte) (int, error) { return 0, e.error }

func FuzzCheckTranscript(f *testing.F) {
	for _, row := range checkRows {
		f.Add(string(row.agent), row.transcript)
	}
	f.Fuzz(func(t *testing.T, agentType string, transcript []byte) {
		report, err := check.Transcript(agent.AgentType(agentType), bytes.NewReader(transcript))
		if err != nil {
			t.Fatal(err)
		}
		if v := report.Resume; v.Visible+v.Compacted+v.Abandoned+v.Parallel+v.Lost != v.Total {
			t.Errorf("the parts of %+v do not add up", v)
		}
		again, err := check.Transcript(agent.AgentType(agentType), bytes.NewReader(transcript))
		if err != nil || agenttest.Encoded(t, again) != agenttest.Encoded(t, report) {
			t.Errorf("a second look finds %s, the first %s (%v)", agenttest.Encoded(t, again), agenttest.Encoded(t, report), err)
		}
	})
}
