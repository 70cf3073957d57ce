package agent

import (
	"bytes"
	"fmt"
	"io"
)

// repairGemini repairs a Gemini transcript. It leaves out unreadable lines or messages,
// messages of a document whose ID an earlier one has, and steps back to a missing message.
// It cancels calls that never ended although the conversation continued.
func repairGemini(in io.Reader, out io.Writer) (Repairs, error) {
	text, err := io.ReadAll(in)
	if err != nil {
		return Repairs{}, fmt.Errorf("repair transcript: %w", err)
	}
	g := newGraph(AgentTypeGemini, true)
	m := geminiMender{bad: g.bad, cancel: map[string]bool{}}
	doc := IsDocument(text)
	if doc {
		if d, ok := parseDocument(text); !ok || d.open == 0 {
			return Repairs{}, fmt.Errorf("repair transcript of %d bytes: %w", len(text), ErrNoDocument)
		}
		g.readDocument(text)
	} else {
		wholeFile(text, func(line []byte) {
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
	wholeFile(text, func(line []byte) {
		n++
		if _, bad := m.bad[n]; bad {
			m.aside(n, line)
			return
		}
		e := eraser{text: line}
		var r geminiRecord
		if r.scan(line) {
			seen := map[string]int{}
			for _, saved := range r.saved() {
				m.cancelCalls(&e, saved, func(g *geminiMessage) { g.name(seen) })
			}
			m.cancelCalls(&e, line, func(g *geminiMessage) { g.id = lineName(g.id, n) })
		}
		out = append(append(out, e.result()...), '\n')
	})
	return out
}

func (m *geminiMender) document(text []byte) []byte {
	d, _ := parseDocument(text)
	e := eraser{text: text}
	seen := map[string]int{}
	kept := -1
	for i, p := range d.parts {
		if _, bad := m.bad[i+1]; !bad {
			m.cancelCalls(&e, d.message(i), func(g *geminiMessage) { g.name(seen) })
			kept = i
			continue
		}
		m.aside(i+1, d.message(i))
		switch {
		case kept >= 0:
			e.cut(d.parts[i-1].to, p.to) // including the comma before it
		case i+1 < len(d.parts):
			e.cut(p.from, d.parts[i+1].from)
		default:
			e.cut(p.from, p.to)
		}
	}
	return e.result()
}

// cancelCalls cancels those calls in one message, a part of e's text, that are in cancel.
// name sets the message's ID.
func (m *geminiMender) cancelCalls(e *eraser, text []byte, name func(*geminiMessage)) {
	var g geminiMessage
	if len(m.cancel) == 0 || !g.scan(text) || g.kind != "gemini" || at(g.calls, 0) != '[' {
		return
	}
	name(&g)
	for i, p := range elements(g.calls, 1, len(g.calls)-1) {
		raw := bytes.TrimSpace(g.calls[p.from:p.to])
		call := geminiCallOf(raw)
		if call.id == "" || len(call.id) > maxName {
			call.id = fmt.Sprintf("%s/call-%d", g.id, i+1)
		}
		if m.cancel[call.id] && call.open() {
			m.done.Results++
			cancelCall(e, raw, call)
		}
	}
}

// cancelCall edits the text of a call to say that it was cancelled.
func cancelCall(e *eraser, raw []byte, call geminiCall) {
	result := fmt.Sprintf(`[{"functionResponse":{"id":%s,"name":%s,"response":{"error":%s}}}]`,
		quote(call.id), quote(call.name), quote(missingResult))
	added := `,"result":` + result
	replace := func(value []byte, with string) {
		from := cap(e.text) - cap(value) // value is a slice of the text
		e.replace(from, from+len(value), with)
	}
	eachMember(raw, func(key, value []byte) {
		if string(key) == "result" {
			replace(value, result)
			added = ""
		}
	})
	eachMember(raw, func(key, value []byte) {
		if string(key) == "status" {
			replace(value, `"cancelled"`+added)
			added = ""
		}
	})
}
