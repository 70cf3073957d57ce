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
			got = append(got, fmt.Sprintf("%s/%s/%s/%s/%s/%v/%v", r.Role, p.Kind, p.Text, p.Call.Name, p.Call.Command, p.Call.Edits, p.Call.Reads))
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
		"{5 0 9 3 1 <nil>}",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
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
