package agent

import (
	"bytes"
	"fmt"
	"io"
)

// Repairs is what RepairTranscript did.
type Repairs struct {
	Torn       int `json:"torn_lines"` // lines left out that could not be read
	Salvaged   int `json:"salvaged"`   // records that stood behind a torn one and stay
	Duplicates int `json:"duplicate_records"`
	Relinked   int `json:"relinked"` // records whose parent was not there or was themselves
	Results    int `json:"added_results"`
	// Aside is what was left out, in order.
	Aside []Aside `json:"-"`
}

// Aside is a line, or the beginning of one, that a repaired transcript is without.
type Aside struct {
	Line   int         `json:"line"`
	Reason ProblemKind `json:"reason"`
	Text   []byte      `json:"text"`
}

// IsZero reports whether there was nothing to mend.
func (r Repairs) IsZero() bool {
	return r.Torn+r.Salvaged+r.Duplicates+r.Relinked+r.Results == 0
}

// RepairTranscript writes a copy of a transcript that the agent can go on from:
// torn and malformed lines and records whose UUID an earlier one has are left out;
// a record whose parent is not there, or that follows itself, follows the one before
// it in the same conversation; a call without a result that the conversation went on
// from has one that says it was interrupted. Every other byte is what it was, but
// that the last line ends with a newline. The same input gives the same copy, and a
// copy of a copy is equal to it.
//
// It reads in twice, or holds it in memory where it is no io.Seeker. A document that
// is not whole cannot be repaired: ErrNoDocument.
func RepairTranscript(t AgentType, in io.Reader, out io.Writer) (Repairs, error) {
	if t == AgentTypeGemini {
		return repairGemini(in, out)
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
	w := &mender{plan: p, out: out, calls: map[int]callRecord{}}
	if err := everyLine(src, w.line); err != nil {
		return Repairs{}, fmt.Errorf("repair transcript: %w", err)
	}
	return w.done, nil
}

// source can be read again from where it was.
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

// plan is what to do to which line.
type plan struct {
	bad     map[int]badLine
	parents map[int]string      // line -> the parent it gets, "" for none
	keep    map[int]bool        // lines whose text a synthetic result is made of
	insert  map[int][]synthetic // after line
}

// synthetic is the result of a call that has none.
type synthetic struct {
	uuid, parent, callID string
	of                   int  // the line that calls
	own                  bool // in this program's own form
}

// plan relinks what hangs on nothing, then finds the calls that need a result.
func (g *graph) plan() plan {
	p := plan{bad: g.bad, parents: map[int]string{}, keep: map[int]bool{}, insert: map[int][]synthetic{}}
	g.connect()
	g.relink(p)
	g.answerCalls(p)
	return p
}

// relink gives every record that follows nothing or itself another parent.
func (g *graph) relink(p plan) {
	before, forward := g.chainBefore(), g.pointsForward()
	for i := range g.nodes {
		if g.nodes[i].up == lostNode {
			g.follow(p, i, before[i], forward)
		}
	}
	firsts, _ := g.circles()
	for _, i := range firsts {
		g.follow(p, i, before[i], true)
	}
	g.connect()
}

// pointsForward reports whether any record follows a later one: without, following
// an earlier one makes no circle.
func (g *graph) pointsForward() bool {
	for i := range g.nodes {
		if g.nodes[i].up >= i {
			return true
		}
	}
	return false
}

// follow makes record i follow an earlier one, or nothing where that could be a
// circle.
func (g *graph) follow(p plan, i, up int, forward bool) {
	n := &g.nodes[i]
	for k, steps := up, 0; forward && k >= 0; k, steps = g.nodes[k].up, steps+1 {
		if k == i || steps > len(g.nodes) {
			up = noNode
			break
		}
	}
	n.up, n.parent = up, ""
	if up >= 0 {
		n.parent = g.nodes[up].uuid
	}
	p.parents[n.line] = n.parent
}

// chainBefore is, for every record, the last message before it in its conversation.
func (g *graph) chainBefore() []int {
	out := make([]int, len(g.nodes))
	last := map[string]int{}
	for i := range g.nodes {
		n := &g.nodes[i]
		out[i] = noNode
		if up, there := last[n.chain]; there {
			out[i] = up
		}
		if n.said != saidNothing && n.uuid != "" && !n.own {
			last[n.chain] = i
		}
	}
	return out
}

// answerCalls plans a result for every call that was passed over. It stands behind
// the call, or behind results of other calls of the same record, and what followed
// those follows it.
func (g *graph) answerCalls(p plan) {
	ends := map[int]int{} // where results of a record's calls end
	tails := map[int]string{}
	for _, open := range g.unanswered() {
		call := &g.nodes[open.node]
		end, there := ends[open.node]
		if !there {
			end = g.lastReply(open.node)
			ends[open.node], tails[open.node] = end, g.nodes[end].uuid
		}
		s := synthetic{uuid: g.freshUUID(call.uuid, open.callID), parent: tails[open.node], callID: open.callID, of: call.line, own: call.own}
		tails[open.node] = s.uuid
		at := max(call.line, g.nodes[end].line)
		p.keep[call.line] = true
		p.insert[at] = append(p.insert[at], s)
	}
	for i, end := range ends {
		if g.nodes[end].own {
			continue // what comes next follows
		}
		for _, kid := range g.kids[end] {
			p.parents[g.nodes[kid].line] = tails[i]
		}
	}
}

// lastReply is the last record below i that has results of i's calls only, one after
// the other; i itself if there is none.
func (g *graph) lastReply(i int) int {
	end := i
	for again := true; again; {
		again = false
		for _, kid := range g.kids[end] {
			if n := &g.nodes[kid]; n.said == saidReply && g.calls[n.replies[0]] == i && g.replied[n.replies[0]] {
				end, again = int(kid), true
			}
		}
	}
	return end
}
