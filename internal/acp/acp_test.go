package acp_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"entire/agent"
	"entire/internal/acp"
)

// heard is a Recorder that keeps what it is told.
type heard struct {
	calls   []string
	records []agent.Record
}

func (h *heard) SessionStarts(name, session, dir string, resumed bool) {
	h.calls = append(h.calls, fmt.Sprintf("start %s %s %s %v", name, session, dir, resumed))
}
func (h *heard) TurnStarts(session, prompt string) {
	h.calls = append(h.calls, "prompt "+session+" "+prompt)
}
func (h *heard) TurnEnds(session, answer string) {
	h.calls = append(h.calls, "end "+session+" "+answer)
}
func (h *heard) Record(_ string, r agent.Record) {
	r.ID, r.Time = "", ""
	h.records = append(h.records, r)
}

// play has a Listener hear messages; those that begin with ">" are the editor's.
func play(messages string) *heard {
	h := &heard{}
	l := acp.NewListener(h, func() time.Time { return time.Unix(0, 0) })
	for line := range strings.Lines(messages) {
		line = strings.TrimSuffix(line, "\n")
		if text, ok := strings.CutPrefix(line, ">"); ok {
			l.FromEditor([]byte(text))
		} else {
			l.FromAgent([]byte(line))
		}
	}
	return h
}

const opening = `>{"id":0,"method":"initialize","params":{}}
{"id":0,"result":{"agentInfo":{"name":"scripted","version":"1.2"}}}
>{"id":"n","method":"session/new","params":{"cwd":"/p"}}
{"id":"n","result":{"sessionId":"s1"}}
`

