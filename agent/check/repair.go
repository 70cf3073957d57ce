package check

import (
	"bytes"
	"fmt"
	"io"

	"entire/agent"
	"entire/agent/agents"
)

// Repairs lists what Repair did.
type Repairs struct {
	Torn       int `json:"torn_lines"` // unreadable lines, left out
	Salvaged   int `json:"salvaged"`   // records after a torn one in the same line, which stay
	Duplicates int `json:"duplicate_records"`
	Relinked   int `json:"relinked"` // records whose parent was missing or was the record itself
	Results    int `json:"added_results"`
	// Aside holds what was left out, in order.
	Aside []Aside `json:"-"`
}

// Aside is a line, or the beginning of one, that the repaired transcript does not have.
type Aside struct {
	Line   int         `json:"line"`
	Reason ProblemKind `json:"reason"`
	Text   []byte      `json:"text"`
}

// IsZero reports whether nothing was repaired.
func (r Repairs) IsZero() bool {
	return r.Torn+r.Salvaged+r.Duplicates+r.Relinked+r.Results == 0
}

// Repair writes a copy of a transcript that the agent can resume. It leaves out
// torn and malformed lines and records whose UUID an earlier one has. A record whose
// parent is missing, or that is its own ancestor, gets the record before it in the same
// conversation as its parent. A call without a result, after which the conversation
// continued, gets a result that says it was interrupted. It changes no other byte, except
// that the last line ends with a newline. The same input gives the same copy, and
// repairing a copy changes nothing. For an agent whose adapter is no agent.Linker, it only leaves out
// lines.
//
// It reads in twice, or holds it in memory if it is not an io.Seeker. It returns
// ErrNoDocument for an incomplete document.
func Repair(t agent.AgentType, in io.Reader, out io.Writer) (Repairs, error) {
	if agents.CountsMessages(t) {
		return repairList(t, in, out)
	}
	src, err := rereadable(in)
	if err != nil {
		return Repairs{}, fmt.Errorf("repair transcript: %w", err)
	}
	g := newGraph(t, true)
	if err := g.readLines(src); err != nil {
		return Repairs{}, fmt.Errorf("repair transcript: %w", err)
	}
	p := g.plan()
	if err := src.rewind(); err != nil {
		return Repairs{}, fmt.Errorf("repair transcript: %w", err)
	}
	w := &repairWriter{plan: p, linker: g.form.Linker, out: out, calls: map[int][]byte{}}
	if err := finalLines(src, w.line); err != nil {
		return Repairs{}, fmt.Errorf("repair transcript: %w", err)
	}
	return w.done, nil
}

// source can be read again from its first position.
type source struct {
	io.Reader
	rewind func() error
}

func rereadable(in io.Reader) (source, error) {
	if s, ok := in.(io.Seeker); ok {
		if from, err := s.Seek(0, io.SeekCurrent); err == nil {
			return source{in, func() error { _, err := s.Seek(from, io.SeekStart); return err }}, nil
		}
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return source{}, err
	}
	r := bytes.NewReader(text)
	return source{r, func() error { r.Reset(text); return nil }}, nil
}

// plan holds the changes to each line.
type plan struct {
	bad     map[int]badLine
	parents map[int]string      // line -> its new parent, "" for none
	keep    map[int]bool        // lines whose text is needed for a synthetic result
	insert  map[int][]synthetic // after line
}

// synthetic is a result for a call that has none.
type synthetic struct {
	uuid, parent, callID string
	of                   int // the line with the call
}

// plan relinks records without a valid parent, then finds the calls that need a result.
func (g *Graph) plan() plan {
	p := plan{bad: g.bad, parents: map[int]string{}, keep: map[int]bool{}, insert: map[int][]synthetic{}}
	if g.form.Linker == nil {
		return p
	}
	g.connect()
	g.relink(p)
	g.answerCalls(p)
	return p
}

// relink gives every record whose parent is missing, and one record of every cycle,
// another parent.
func (g *Graph) relink(p plan) {
	before, forward := g.chainBefore(), g.pointsForward()
	for i := range g.nodes {
		if g.nodes[i].parentIndex == lostNode {
			g.setParent(p, i, before[i], forward)
		}
	}
	firsts, _ := g.cycles()
	for _, i := range firsts {
		g.setParent(p, i, before[i], true)
	}
	g.connect()
}

// pointsForward reports whether any record's parent is a later one. If none is, a new
// parent before the record makes no cycle.
func (g *Graph) pointsForward() bool {
	for i := range g.nodes {
		if g.nodes[i].parentIndex >= i {
			return true
		}
	}
	return false
}

// setParent makes an earlier record the parent of record i, or none if that could make a
// cycle.
func (g *Graph) setParent(p plan, i, up int, forward bool) {
	n := &g.nodes[i]
	for k, steps := up, 0; forward && k >= 0; k, steps = g.nodes[k].parentIndex, steps+1 {
		if k == i || steps > len(g.nodes) {
			up = noNode
			break
		}
	}
	n.parentIndex, n.parent = up, ""
	if up >= 0 {
		n.parent = g.nodes[up].uuid
	}
	p.parents[n.line] = n.parent
}

// chainBefore returns for every record the last message before it in its conversation.
func (g *Graph) chainBefore() []int {
	out := make([]int, len(g.nodes))
	last := map[string]int{}
	for i := range g.nodes {
		n := &g.nodes[i]
		out[i] = noNode
		if up, there := last[n.chain]; there {
			out[i] = up
		}
		if n.kind != saidNothing && n.uuid != "" && !n.shares {
			last[n.chain] = i
		}
	}
	return out
}

// answerCalls plans a result for every call that was skipped. The result follows the call,
// or the results of other calls of the same record, and becomes the parent of what
// followed those.
func (g *Graph) answerCalls(p plan) {
	ends := map[int]int{} // the last result of each record's calls
	tails := map[int]string{}
	for _, open := range g.unanswered() {
		call := &g.nodes[open.node]
		end, there := ends[open.node]
		if !there {
			end = g.lastReply(open.node)
			ends[open.node], tails[open.node] = end, g.nodes[end].uuid
		}
		s := synthetic{uuid: g.FreshUUID(call.uuid, open.callID), parent: tails[open.node], callID: open.callID, of: call.line}
		tails[open.node] = s.uuid
		at := max(call.line, g.nodes[end].line)
		p.keep[call.line] = true
		p.insert[at] = append(p.insert[at], s)
	}
	for i, end := range ends {
		for _, kid := range g.kids[end] {
			if n := &g.nodes[kid]; !n.follows {
				p.parents[n.line] = tails[i]
			}
		}
	}
}

// lastReply returns the last record in the chain of results of i's calls below i; i itself
// if there is none.
func (g *Graph) lastReply(i int) int {
	end := i
	for again := true; again; {
		again = false
		for _, kid := range g.kids[end] {
			if n := &g.nodes[kid]; n.kind == saidReply && g.calls[n.replies[0]] == i && g.replied[n.replies[0]] {
				end, again = int(kid), true
			}
		}
	}
	return end
}
