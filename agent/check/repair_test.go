package check_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entire/agent"
	"entire/agent/check"
	"entire/agent/document"
	"entire/agent/internal/agenttest"
)

// mended is a repaired copy and what was done.
func mended(t agenttest.Tester, agentType agent.AgentType, transcript []byte) (string, check.Repairs) {
	t.Helper()
	var out bytes.Buffer
	done, err := check.Repair(agentType, bytes.NewReader(transcript), &out)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), done
}

// mends are the kinds of problem that a repaired transcript has none of.
var mends = []check.ProblemKind{check.ProblemTorn, check.ProblemMalformed, check.ProblemDuplicate, check.ProblemNoParent, check.ProblemCycle, check.ProblemNoResult}

// checkMended checks what holds for every repaired copy.
func checkMended(t agenttest.Tester, agentType agent.AgentType, transcript []byte) {
	t.Helper()
	first, done := mended(t, agentType, transcript)
	report, err := check.Transcript(agentType, strings.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range mends {
		if report.Counts[kind] > 0 {
			t.Errorf("%s after the repair %+v: %+v\nof\n%s\nto\n%s", kind, done, report.Problems, transcript, first)
		}
	}
	second, nothing := mended(t, agentType, []byte(first))
	if second != first || !nothing.IsZero() || len(nothing.Aside) > 0 {
		t.Errorf("a second repair did %+v, from\n%s\nto\n%s", nothing, first, second)
	}
	if done.IsZero() && strings.TrimSuffix(first, "\n") != strings.TrimSuffix(string(transcript), "\n") {
		t.Errorf("with nothing to mend\n%s\nbecame\n%s", transcript, first)
	}
}

func filled(uuid, parent, call, id string) string {
	return fmt.Sprintf(`{"parentUuid":%q,"sessionId":"s","type":"user","message":{"role":"user","content":[{"type":"tool_result","content":%q,"is_error":true,"tool_use_id":%q}]},"uuid":%q,"toolUseResult":%q,"sourceToolAssistantUUID":%q}`,
		parent, check.MissingResult, id, uuid, "Error: "+check.MissingResult, call)
}

var (
	freshT1 = (&check.Graph{}).FreshUUID("a1", "t1")
	freshT3 = (&check.Graph{}).FreshUUID("a1", "t3")
)

var repairRows = []struct {
	name       string
	agent      agent.AgentType
	transcript []byte
	want       []byte
	done       check.Repairs
}{
	{"nothing to do, no last newline", agent.AgentTypeClaudeCode, []byte(userLine("u1", "", "go") + "\n\n" + callLine("a1", "u1", "m1", "t1")),
		agenttest.Lines(userLine("u1", "", "go"), "", callLine("a1", "u1", "m1", "t1")), check.Repairs{}},
	{"lines left out", agent.AgentTypeClaudeCode, agenttest.Lines(
		userLine("u1", "", "go"), "\x00\x00", answerLine("a1", "u1", "m1")[:70], answerLine("a2", "a1", "m2"), userLine("u1", "a2", "again"), `{"type":"us`,
	), agenttest.Lines(userLine("u1", "", "go"), answerLine("a2", "u1", "m2")), check.Repairs{Torn: 3, Duplicates: 1, Relinked: 1}},
	{"a record behind a torn one", agent.AgentTypeClaudeCode, agenttest.Lines(
		userLine("u1", "", "go"), answerLine("a1", "u1", "m1")[:70]+userLine("u2", "u1", "on"), answerLine("a2", "u2", "m2"),
	), agenttest.Lines(userLine("u1", "", "go"), userLine("u2", "u1", "on"), answerLine("a2", "u2", "m2")), check.Repairs{Salvaged: 1}},
	{"zeros at the end", agent.AgentTypeClaudeCode, []byte(userLine("u1", "", "go") + "\n" + `{"type":"us` + "\x00\x00"),
		agenttest.Lines(userLine("u1", "", "go")), check.Repairs{Torn: 1}},
	{"a circle", agent.AgentTypeClaudeCode, agenttest.Lines(userLine("u0", "", "go"), userLine("u1", "a1", "on"), answerLine("a1", "u1", "m1")),
		agenttest.Lines(userLine("u0", "", "go"), userLine("u1", "u0", "on"), answerLine("a1", "u1", "m1")), check.Repairs{Relinked: 1}},
	{"the parent comes later, in a circle", agent.AgentTypeClaudeCode, agenttest.Lines(userLine("u0", "a1", "go"), userLine("u1", "a1", "on"), answerLine("a1", "u1", "m1")),
		agenttest.Lines(userLine("u0", "a1", "go"), userLine("u1", "", "on"), answerLine("a1", "u1", "m1")), check.Repairs{Relinked: 1}},
	{"a subagent keeps to itself", agent.AgentTypeClaudeCode, agenttest.Lines(
		userLine("u1", "", "go"), side(userLine("s1", "", "task")), answerLine("a1", "u1", "m1"), side(answerLine("s2", "lost", "m9")),
	), agenttest.Lines(
		userLine("u1", "", "go"), side(userLine("s1", "", "task")), answerLine("a1", "u1", "m1"), side(answerLine("s2", "s1", "m9")),
	), check.Repairs{Relinked: 1}},
	{"a missing result", agent.AgentTypeClaudeCode, agenttest.Lines(
		userLine("u1", "", "go"), callLine("a1", "u1", "m1", "t1"), progressLine("p1", "a1"), userLine("u2", "p1", "on"),
	), agenttest.Lines(
		userLine("u1", "", "go"), callLine("a1", "u1", "m1", "t1"), filled(freshT1, "a1", "a1", "t1"), progressLine("p1", freshT1), userLine("u2", "p1", "on"),
	), check.Repairs{Results: 1, Relinked: 1}},
	{"two missing results of three", agent.AgentTypeClaudeCode, agenttest.Lines(
		callLine("a1", "", "m1", "t1", "t2", "t3"), resultLine("r2", "a1", "t2"), answerLine("a2", "r2", "m2"),
	), agenttest.Lines(
		callLine("a1", "", "m1", "t1", "t2", "t3"), resultLine("r2", "a1", "t2"), filled(freshT1, "r2", "a1", "t1"),
		filled(freshT3, freshT1, "a1", "t3"), answerLine("a2", freshT3, "m2"),
	), check.Repairs{Results: 2, Relinked: 1}},
	{"a missing result of a call that is there twice", agent.AgentTypeClaudeCode, agenttest.Lines(
		callLine("a1", "", "m1", "t1", "t1"), answerLine("a2", "a1", "m2"),
	), agenttest.Lines(
		callLine("a1", "", "m1", "t1", "t1"), filled(freshT1, "a1", "a1", "t1"), answerLine("a2", freshT1, "m2"),
	), check.Repairs{Results: 1, Relinked: 1}},
	{"relinked onto an open call", agent.AgentTypeClaudeCode, agenttest.Lines(
		userLine("u1", "", "go"), callLine("a1", "u1", "m1", "t1"), userLine("u2", "lost", "on"),
	), agenttest.Lines(
		userLine("u1", "", "go"), callLine("a1", "u1", "m1", "t1"), filled(freshT1, "a1", "a1", "t1"), userLine("u2", freshT1, "on"),
	), check.Repairs{Results: 1, Relinked: 1}},
	{"this program's own form", agent.AgentTypeUnknown, agenttest.Lines(`{"role":"user","text":"go"}`, `{"role":"us`, `{"role":"assistant","text":"done"}`),
		agenttest.Lines(`{"role":"user","text":"go"}`, `{"role":"assistant","text":"done"}`), check.Repairs{Torn: 1}},
	{"a result in this program's own form", agent.AgentTypeUnknown, agenttest.Lines(
		`{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"n","input":{}}]}`, `{"role":"user","text":"on"}`,
	), agenttest.Lines(
		`{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"n","input":{}}]}`,
		`{"role":"tool","content":[{"type":"tool_result","tool_use_id":"t1","content":"`+check.MissingResult+`","is_error":true}]}`, `{"role":"user","text":"on"}`,
	), check.Repairs{Results: 1}},
	{"a result among records", agent.AgentTypeUnknown, agenttest.Lines(
		`{"role":"assistant","id":"a1","parts":[{"kind":"call","call":{"id":"t1","name":"n"}}]}`, `{"role":"user","id":"u2","parts":[{"text":"on"}]}`,
	), agenttest.Lines(
		`{"role":"assistant","id":"a1","parts":[{"kind":"call","call":{"id":"t1","name":"n"}}]}`,
		`{"role":"tool","id":"`+freshT1+`","parent":"a1","parts":[{"kind":"result","text":"`+check.MissingResult+`","call_id":"t1","failed":true}]}`,
		`{"role":"user","id":"u2","parts":[{"text":"on"}]}`,
	), check.Repairs{Results: 1}},
	{"records of Gemini", agent.AgentTypeGemini, agenttest.Lines(
		`{"sessionId":"s"}`, `{"id":"2","type":"gemini","content":"","toolCalls":[{"id":"c","status": "executing","name":"n"}]}`,
		`{"$rewindTo":"9"}`, `{"id":"4","type":"user","content":"ri`, `{"id":"4","type":"user","content":"right"}`,
	), agenttest.Lines(
		`{"sessionId":"s"}`, `{"id":"2","type":"gemini","content":"","toolCalls":[{"id":"c","status": "cancelled","result":[{"functionResponse":{"id":"c","name":"n","response":{"error":"`+check.MissingResult+`"}}}],"name":"n"}]}`,
		`{"id":"4","type":"user","content":"right"}`,
	), check.Repairs{Torn: 2, Results: 1}},
	{"a document of Gemini", agent.AgentTypeGemini,
		[]byte("{\"messages\": [\n {\"id\":\"2\",\"type\":\"gemini\",\"toolCalls\":[{\"id\":\"c\",\"status\":\"scheduled\",\"result\":[],\"name\":\"n\"}]},\n 7,\n {\"id\":\"3\",\"type\":\"user\",\"content\":\"x\"},\n {\"id\":\"3\",\"type\":\"user\",\"content\":\"y\"}\n]}\n"),
		[]byte("{\"messages\": [\n {\"id\":\"2\",\"type\":\"gemini\",\"toolCalls\":[{\"id\":\"c\",\"status\":\"cancelled\",\"result\":[{\"functionResponse\":{\"id\":\"c\",\"name\":\"n\",\"response\":{\"error\":\"" + check.MissingResult + "\"}}}],\"name\":\"n\"}]},\n {\"id\":\"3\",\"type\":\"user\",\"content\":\"x\"}]}\n"),
		check.Repairs{Torn: 1, Duplicates: 1, Results: 1}},
}

func side(record string) string {
	return strings.Replace(record, `"type"`, `"isSidechain":true,"agentId":"a","type"`, 1)
}

func TestRepairTranscript(t *testing.T) {
	t.Parallel()
	for _, test := range repairRows {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, done := mended(t, test.agent, test.transcript)
			if got != string(test.want) {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			var aside int
			for _, a := range done.Aside {
				aside += len(a.Text)
			}
			if wantAside := done.Torn + done.Duplicates + done.Salvaged; len(done.Aside) != wantAside || wantAside > 0 && aside == 0 {
				t.Errorf("%d things were left out, %d are there", wantAside, len(done.Aside))
			}
			done.Aside = nil
			if fmt.Sprint(done) != fmt.Sprint(test.done) {
				t.Errorf("done %+v, want %+v", done, test.done)
			}
			checkMended(t, test.agent, test.transcript)
		})
	}
}

