package agent

import (
	"fmt"
	"hash/maphash"
)

// graph is the records of a transcript and which of them follows which.
type graph struct {
	agent AgentType
	// mend has what was glued to a torn record read as a line of its own.
	mend bool

	lines   int
	nodes   []node
	byUUID  map[string]int
	calls   map[string]int  // call ID -> the node that calls
	replied map[string]bool // call IDs with a result
	results int

	problems []Problem
	bad      map[int]badLine
	talk     *Normalizer // of transcripts without parents
	lastOwn  int         // the last record in this program's own form
	seed     maphash.Seed

	kids  [][]int32 // set by connect
	order []int32   // parents first, without what hangs on a circle
}

// node is one record. What it follows is up, a node's number or noNode.
type node struct {
	line         int
	uuid, parent string
	up           int
	logical      string // what came before a cut
	cut          bool   // what was said before is a summary now
	chain        string
	answer       string
	said         said
	calls        []string
	replies      []string
	at           int64 // nanoseconds, 0 if unknown
	// own marks a record in this program's own form, which follows the own one
	// before it, under, and may have no name.
	own   bool
	under int
	sum   uint64
}

// noNode stands for no parent, lostNode for one that is not there.
const (
	noNode   = -1
	lostNode = -2
)

// said is what a record holds.
type said byte

const (
	saidNothing said = iota
	saidPrompt       // by a user
	saidNote         // by the program, in the user's place
	saidReply        // tool results
	saidAnswer       // by the model
)

// badLine is a line that could not be read, and where in it a record begins that
// could be, if any.
type badLine struct {
	kind ProblemKind
	good int
}

func newGraph(t AgentType, mend bool) *graph {
	return &graph{agent: t, mend: mend, byUUID: map[string]int{}, calls: map[string]int{},
		replied: map[string]bool{}, bad: map[int]badLine{}, talk: NewNormalizer(t), lastOwn: noNode, seed: maphash.MakeSeed()}
}

func (g *graph) problem(kind ProblemKind, line int, uuid, detail string, a ...any) {
	g.problems = append(g.problems, Problem{Kind: kind, Line: line, UUID: uuid, Detail: fmt.Sprintf(detail, a...)})
}

// add takes a record in, unless one has its UUID already.
func (g *graph) add(n node) {
	if first, there := g.byUUID[n.uuid]; there && n.uuid != "" && !n.own {
		what := "another record than"
		if g.nodes[first].sum == n.sum {
			what = "the same record as"
		}
		g.problem(ProblemDuplicate, n.line, n.uuid, "%s line %d", what, g.nodes[first].line)
		g.bad[n.line] = badLine{kind: ProblemDuplicate}
		return
	}
	i := len(g.nodes)
	if n.uuid != "" && !n.own {
		g.byUUID[n.uuid] = i
	}
	for _, id := range n.calls {
		if _, there := g.calls[id]; !there {
			g.calls[id] = i
		}
	}
	for _, id := range n.replies {
		g.replied[id] = true
	}
	g.results += len(n.replies)
	g.nodes = append(g.nodes, n)
}

// addOwn takes in a message of a record in this program's own form.
func (g *graph) addOwn(m *Message) {
	n := g.messageNode(m)
	n.own, n.under = true, g.lastOwn
	g.lastOwn = len(g.nodes)
	g.add(n)
}

// addMessage takes a message in as a record of its own.
func (g *graph) addMessage(m *Message) { g.add(g.messageNode(m)) }

func (g *graph) messageNode(m *Message) node {
	n := node{line: g.lines, uuid: m.UUID, parent: m.ParentUUID, answer: m.MessageID, said: saidBy(m)}
	if m.Sidechain {
		n.chain = strayChain
		if m.AgentID != "" {
			n.chain = m.AgentID
		}
	}
	if !m.Timestamp.IsZero() {
		n.at = m.Timestamp.UnixNano()
	}
	for _, c := range m.ToolCalls {
		if c.ID != "" {
			n.calls = append(n.calls, c.ID)
		}
	}
	if m.ToolCallID != "" {
		n.replies = []string{m.ToolCallID}
	}
	n.sum = maphash.Comparable(g.seed, [2]string{m.Content, m.ParentUUID})
	return n
}

func saidBy(m *Message) said {
	switch {
	case m.Role == RoleAssistant:
		return saidAnswer
	case m.Role == RoleTool:
		return saidReply
	case m.Role == RoleUser && !m.Note():
		return saidPrompt
	}
	return saidNote
}

// connect finds every record's parent and children.
func (g *graph) connect() {
	g.kids, g.order = make([][]int32, len(g.nodes)), make([]int32, 0, len(g.nodes))
	for i := range g.nodes {
		n := &g.nodes[i]
		if n.up = g.parentOf(n); n.up >= 0 {
			g.kids[n.up] = append(g.kids[n.up], int32(i))
		} else {
			g.order = append(g.order, int32(i))
		}
	}
	for at := 0; at < len(g.order); at++ {
		g.order = append(g.order, g.kids[g.order[at]]...)
	}
}

func (g *graph) parentOf(n *node) int {
	if n.own {
		return n.under
	}
	if n.parent == "" {
		return noNode
	}
	if up, there := g.byUUID[n.parent]; there {
		return up
	}
	return lostNode
}

// circling are the records whose way up ends in a circle.
func (g *graph) circling() []int {
	if len(g.order) == len(g.nodes) {
		return nil
	}
	ends := make([]bool, len(g.nodes))
	for _, i := range g.order {
		ends[i] = true
	}
	var out []int
	for i, ends := range ends {
		if !ends {
			out = append(out, i)
		}
	}
	return out
}

// upMessages is, for every record, the nearest message on the way up.
func (g *graph) upMessages() []int {
	out := make([]int, len(g.nodes))
	for i := range out {
		out[i] = noNode
	}
	for _, i := range g.order {
		up := g.nodes[i].up
		switch {
		case up < 0:
		case g.nodes[up].said != saidNothing:
			out[i] = up
		default:
			out[i] = out[up]
		}
	}
	return out
}
