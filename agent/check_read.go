package agent

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"io"

	"github.com/tidwall/gjson"
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

// everyLine is Lines for a complete transcript, whose last line counts even without a
// newline.
func everyLine(r io.Reader, fn func(line []byte) error) error {
	_, err := Lines(&endedReader{r: r, last: '\n'}, fn)
	return err
}

func (g *graph) readLines(r io.Reader) error {
	return everyLine(r, func(line []byte) error {
		g.lines++
		g.addLine(line)
		return nil
	})
}

func (g *graph) addLine(line []byte) {
	if blank(line) {
		return
	}
	var gl genericLine
	if g.agent != AgentTypeClaudeCode && gl.scan(line) {
		g.talk.Lines = g.lines
		for _, m := range g.talk.addGeneric(nil, &gl) {
			g.addOwn(&m)
		}
		return
	}
	var l claudeLine
	if !l.scan(line) {
		g.badLine(line)
		return
	}
	g.addClaude(line, &l)
}

func (g *graph) badLine(line []byte) {
	kind, good := misread(line)
	if g.agent != AgentTypeClaudeCode {
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
	if good > 0 && g.mend {
		var l claudeLine
		if l.scan(line[good:]) {
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
	from := skipSpace(line, 0)
	if at(line, from) != '{' {
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
	ok := eachMember(text, func(key, value []byte) {
		kind = kind || string(key) == "type" && unquote(value) != ""
		uuid = uuid || string(key) == "uuid" && unquote(value) != ""
	})
	var l claudeLine
	return ok && kind && uuid && gjson.ValidBytes(text) && l.scan(text)
}

func (g *graph) addClaude(line []byte, l *claudeLine) {
	n := node{line: g.lines, uuid: l.uuid, parent: unquote(l.parent), logical: unquote(l.logical),
		chain: l.chain(), answer: l.message.id, sum: maphash.Bytes(g.seed, line)}
	if t := moment(l.timestamp); !t.IsZero() {
		n.at = t.UnixNano()
	}
	n.cut = n.logical != "" || l.cut
	if l.kind != "" {
		l.describe(&n)
	}
	if n.uuid != "" || n.said != saidNothing {
		g.add(n)
	}
}

// describe sets the fields that depend on the line's message.
func (l *claudeLine) describe(n *node) {
	text := at(l.message.content, 0) == '"'
	eachBlock(l.message.content, func(b *block) {
		switch {
		case b.isCall():
			if id := unquote(b.id); id != "" {
				n.calls = append(n.calls, id)
			}
		case b.isResult():
			if id := unquote(b.callID); id != "" {
				n.replies = append(n.replies, id)
			}
		default:
			text = true
		}
	})
	switch {
	case l.kind == "assistant":
		n.said = saidAnswer
	case len(n.replies) > 0:
		n.said = saidReply
	case l.injected:
		n.said = saidNote
	case text:
		n.said = saidPrompt
	}
}

// readGemini reads lines of Gemini's records, or one document.
func (g *graph) readGemini(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if IsDocument(text) {
		g.readDocument(text)
		return nil
	}
	wholeFile(text, func(line []byte) {
		g.lines++
		g.addRecord(line)
	})
	return nil
}

func (g *graph) readDocument(text []byte) {
	d, ok := parseDocument(text)
	if !ok {
		g.lines = 1
		g.problem(ProblemTorn, 1, "", "a document that is not whole, %d bytes", len(text))
		return
	}
	seen := map[string]int{}
	for i := range d.parts {
		g.lines++
		var m geminiMessage
		if !m.scan(d.message(i)) {
			g.problem(ProblemMalformed, g.lines, "", "a message that is no object")
			g.bad[g.lines] = badLine{kind: ProblemMalformed}
			continue
		}
		if m.kind == "" {
			continue
		}
		m.name(seen)
		if g.talk.knownGemini(m.id) {
			g.problem(ProblemDuplicate, g.lines, m.id, "an earlier message has that ID")
			g.bad[g.lines] = badLine{kind: ProblemDuplicate}
			continue
		}
		for _, said := range g.talk.addGemini(nil, &m, false) {
			g.addMessage(&said)
		}
	}
}

func (n *Normalizer) knownGemini(messageID string) bool {
	_, found := n.Talk.find(messageID)
	return found
}

func (g *graph) addRecord(line []byte) {
	if blank(line) {
		return
	}
	var r geminiRecord
	if !r.scan(line) {
		kind, _ := misread(line)
		g.problem(kind, g.lines, "", "%d bytes that are no record", len(line))
		g.bad[g.lines] = badLine{kind: kind}
		return
	}
	if r.rewindTo != "" && !g.talk.knownGemini(r.rewindTo) {
		g.problem(ProblemNoParent, g.lines, r.rewindTo, "a step back to a message that is not there")
		g.bad[g.lines] = badLine{kind: ProblemNoParent}
	}
	g.talk.Lines = g.lines - 1
	for _, m := range g.talk.AddLine(nil, line) {
		g.addMessage(&m)
	}
}
