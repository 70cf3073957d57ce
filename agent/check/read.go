package check

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"io"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/claude"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/agent/gemini"
	"entire/agent/generic"
	"entire/agent/internal/jsontext"
)

// endedReader reads r and adds a newline at the end if there is none.
type endedReader struct {
	r    io.Reader
	last byte // a newline before the first read
	done bool
}

func (e *endedReader) Read(p []byte) (int, error) {
	if e.done || len(p) == 0 {
		return 0, io.EOF
	}
	n, err := e.r.Read(p)
	if n > 0 {
		e.last = p[n-1]
	}
	if err != io.EOF {
		return n, err
	}
	if e.last == '\n' {
		e.done = true
		return n, io.EOF
	}
	if n == len(p) {
		return n, nil // the next call returns the newline
	}
	e.done = true
	p[n] = '\n'
	return n + 1, nil
}

// finalLines is Lines for a complete transcript, whose last line counts even without a
// newline.
func finalLines(r io.Reader, fn func(line []byte) error) error {
	_, err := agent.Lines(&endedReader{r: r, last: '\n'}, fn)
	return err
}

func (g *Graph) readLines(r io.Reader) error {
	return finalLines(r, func(line []byte) error {
		g.lines++
		g.addLine(line)
		return nil
	})
}

func (g *Graph) addLine(line []byte) {
	if jsontext.Blank(line) {
		return
	}
	if r, every := agents.RecordReader(g.agent); r != nil {
		_, ok := r.Records(line)
		if ok {
			g.talk.Lines = g.lines - 1
			for _, m := range g.talk.AddLine(nil, line) {
				g.addMessage(&m)
			}
			return
		}
		if every {
			g.badLine(line)
			return
		}
	}
	var gl generic.Line
	if g.agent != agent.AgentTypeClaudeCode && gl.Scan(line) {
		g.talk.Lines = g.lines
		for _, m := range g.talk.AddGeneric(nil, &gl) {
			g.addOwn(&m)
		}
		return
	}
	var l claude.Line
	if !l.Scan(line) {
		g.badLine(line)
		return
	}
	g.addClaude(line, &l)
}

func (g *Graph) badLine(line []byte) {
	kind, good := misread(line)
	if g.agent != agent.AgentTypeClaudeCode {
		good = 0
	}
	detail := fmt.Sprintf("%d bytes that are no record", len(line))
	if kind == ProblemTorn {
		detail = fmt.Sprintf("a record that ends in the middle, %d bytes", len(line))
	}
	if good > 0 {
		detail += fmt.Sprintf(", with a whole one behind it at byte %d", good)
	}
	g.problem(kind, g.lines, "", "%s", detail)
	g.bad[g.lines] = badLine{kind, good}
	if good > 0 && g.repairGlued {
		var l claude.Line
		if l.Scan(line[good:]) {
			g.addClaude(line[good:], &l)
		}
	}
}

// maxGlued bounds at how many offsets of a torn line a record is searched for.
const maxGlued = 200

// misread returns the kind of problem of a line that cannot be read. If a program died in
// the middle of a record and a later one continued in the same line, good is the offset of
// the later record; otherwise 0.
func misread(line []byte) (kind ProblemKind, good int) {
	from := jsontext.SkipSpace(line, 0)
	if jsontext.At(line, from) != '{' {
		return ProblemMalformed, 0
	}
	for range maxGlued {
		n := bytes.Index(line[from+1:], []byte(`{"`))
		if n < 0 {
			break
		}
		from += n + 1
		if isRecord(line[from:]) {
			return ProblemTorn, from
		}
	}
	if trimmed := bytes.TrimRight(line, " \t\r"); trimmed[len(trimmed)-1] != '}' {
		return ProblemTorn, 0
	}
	return ProblemMalformed, 0
}