// TestRepairKnowsTheForm: a line is only added where the adapter knows how it has to look.
func TestRepairKnowsTheForm(t *testing.T) {
	t.Parallel()
	lines := []string{`{"type":"session_start","id":"s"}`,
		`{"type":"message","id":"a1","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Execute","input":{"command":"ls"}}]}}`,
		`{"type":"mess`, `{"type":"message","id":"u2","message":{"role":"user","content":[{"type":"text","text":"on"}]}}`}
	got, done := mended(t, agent.AgentTypeDroid, agenttest.Lines(lines...))
	if want := string(agenttest.Lines(lines[0], lines[1], lines[3])); got != want || done.Torn != 1 || done.Results+done.Relinked != 0 {
		t.Errorf("%+v, got\n%s", done, got)
	}
}

func TestRepairWithoutSeeking(t *testing.T) {
	t.Parallel()
	for _, test := range repairRows {
		var out bytes.Buffer
		if _, err := check.Repair(test.agent, io.MultiReader(bytes.NewReader(test.transcript)), &out); err != nil {
			t.Fatal(err)
		}
		if out.String() != string(test.want) {
			t.Errorf("%s: got\n%s", test.name, out.String())
		}
	}
}

func TestRepairFails(t *testing.T) {
	t.Parallel()
	if _, err := check.Repair(agent.AgentTypeGemini, strings.NewReader(`{"messages":[`), io.Discard); !errors.Is(err, document.ErrNone) {
		t.Errorf("half a document: %v", err)
	}
	cause := errors.New("the disk")
	if _, err := check.Repair(agent.AgentTypeClaudeCode, errorReader{cause}, io.Discard); !errors.Is(err, cause) {
		t.Errorf("reading: %v", err)
	}
	if _, err := check.Repair(agent.AgentTypeClaudeCode, bytes.NewReader(repairRows[0].transcript), errorWriter{cause}); !errors.Is(err, cause) {
		t.Errorf("writing: %v", err)
	}
}