func TestTurn(t *testing.T) {
	t.Parallel()
	h := play(opening + `>{"id":2,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"do it"},{"type":"resource_link","name":"a.go","uri":"file:///p/a.go"},{"type":"image","data":"x"}]}}
{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}}}}
{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"I "}}}}
{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"do."}}}}
{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Edit a.go","kind":"edit","status":"pending","rawInput":{"path":"a.go"}}}}
{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed","content":[{"type":"diff","path":"a.go","oldText":"x\n","newText":"y\n"}]}}}
{"id":0,"method":"terminal/create","params":{"sessionId":"s1","command":"make","args":["it's"]}}
>{"id":0,"result":{"terminalId":"t1"}}
{"id":1,"method":"fs/write_text_file","params":{"sessionId":"s1","path":"b.go","content":"no"}}
>{"id":1,"error":{"code":1}}
{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call","toolCallId":"c2","kind":"read","title":"Read"}}}
{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done."}}}}
{"id":2,"result":{"stopReason":"end_turn","usage":{"inputTokens":5,"outputTokens":2,"thoughtTokens":1,"cachedReadTokens":9}}}
`)
	if want := []string{"start scripted s1 /p false", "prompt s1 do it\n\n[a.go](file:///p/a.go)\n\n[image]", "end s1 Done."}; !reflect.DeepEqual(h.calls, want) {
		t.Errorf("got %q", h.calls)
	}
	var got []string
	for _, r := range h.records {
		for _, p := range r.Parts {
			var edits []string
			for _, e := range p.Call.Edits {
				edits = append(edits, fmt.Sprintf("{%s %v %v}", e.Path, e.Texts, e.Replaced))
			}
			got = append(got, fmt.Sprintf("%s/%s/%s/%s/%s/%v/%v", r.Role, p.Kind, p.Text, p.Call.Name, p.Call.Command, edits, p.Call.Reads))
		}
		if r.Usage != nil {
			got = append(got, fmt.Sprint(*r.Usage))
		}
	}
	want := []string{
		"user//do it\n\n[a.go](file:///p/a.go)\n\n[image]///[]/false",
		"assistant/thought/hm///[]/false", "assistant//I do.///[]/false",
		"assistant/call//edit//[{a.go [y\n] [x\n]}]/false", "tool/result////[]/false",
		`assistant/call//terminal/make 'it'\''s'/[]/false`, "tool/result////[]/false",
		"assistant//Done.///[]/false",
		"assistant/call//read//[]/true", "tool/result////[]/false", // it never got a result
		"{5 0 9 3 1 0 0 <nil>}",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestWholeFile: an agent may send no diff of a file that it writes, only what it gives to its tool. A call that failed wrote
// nothing.
func TestWholeFile(t *testing.T) {
	t.Parallel()
	call := func(id, status string) string {
		return `{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call_update","toolCallId":"` + id + `","kind":"edit","status":"` +
			status + `","locations":[{"path":"/p/a.go"}],"rawInput":{"filePath":"/p/a.go","content":"x\ny\n"}}}}` + "\n"
	}
	var got []string
	for _, r := range play(opening + call("c1", "completed") + call("c2", "failed")).records {
		for _, p := range r.Parts {
			if p.Kind == agent.CallPart {
				got = append(got, fmt.Sprintf("%+v", p.Call.Edits))
			}
		}
	}
	if want := []string{fmt.Sprintf("%+v", []agent.Edit{{Path: "/p/a.go", Texts: []string{"x\ny\n"}}}), "[]"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, not %q", got, want)
	}
}

// TestUsage: what agents say of tokens, in the forms that some programs have.
func TestUsage(t *testing.T) {
	t.Parallel()
	turn := func(id int, result string) string {
		return fmt.Sprintf(">{\"id\":%d,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"s1\",\"prompt\":[]}}\n{\"id\":%[1]d,\"result\":%s}\n", id, result)
	}
	answer := `{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""},"_meta":{"usage":{"inputTokens":1318,"outputTokens":41,"totalTokens":1359,"thoughtTokens":0,"cachedReadTokens":311}}}}}` + "\n"
	prompted := `>{"id":9,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}` + "\n"
	for what, row := range map[string]struct {
		messages string
		want     agent.TokenUsage
	}{
		"of the session, the cache within the input": {
			turn(5, `{"usage":{"inputTokens":6770,"outputTokens":215,"totalTokens":6985,"cachedReadTokens":1665,"cachedWriteTokens":0}}`) +
				turn(6, `{"usage":{"inputTokens":12510,"outputTokens":405,"totalTokens":12915,"cachedReadTokens":3195,"cachedWriteTokens":0}}`),
			agent.TokenUsage{InputTokens: 9315, CacheReadTokens: 3195, OutputTokens: 405, APICallCount: 2}},
		"of each turn, the cache beside the input": {
			turn(5, `{"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":22,"cachedReadTokens":7}}`) +
				turn(6, `{"usage":{"inputTokens":20,"outputTokens":6,"totalTokens":33,"cachedReadTokens":7}}`) +
				turn(7, `{"usage":{"inputTokens":15,"outputTokens":7,"totalTokens":29,"cachedReadTokens":7}}`),
			agent.TokenUsage{InputTokens: 45, CacheReadTokens: 21, OutputTokens: 18, APICallCount: 3}},
		"thoughts beside the output": {turn(5, `{"usage":{"inputTokens":10,"outputTokens":5,"thoughtTokens":3,"totalTokens":18}}`),
			agent.TokenUsage{InputTokens: 10, OutputTokens: 8, APICallCount: 1}},
		"thoughts within the output": {turn(5, `{"usage":{"inputTokens":10,"outputTokens":5,"thoughtTokens":3,"totalTokens":15}}`),
			agent.TokenUsage{InputTokens: 10, OutputTokens: 5, APICallCount: 1}},
		"beside the protocol": {turn(5, `{"_meta":{"quota":{"token_count":{"input_tokens":6860,"output_tokens":220}}}}`) + turn(6, `{"_meta":{"quota":{"token_count":{"input_tokens":5884,"output_tokens":198}}}}`),
			agent.TokenUsage{InputTokens: 12744, OutputTokens: 418, APICallCount: 2}},
		"of each answer": {prompted + answer + answer + `{"id":9,"result":{"usage":{"inputTokens":1}}}` + "\n",
			agent.TokenUsage{InputTokens: 2014, CacheReadTokens: 622, OutputTokens: 82, APICallCount: 2}},
		"none": {turn(5, `{"usage":{}}`) + turn(6, `{"usage":7}`) + turn(7, `{"usage":{"inputTokens":-5}}`), agent.TokenUsage{}},
	} {
		var is agent.TokenUsage
		for _, r := range play(opening + row.messages).records {
			if r.Usage != nil {
				is = is.Add(*r.Usage)
			}
		}
		if is != row.want {
			t.Errorf("%s: %+v, not %+v", what, is, row.want)
		}
	}
}

// TestModel: an agent's answers have the model that the agent, or later the editor, named.
func TestModel(t *testing.T) {
	t.Parallel()
	for want, opened := range map[string]string{
		"fake-1": `"models":{"currentModelId":"$x|fake-1(y)","availableModels":[{"modelId":"other","name":"Other"},{"modelId":"$x|fake-1(y)","name":"fake-1"}]}`,
		"a/b":    `"configOptions":[{"id":"mode","currentValue":"plan"},{"id":"model","category":"model","currentValue":"a/b"}]`,
		"":       `"models":7`,
	} {
		talk := `>{"id":"n","method":"session/new","params":{"cwd":"/p"}}
{"id":"n","result":{"sessionId":"s1",` + opened + `}}
>{"id":5,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}
{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done."}}}}
>{"id":6,"method":"session/set_model","params":{"sessionId":"s1","modelId":"m-2"}}
{"id":5,"result":{}}
`
		if last := play(talk).records; last[len(last)-1].Model != want {
			t.Errorf("model %q, not %q", last[len(last)-1].Model, want)
		}
		last := play(strings.Replace(talk, `{"id":5,"result":{}}`, `{"id":6,"result":{}}`+"\n"+`{"id":5,"result":{}}`, 1)).records
		if got := last[len(last)-1].Model; got != "m-2" {
			t.Errorf("after the editor chose another: %q", got)
		}
	}
}

// TestLoadedSession: what the agent repeats of an old conversation is not recorded again.
func TestLoadedSession(t *testing.T) {
	t.Parallel()
	h := play(`>{"id":1,"method":"session/load","params":{"sessionId":"s1","cwd":"/p"}}
{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"old"}}}}
{"id":1,"result":null}
>{"id":2,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"again"}]}}
>{"method":"session/cancel","params":{"sessionId":"s1"}}
{"id":2,"result":{"stopReason":"cancelled"}}
`)
	if want := []string{"start  s1 /p true", "prompt s1 again", "end s1 "}; !reflect.DeepEqual(h.calls, want) {
		t.Errorf("got %q", h.calls)
	}
	if len(h.records) != 2 || !h.records[1].Stopped {
		t.Errorf("%+v", h.records)
	}
}

// TestMisunderstood: messages of an unknown form have no effect.
func TestMisunderstood(t *testing.T) {
	t.Parallel()
	h := play(opening + `>no json
>[1]
>{"id":5,"method":"session/prompt","params":{"sessionId":"other","prompt":"x"}}
{"id":5,"result":{}}
{"id":77,"result":{}}
>{"id":78,"error":{}}
{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call"}}}
{"method":"session/update","params":{"sessionId":"s1","update":7}}
{"method":"session/update"}
{"id":9,"method":"fs/write_text_file","params":{"sessionId":"none"}}
>{"id":9,"result":null}
`)
	if len(h.calls) != 1 || len(h.records) != 0 {
		t.Errorf("%q %+v", h.calls, h.records)
	}
}

// FuzzPipe: every byte arrives, whatever the reads are cut into, and each whole line is heard once.
func FuzzPipe(f *testing.F) {
	f.Add([]byte("{}\n{\"a\":1}\ntorn"), true)
	f.Add([]byte("\n\n"), false)
	f.Add(bytes.Repeat([]byte("x"), 200<<10), false)
	f.Fuzz(func(t *testing.T, data []byte, slow bool) {
		var r io.Reader = bytes.NewReader(data)
		if slow {
			r = iotest.OneByteReader(r)
		}
		var out bytes.Buffer
		lines := 0
		if err := acp.Pipe(&out, r, func(line []byte) {
			lines++
			if !bytes.HasPrefix(data[out.Len():], append(bytes.Clone(line), '\n')) {
				t.Fatal("a line was heard after it was passed on")
			}
		}); err != nil || !bytes.Equal(out.Bytes(), data) || lines != bytes.Count(data, []byte("\n")) {
			t.Fatalf("%v, %d of %d bytes, %d lines", err, out.Len(), len(data), lines)
		}
	})
}

func TestPipeErrors(t *testing.T) {
	t.Parallel()
	if err := acp.Pipe(io.Discard, iotest.ErrReader(errors.New("broken")), func([]byte) {}); err == nil {
		t.Error("a broken reader is no error")
	}
	r, w := io.Pipe()
	r.Close()
	if err := acp.Pipe(w, strings.NewReader("a\n"), func([]byte) {}); err == nil {
		t.Error("a closed writer is no error")
	}
}
