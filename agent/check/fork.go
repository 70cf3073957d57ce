package check

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/agent/internal/jsontext"
)

// ErrNoMessage is returned for a message that is not in the transcript.
var ErrNoMessage = errors.New("no such message in the transcript")

// Fork writes the beginning of a transcript, up to and including the records of
// the message at, as the transcript of another session that the agent can resume; an empty
// at stands for the whole transcript. Where a line contains the session's ID, it writes
// newID instead ("" keeps the ID). It changes no other byte, except that the last line
// ends with a newline.
//
// If the beginning has a call without a result that has one later, the records of the
// result follow, with the records that they depend on. A subagent's message is no place to
// fork at. at may be the UUID of any part of a record. It returns ErrNoMessage for an
// unknown at, and document.ErrNone for an incomplete document.
//
// It reads in twice, or holds it in memory if it is not an io.Seeker.
func Fork(t agent.AgentType, in io.Reader, out io.Writer, at, newID string) error {
	var err error
	if agents.CountsMessages(t) {
		err = forkList(t, in, out, at, newID)
	} else {
		err = forkLines(t, in, out, at, newID)
	}
	if err != nil {
		return fmt.Errorf("fork transcript: %w", err)
	}
	return nil
}

func forkLines(t agent.AgentType, in io.Reader, out io.Writer, at, newID string) error {
	src, err := rereadable(in)
	if err != nil {
		return err
	}
	var p prefix
	if at != "" {
		g := newGraph(t, false)
		if err := g.readLines(src); err != nil {
			return err
		}
		if p, err = g.prefix(at); err != nil {
			return err
		}
		if err := src.rewind(); err != nil {
			return err
		}
	}
	f := forker{prefix: p, whole: at == "", newID: newID, out: out}
	f.teller = agents.FormOf(t).Teller
	if err := finalLines(src, f.line); err != nil {
		return err
	}
	return f.finish()
}

// forker writes a prefix. It holds back the lines that must be at the end.
type forker struct {
	prefix
	whole bool
	newID string
	out   io.Writer
	n     int
	held  [][]byte

	teller agent.SessionTeller // nil if the ID is in the member sessionId
	oldID  string              // what it has told
}

// renamed returns the line with the new ID in the place of the session's.
func (f *forker) renamed(line []byte) []byte {
	switch {
	case f.newID == "":
		return line
	case f.teller == nil:
		return jsontext.SetMember(line, "sessionId", jsontext.Quote(f.newID))
	case f.oldID == "":
		f.oldID = f.teller.SessionIn(line)
	}
	if f.oldID == "" {
		return line
	}
	return bytes.ReplaceAll(line, []byte(f.oldID), []byte(f.newID))
}

func (f *forker) line(line []byte) error {
	f.n++
	after, more := f.more[f.n]
	if !f.whole && f.n > f.prefix.line && !more {
		return nil
	}
	line = f.renamed(line)
	if !f.whole && (f.n == f.prefix.line || after) {
		f.held = append(f.held, bytes.Clone(line))
		return nil
	}
	return writeLine(f.out, line)
}

func (f *forker) finish() error {
	for _, line := range f.held {
		if err := writeLine(f.out, line); err != nil {
			return err
		}
	}
	return nil
}

// prefix holds the lines up to line, and further ones: those that descend from its message
// (true) follow it, and the others precede it, so that the agent takes the message for the
// last one.
type prefix struct {
	line int
	more map[int]bool
}

// prefix returns the lines that a transcript ending with the message at needs.
func (g *Graph) prefix(at string) (prefix, error) {
	g.connect()
	i := g.find(at)
	if i < 0 {
		i = g.find(conversation.RecordUUID(at))
	}
	if i < 0 || g.nodes[i].kind == saidNothing {
		return prefix{}, fmt.Errorf("%w: %s", ErrNoMessage, at)
	}
	if g.nodes[i].chain != agent.MainChain {
		return prefix{}, fmt.Errorf("%w: %s is a subagent's", ErrNoMessage, at)
	}
	p := prefix{line: g.nodes[i].line, more: map[int]bool{}}
	more := g.missing(p.line)
	below := g.below(i, len(more) > 0)
	for _, k := range more {
		p.more[g.nodes[k].line] = below[k]
	}
	return p, nil
}

// find returns the last record with that name, noNode if there is none.
func (g *Graph) find(uuid string) int {
	for i := len(g.nodes) - 1; i >= 0; i-- {
		if g.nodes[i].uuid == uuid {
			return i
		}
	}
	return noNode
}

// below reports for every record whether it descends from record i.
func (g *Graph) below(i int, wanted bool) []bool {
	if !wanted {
		return nil
	}
	out := make([]bool, len(g.nodes))
	out[i] = true
	for _, k := range g.order {
		if up := g.nodes[k].parentIndex; up >= 0 && out[up] {
			out[k] = true
		}
	}
	return out
}

// missing returns the later records with results of calls in the prefix, the records that
// they depend on and, if they answer other calls as well, the records of those calls.
func (g *Graph) missing(line int) []int {
	var out, todo []int
	taken := map[int]bool{}
	take := func(i int) {
		if g.nodes[i].line > line && !taken[i] {
			taken[i] = true
			todo, out = append(todo, i), append(out, i)
		}
	}
	results := g.resultsOf()
	answered := func(i int) {
		for _, callID := range g.nodes[i].calls {
			if r, there := results[callID]; there {
				take(r)
			}
		}
	}
	for i := range g.nodes {
		if g.nodes[i].line <= line {
			answered(i)
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		answered(i)
		if up := g.nodes[i].parentIndex; up >= 0 {
			take(up)
		}
		for _, callID := range g.nodes[i].replies {
			if call, there := g.calls[callID]; there {
				take(call)
			}
		}
	}
	return out
}

// resultsOf returns the first record with the result of each call.
func (g *Graph) resultsOf() map[string]int {
	out := map[string]int{}
	for i := range g.nodes {
		for _, callID := range g.nodes[i].replies {
			if _, there := out[callID]; !there {
				out[callID] = i
			}
		}
	}
	return out
}