type errorWriter struct{ error }

func (e errorWriter) Write([]byte) (int, error) { return 0, e.error }

func TestRepairAnyDamage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		whole := drawSession(t)
		report, err := check.Transcript(agent.AgentTypeClaudeCode, strings.NewReader(strings.Join(whole, "\n")))
		if err != nil || !report.OK() || report.Resume.Lost > 0 {
			t.Fatalf("a session without damage: %v %+v\n%s", err, report, strings.Join(whole, "\n"))
		}
		same, done := mended(t, agent.AgentTypeClaudeCode, agenttest.Lines(whole...))
		if same != strings.Join(whole, "\n")+"\n" || !done.IsZero() {
			t.Fatalf("a session without damage was changed: %+v", done)
		}
		damaged := strings.Join(drawDamage(t, whole), "\n")
		first, _ := mended(t, agent.AgentTypeClaudeCode, []byte(damaged))
		report, err = check.Transcript(agent.AgentTypeClaudeCode, strings.NewReader(first))
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range mends {
			if report.Counts[kind] > 0 {
				t.Fatalf("%s is still there: %+v\n%s\nbefore\n%s", kind, report.Problems, first, damaged)
			}
		}
		if report.Resume.Lost > 0 {
			t.Fatalf("messages are lost: %+v", report.Resume)
		}
		second, nothing := mended(t, agent.AgentTypeClaudeCode, []byte(first))
		if second != first || !nothing.IsZero() {
			t.Fatalf("a second repair did %+v", nothing)
		}
	})
}

