package check

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"io"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/conversation"
	"entire/agent/document"
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
	if g.form.Linker == nil || g.form.Messages != nil {
		g.addMessages(line)
		return
	}
	if jsontext.Blank(line) {
		return
	}
	records, ok := g.form.Outline(line)
	if !ok {
		g.badLine(line)
		return
	}
	for i := range records {
		g.addRecord(line, &records[i])
	}
}

// addMessages adds the messages of a line, for an agent whose records have no parents to be checked.
func (g *Graph) addMessages(line []byte) {
	l := conversation.ReadLine(g.agent, line)
	if !l.OK {
		g.badLine(line)
		return
	}
	for i := range l.Records {
		if to := l.Records[i].BackTo; to != "" && !g.normalizer.Knows(to) {
			g.problem(ProblemNoParent, g.lines, to, "a step back to a message that is not there")
			g.bad[g.lines] = badLine{kind: ProblemNoParent}
		}
	}
	g.normalizer.Lines = g.lines - 1
	for _, m := range g.normalizer.Add(nil, l) {
		g.addMessage(&m)
	}
}

func (g *Graph) badLine(line []byte) {
	kind, good := g.misread(line)
	detail := fmt.Sprintf("%d bytes that are no record", len(line))
	if kind == ProblemTorn && g.form.Messages == nil {
		detail = fmt.Sprintf("a record that ends in the middle, %d bytes", len(line))
	}
	if good > 0 {
		detail += fmt.Sprintf(", with a whole one behind it at byte %d", good)
	}
	g.problem(kind, g.lines, "", "%s", detail)
	g.bad[g.lines] = badLine{kind, good}
	if good > 0 && g.repairGlued {
		g.addLine(line[good:])
	}
}

// maxGlued bounds at how many offsets of a torn line a record is searched for.
const maxGlued = 200

// misread returns the kind of problem of a line that cannot be read. If a program died in
// the middle of a record and a later one continued in the same line, good is the offset of
// the later record; otherwise 0.
func (g *Graph) misread(line []byte) (kind ProblemKind, good int) {
	from := jsontext.SkipSpace(line, 0)
	if jsontext.At(line, from) != '{' {
		return ProblemMalformed, 0
	}
	for range maxGlued {
		n := bytes.Index(line[from+1:], []byte(`{"`))
		if n < 0 || g.form.Linker == nil {
			break
		}
		from += n + 1
		if g.isRecord(line[from:]) {
			return ProblemTorn, from
		}
	}
	if trimmed := bytes.TrimRight(line, " \t\r"); trimmed[len(trimmed)-1] != '}' {
		return ProblemTorn, 0
	}
	return ProblemMalformed, 0
}

// isRecord reports whether text is one whole record with an ID.
func (g *Graph) isRecord(text []byte) bool {
	if !gjson.ValidBytes(text) || !gjson.GetBytes(text, "type").Exists() {
		return false
	}
	records, ok := g.form.Outline(text)
	return ok && len(records) > 0 && records[0].ID != ""
}

// addRecord adds a record of a line whose parent is to be checked.
func (g *Graph) addRecord(line []byte, r *agent.Record) {
	n := node{line: g.lines, uuid: r.ID, parent: r.Parent, logical: r.Continues, cut: r.Summary || r.Continues != "",
		chain: agent.Clip(r.Subagent, agent.MaxName), answer: r.Answer, kind: kindOf(r), sum: maphash.Bytes(g.seed, line)}
	if t := conversation.ParseTimestamp(r.Time); !t.IsZero() {
		n.at = t.UnixNano()
	}
	for i := range r.Parts {
		switch p := &r.Parts[i]; {
		case p.Kind == agent.CallPart && p.Call.ID != "":
			n.calls = append(n.calls, p.Call.ID)
		case p.Kind == agent.ResultPart && p.CallID != "":
			n.replies = append(n.replies, p.CallID)
		}
	}
	if n.kind == saidPrompt && len(n.replies) > 0 || n.kind == saidNote && len(n.replies) > 0 {
		n.kind = saidReply
	}
	if n.follows = r.Parent == "" && !r.NoParent && !g.ancestors; n.follows {
		g.follow(&n, r)
	}
	if n.uuid != "" || n.kind != saidNothing {
		g.add(n)
	}
}

// follow makes the record before it the parent of a record that names none.
func (g *Graph) follow(n *node, r *agent.Record) {
	n.under = noNode
	if last, ok := g.last[n.chain]; ok {
		n.under = last
	}
	if n.shares = r.SharesID; n.kind == saidNothing {
		return
	}
	if _, taken := g.byUUID[n.uuid]; n.shares && taken {
		n.uuid = ""
	}
	n.uuid = conversation.LineName(n.uuid, g.lines)
}

// kindOf returns what kind of message a record holds, apart from its results.
func kindOf(r *agent.Record) messageKind {
	switch {
	case r.Role == "" || r.Role == agent.RoleUser && len(r.Parts) == 0:
		return saidNothing
	case r.Role == agent.RoleAssistant:
		return saidAnswer
	case r.Role == agent.RoleTool:
		return saidReply
	case r.Role == agent.RoleUser && !r.Injected:
		return saidPrompt
	}
	return saidNote
}

// readList reads a transcript that is a list of messages, on lines or in one document.
func (g *Graph) readList(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if document.Is(text) {
		g.readDocument(text)
		return nil
	}
	return g.readLines(bytes.NewReader(text))
}

func (g *Graph) readDocument(text []byte) {
	if !conversation.EachMessage(g.agent, text, func(_ int, r *agent.Record, name string) {
		g.lines++
		switch {
		case r == nil:
			g.problem(ProblemMalformed, g.lines, "", "a message that is no object")
			g.bad[g.lines] = badLine{kind: ProblemMalformed}
		case r.Role == "":
		case g.normalizer.Knows(name):
			g.problem(ProblemDuplicate, g.lines, name, "an earlier message has that ID")
			g.bad[g.lines] = badLine{kind: ProblemDuplicate}
		default:
			for _, m := range g.normalizer.AddMessage(nil, r, name) {
				g.addMessage(&m)
			}
		}
	}) {
		g.lines = 1
		g.problem(ProblemTorn, 1, "", "a document that is not whole, %d bytes", len(text))
	}
}
