package check

import (
	"bytes"
	"fmt"
	"io"

	"entire/agent"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/agent/gemini"
	"entire/agent/internal/jsontext"
)

// repairGemini repairs a Gemini transcript. It leaves out unreadable lines or messages,
// messages of a document whose ID an earlier one has, and steps back to a missing message.
// It cancels calls that never ended although the conversation continued.
func repairGemini(in io.Reader, out io.Writer) (Repairs, error) {
	text, err := io.ReadAll(in)
	if err != nil {
		return Repairs{}, fmt.Errorf("repair transcript: %w", err)
	}
	g := newGraph(agent.AgentTypeGemini, true)
	m := geminiMender{bad: g.bad, cancel: map[string]bool{}}
	doc := document.Is(text)
	if doc {
		if d, ok := document.Parse(text); !ok || d.Open == 0 {
			return Repairs{}, fmt.Errorf("repair transcript of %d bytes: %w", len(text), document.ErrNone)
		}
		g.readDocument(text)
	} else {
		agent.EachFinalLine(text, func(line []byte) {
			g.lines++
			g.addRecord(line)
		})
	}
	g.connect()
	for _, open := range g.unanswered() {
		m.cancel[open.callID] = true
	}
	if doc {
		text = m.document(text)
	} else {
		text = m.records(text)
	}
	_, err = out.Write(text)
	return m.done, err
}

type geminiMender struct {
	bad    map[int]badLine
	cancel map[string]bool // by call ID
	done   Repairs
}

func (m *geminiMender) aside(line int, text []byte) {
	kind := m.bad[line].kind
	if kind == ProblemDuplicate {
		m.done.Duplicates++
	} else {
		m.done.Torn++
	}
	m.done.Aside = append(m.done.Aside, Aside{line, kind, bytes.Clone(text)})
}

func (m *geminiMender) records(text []byte) []byte {
	var out []byte
	n := 0
	agent.EachFinalLine(text, func(line []byte) {
		n++
		if _, bad := m.bad[n]; bad {
			m.aside(n, line)
			return
		}
		e := jsontext.Eraser{Text: line}
		var r gemini.Record
		if r.Scan(line) {
			seen := map[string]int{}
			for _, saved := range r.Saved() {
				m.cancelCalls(&e, saved, func(g *gemini.Message) { g.Name(seen) })
			}
			m.cancelCalls(&e, line, func(g *gemini.Message) { g.ID = conversation.LineName(g.ID, n) })
		}
		out = append(append(out, e.Result()...), '\n')
	})
	return out
}

func (m *geminiMender) document(text []byte) []byte {
	d, _ := document.Parse(text)
	e := jsontext.Eraser{Text: text}
	seen := map[string]int{}
	kept := -1
	for i, p := range d.Parts {
		if _, bad := m.bad[i+1]; !bad {
			m.cancelCalls(&e, d.Message(i), func(g *gemini.Message) { g.Name(seen) })
			kept = i
			continue
		}
		m.aside(i+1, d.Message(i))
		switch {
		case kept >= 0:
			e.Cut(d.Parts[i-1].To, p.To) // including the comma before it
		case i+1 < len(d.Parts):
			e.Cut(p.From, d.Parts[i+1].From)
		default:
			e.Cut(p.From, p.To)
		}
	}
	return e.Result()
}

// cancelCalls cancels those calls in one message, a part of e's text, that are in cancel.
// name sets the message's ID.
func (m *geminiMender) cancelCalls(e *jsontext.Eraser, text []byte, name func(*gemini.Message)) {
	var g gemini.Message
	if len(m.cancel) == 0 || !g.Scan(text) || g.Kind != "gemini" || jsontext.At(g.Calls, 0) != '[' {
		return
	}
	name(&g)
	for i, p := range jsontext.Elements(g.Calls, 1, len(g.Calls)-1) {
		raw := bytes.TrimSpace(g.Calls[p.From:p.To])
		call := gemini.CallOf(raw)
		if call.ID == "" || len(call.ID) > agent.MaxName {
			call.ID = fmt.Sprintf("%s/call-%d", g.ID, i+1)
		}
		if m.cancel[call.ID] && call.Open() {
			m.done.Results++
			cancelCall(e, raw, call)
		}
	}
}

// cancelCall edits the text of a call to say that it was cancelled.
func cancelCall(e *jsontext.Eraser, raw []byte, call gemini.Call) {
	result := fmt.Sprintf(`[{"functionResponse":{"id":%s,"name":%s,"response":{"error":%s}}}]`,
		jsontext.Quote(call.ID), jsontext.Quote(call.Name), jsontext.Quote(MissingResult))
	added := `,"result":` + result
	replace := func(value []byte, with string) {
		from := cap(e.Text) - cap(value) // value is a slice of the text
		e.Replace(from, from+len(value), with)
	}
	jsontext.EachMember(raw, func(key, value []byte) {
		if string(key) == "result" {
			replace(value, result)
			added = ""
		}
	})
	jsontext.EachMember(raw, func(key, value []byte) {
		if string(key) == "status" {
			replace(value, `"cancelled"`+added)
			added = ""
		}
	})
}