// drawSession draws a session as Claude Code writes one.
func drawSession(t *rapid.T) []string {
	s := drawn{t: t}
	s.user("")
	for range rapid.IntRange(1, 8).Draw(t, "turns") {
		switch rapid.SampledFrom([]string{"say", "tools", "tools", "parallel", "rewind", "compact", "agent"}).Draw(t, "turn") {
		case "say":
			s.add(answerLine(s.next(), s.tip, s.answer()))
			s.user(s.tip)
		case "tools":
			s.tool(s.answer())
		case "parallel":
			s.parallel()
		case "rewind":
			s.tip = s.prompts[rapid.IntRange(0, len(s.prompts)-1).Draw(t, "to")]
			s.add(answerLine(s.next(), s.tip, s.answer()))
		case "compact":
			s.out = append(s.out, fmt.Sprintf(`{"type":"system","uuid":%q,"parentUuid":null,"logicalParentUuid":%q}`, s.next(), s.tip))
			s.tip = s.last
			s.out = append(s.out, fmt.Sprintf(`{"type":"user","isCompactSummary":true,"uuid":%q,"parentUuid":%q,"message":{"content":"so far"}}`, s.next(), s.tip))
			s.tip = s.last
			s.prompts = []string{s.tip}
		case "agent":
			before := s.tip
			s.add(side(userLine(s.next(), "", "task")))
			s.tip = s.last
			s.add(side(answerLine(s.next(), s.tip, s.answer())))
			s.tip = before
		}
	}
	return s.out
}

