package check

import (
	"bytes"
	"fmt"
	"io"

	"entire/agent"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/agent/internal/jsontext"
)

// repairList repairs a transcript that is a list of messages. It leaves out unreadable lines or messages,
// messages of a document whose ID an earlier one has, and steps back to a missing message.
// It ends calls that never ended although the conversation continued.
func repairList(t agent.AgentType, in io.Reader, out io.Writer) (Repairs, error) {
	text, err := io.ReadAll(in)
	if err != nil {
		return Repairs{}, fmt.Errorf("repair transcript: %w", err)
	}
	if document.Is(text) {
		if d, ok := document.Parse(text); !ok || d.Open == 0 {
			return Repairs{}, fmt.Errorf("repair transcript of %d bytes: %w", len(text), document.ErrNone)
		}
	}
	m := listMender{Graph: newGraph(t, true), ends: map[string]bool{}}
	if err := m.readList(bytes.NewReader(text)); err != nil {
		return Repairs{}, fmt.Errorf("repair transcript: %w", err)
	}
	m.connect()
	for _, open := range m.unanswered() {
		m.ends[open.callID] = true
	}
	if document.Is(text) {
		text = m.document(text)
	} else {
		text = m.records(text)
	}
	_, err = out.Write(text)
	return m.done, err
}

type listMender struct {
	*Graph
	ends map[string]bool // by call ID
	done Repairs
}

func (m *listMender) aside(line int, text []byte) {
	kind := m.bad[line].kind
	if kind == ProblemDuplicate {
		m.done.Duplicates++
	} else {
		m.done.Torn++
	}
	m.done.Aside = append(m.done.Aside, Aside{line, kind, bytes.Clone(text)})
}

func (m *listMender) records(text []byte) []byte {
	var out []byte
	n := 0
	agent.EachFinalLine(text, func(line []byte) {
		n++
		if _, bad := m.bad[n]; bad {
			m.aside(n, line)
			return
		}
		e := jsontext.Eraser{Text: line}
		if saved := m.form.Messages.Saved(line); saved != nil {
			m.savedCalls(&e, saved)
		} else {
			for _, r := range conversation.ReadLine(m.agent, line).Records {
				m.endCalls(&e, line, conversation.LineName(r.ID, n))
			}
		}
		out = append(append(out, e.Result()...), '\n')
	})
	return out
}

// savedCalls ends calls in the messages of a document that is a part of e's text.
func (m *listMender) savedCalls(e *jsontext.Eraser, doc []byte) {
	d, _ := document.Parse(doc)
	conversation.EachMessage(m.agent, doc, func(i int, _ *agent.Record, name string) { m.endCalls(e, d.Message(i), name) })
}

func (m *listMender) document(text []byte) []byte {
	d, _ := document.Parse(text)
	e := jsontext.Eraser{Text: text}
	kept := -1
	conversation.EachMessage(m.agent, text, func(i int, _ *agent.Record, name string) {
		p := d.Parts[i]
		if _, bad := m.bad[i+1]; !bad {
			m.endCalls(&e, d.Message(i), name)
			kept = i
			return
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
	})
	return e.Result()
}

// endCalls ends those calls in one message, a part of e's text, that are in ends.
func (m *listMender) endCalls(e *jsontext.Eraser, message []byte, name string) {
	if len(m.ends) == 0 {
		return
	}
	before := m.done.Results
	with := m.form.Messages.EndCalls(message, MissingResult, func(n int, id string) (string, bool) {
		id = conversation.CallName(id, name, n)
		if m.ends[id] {
			m.done.Results++
		}
		return id, m.ends[id]
	})
	if m.done.Results > before {
		e.ReplacePart(message, string(with))
	}
}