// isRecord reports whether text is one whole record of Claude Code.
func isRecord(text []byte) bool {
	var kind, uuid bool
	ok := jsontext.EachMember(text, func(key, value []byte) {
		kind = kind || string(key) == "type" && jsontext.Unquote(value) != ""
		uuid = uuid || string(key) == "uuid" && jsontext.Unquote(value) != ""
	})
	var l claude.Line
	return ok && kind && uuid && gjson.ValidBytes(text) && l.Scan(text)
}

func (g *Graph) addClaude(line []byte, l *claude.Line) {
	n := node{line: g.lines, uuid: l.UUID, parent: jsontext.Unquote(l.Parent), logical: jsontext.Unquote(l.Logical),
		chain: l.Chain(), answer: l.Message.ID, sum: maphash.Bytes(g.seed, line)}
	if t := conversation.ParseTimestamp(l.Timestamp); !t.IsZero() {
		n.at = t.UnixNano()
	}
	n.cut = n.logical != "" || l.Cut
	if l.Kind != "" {
		describe(l, &n)
	}
	if n.uuid != "" || n.kind != saidNothing {
		g.add(n)
	}
}

// describe sets the fields that depend on the line's message.
func describe(l *claude.Line, n *node) {
	text := jsontext.At(l.Message.Content, 0) == '"'
	claude.EachBlock(l.Message.Content, func(b *claude.Block) {
		switch {
		case b.IsCall():
			if id := jsontext.Unquote(b.ID); id != "" {
				n.calls = append(n.calls, id)
			}
		case b.IsResult():
			if id := jsontext.Unquote(b.CallID); id != "" {
				n.replies = append(n.replies, id)
			}
		default:
			text = true
		}
	})
	switch {
	case l.Kind == "assistant":
		n.kind = saidAnswer
	case len(n.replies) > 0:
		n.kind = saidReply
	case l.Injected:
		n.kind = saidNote
	case text:
		n.kind = saidPrompt
	}
}

// readGemini reads lines of Gemini's records, or one document.
func (g *Graph) readGemini(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if document.Is(text) {
		g.readDocument(text)
		return nil
	}
	agent.EachFinalLine(text, func(line []byte) {
		g.lines++
		g.addRecord(line)
	})
	return nil
}

func (g *Graph) readDocument(text []byte) {
	d, ok := document.Parse(text)
	if !ok {
		g.lines = 1
		g.problem(ProblemTorn, 1, "", "a document that is not whole, %d bytes", len(text))
		return
	}
	seen := map[string]int{}
	for i := range d.Parts {
		g.lines++
		var m gemini.Message
		if !m.Scan(d.Message(i)) {
			g.problem(ProblemMalformed, g.lines, "", "a message that is no object")
			g.bad[g.lines] = badLine{kind: ProblemMalformed}
			continue
		}
		if m.Kind == "" {
			continue
		}
		m.Name(seen)
		if g.talk.KnownGemini(m.ID) {
			g.problem(ProblemDuplicate, g.lines, m.ID, "an earlier message has that ID")
			g.bad[g.lines] = badLine{kind: ProblemDuplicate}
			continue
		}
		for _, said := range g.talk.AddGemini(nil, &m, false) {
			g.addMessage(&said)
		}
	}
}

func (g *Graph) addRecord(line []byte) {
	if jsontext.Blank(line) {
		return
	}
	var r gemini.Record
	if !r.Scan(line) {
		kind, _ := misread(line)
		g.problem(kind, g.lines, "", "%d bytes that are no record", len(line))
		g.bad[g.lines] = badLine{kind: kind}
		return
	}
	if r.RewindTo != "" && !g.talk.KnownGemini(r.RewindTo) {
		g.problem(ProblemNoParent, g.lines, r.RewindTo, "a step back to a message that is not there")
		g.bad[g.lines] = badLine{kind: ProblemNoParent}
	}
	g.talk.Lines = g.lines - 1
	for _, m := range g.talk.AddLine(nil, line) {
		g.addMessage(&m)
	}
}