type drawn struct {
	t         *rapid.T
	out       []string
	n         int
	last, tip string // the last record, and the last of the main conversation
	prompts   []string
}

func (s *drawn) next() string {
	s.n++
	s.last = fmt.Sprintf("id-%d", s.n)
	return s.last
}

func (s *drawn) answer() string { return fmt.Sprintf("m-%d", s.n) }

func (s *drawn) add(record string) {
	s.out = append(s.out, record)
	s.tip = s.last
}

func (s *drawn) user(parent string) {
	s.add(userLine(s.next(), parent, "go"))
	s.prompts = append(s.prompts, s.tip)
}

func (s *drawn) tool(answer string) {
	call := s.next()
	s.add(callLine(call, s.tip, answer, "t"+call))
	for range rapid.IntRange(0, 2).Draw(s.t, "progress") {
		s.out = append(s.out, progressLine(s.next(), s.tip))
	}
	s.add(resultLine(s.next(), call, "t"+call))
}

func (s *drawn) parallel() {
	answer, a := s.answer(), s.next()
	s.add(callLine(a, s.tip, answer, "t"+a))
	s.add(progressLine(s.next(), a))
	b := s.next()
	s.add(callLine(b, s.tip, answer, "t"+b))
	s.add(resultLine(s.next(), a, "t"+a))
	s.add(resultLine(s.next(), b, "t"+b))
}

// drawDamage is a session with things done to its lines.
func drawDamage(t *rapid.T, whole []string) []string {
	out := append([]string(nil), whole...)
	for range rapid.IntRange(1, 5).Draw(t, "damages") {
		if len(out) == 0 {
			return out
		}
		i := rapid.IntRange(0, len(out)-1).Draw(t, "line")
		cut := rapid.IntRange(1, max(len(out[i])-1, 1)).Draw(t, "cut")
		cut = min(cut, len(out[i]))
		switch rapid.SampledFrom([]string{"drop", "tear", "glue", "twice", "orphan", "circle", "zero"}).Draw(t, "damage") {
		case "drop":
			out = append(out[:i], out[i+1:]...)
		case "tear":
			out[i] = out[i][:cut]
		case "glue":
			if i+1 < len(out) {
				out[i] = out[i][:cut] + out[i+1]
				out = append(out[:i+1], out[i+2:]...)
			}
		case "twice":
			out = append(out, out[i])
		case "orphan":
			out[i] = string(agenttest.Claude().SetParent([]byte(out[i]), "nobody"))
		case "circle":
			out[i] = string(agenttest.Claude().SetParent([]byte(out[i]), fmt.Sprintf("id-%d", rapid.IntRange(1, len(whole)).Draw(t, "parent"))))
		case "zero":
			out[i] = strings.Repeat("\x00", cut)
		}
	}
	return out
}

func FuzzRepairTranscript(f *testing.F) {
	for _, row := range repairRows {
		f.Add(string(row.agent), row.transcript)
	}
	for _, row := range checkRows {
		f.Add(string(row.agent), row.transcript)
	}
	f.Fuzz(func(t *testing.T, agentType string, transcript []byte) {
		var out bytes.Buffer
		if _, err := check.Repair(agent.AgentType(agentType), bytes.NewReader(transcript), &out); err != nil {
			if !errors.Is(err, document.ErrNone) {
				t.Fatal(err)
			}
			return
		}
		checkMended(t, agent.AgentType(agentType), transcript)
	})
}
