package check

import (
	"fmt"
	"hash/maphash"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
)

// Graph holds the records of a transcript and the parent of each.
type Graph struct {
	agent agent.AgentType
	form  *agents.Form
	// ancestors says that the agent reads a record's ancestors alone: see Profile.ReadsAncestors.
	ancestors bool
	// repairGlued reads what follows a torn record in the same line as a line of its own.
	repairGlued bool

	lines   int
	nodes   []node
	byUUID  map[string]int
	calls   map[string]int  // call ID -> the node with the call
	replied map[string]bool // call IDs with a result
	results int

	problems   []Problem
	bad        map[int]badLine
	normalizer *conversation.Normalizer // for transcripts whose records have no parents
	last       map[string]int           // the last record of each conversation
	seed       maphash.Seed

	kids  [][]int32 // set by connect
	order []int32   // parents before children, without records below a cycle
}

// node is one record. parentIndex is its parent's index, or noNode or lostNode.
type node struct {
	line         int
	uuid, parent string
	parentIndex  int
	logical      string // the record before a compaction
	cut          bool   // a summary replaces the earlier conversation
	chain        string
	answer       string
	kind         messageKind
	calls        []string
	replies      []string
	at           int64 // nanoseconds, 0 if unknown
	// follows marks a record that names no parent: it is the record before it, under. Another record may
	// share its UUID, if shares is set.
	follows, shares bool
	under           int
	sum             uint64
}

// noNode means that there is no parent, lostNode that the parent is missing.
const (
	noNode   = -1
	lostNode = -2
)

// messageKind is what kind of message a record holds.
type messageKind byte

const (
	saidNothing messageKind = iota
	saidPrompt              // a user's prompt
	saidNote                // the program's text in a user's message
	saidReply               // tool results
	saidAnswer              // the model's answer
)

// badLine is a line that could not be read, and the offset of a readable record in it, if
// any.
type badLine struct {
	kind ProblemKind
	good int
}

func newGraph(t agent.AgentType, mend bool) *Graph {
	return &Graph{agent: t, form: agents.FormOf(t), ancestors: agents.For(t).Profile().ReadsAncestors, repairGlued: mend, byUUID: map[string]int{}, calls: map[string]int{}, last: map[string]int{},
		replied: map[string]bool{}, bad: map[int]badLine{}, normalizer: conversation.NewNormalizer(t), seed: maphash.MakeSeed()}
}

func (g *Graph) problem(kind ProblemKind, line int, uuid, detail string, a ...any) {
	g.problems = append(g.problems, Problem{Kind: kind, Line: line, UUID: uuid, Detail: fmt.Sprintf(detail, a...)})
}

// add adds a record, unless an earlier one has its UUID.
func (g *Graph) add(n node) {
	if first, there := g.byUUID[n.uuid]; there && n.uuid != "" && !n.shares {
		what := "another record than"
		if g.nodes[first].sum == n.sum {
			what = "the same record as"
		}
		g.problem(ProblemDuplicate, n.line, n.uuid, "%s line %d", what, g.nodes[first].line)
		g.bad[n.line] = badLine{kind: ProblemDuplicate}
		return
	}
	i := len(g.nodes)
	if _, there := g.byUUID[n.uuid]; n.uuid != "" && !there {
		g.byUUID[n.uuid] = i
	}
	g.last[n.chain] = i
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

// addMessage adds a message as a record of its own.
func (g *Graph) addMessage(m *agent.Message) { g.add(g.messageNode(m)) }

func (g *Graph) messageNode(m *agent.Message) node {
	n := node{line: g.lines, uuid: m.UUID, parent: m.ParentUUID, answer: m.MessageID, kind: saidBy(m)}
	if m.Sidechain {
		n.chain = agent.StrayChain
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

func saidBy(m *agent.Message) messageKind {
	switch {
	case m.Role == agent.RoleAssistant:
		return saidAnswer
	case m.Role == agent.RoleTool:
		return saidReply
	case m.Role == agent.RoleUser && !m.IsNote():
		return saidPrompt
	}
	return saidNote
}

// connect finds every record's parent and children.
func (g *Graph) connect() {
	g.kids, g.order = make([][]int32, len(g.nodes)), make([]int32, 0, len(g.nodes))
	for i := range g.nodes {
		n := &g.nodes[i]
		if n.parentIndex = g.parentOf(n); n.parentIndex >= 0 {
			g.kids[n.parentIndex] = append(g.kids[n.parentIndex], int32(i))
		} else {
			g.order = append(g.order, int32(i))
		}
	}
	for at := 0; at < len(g.order); at++ {
		g.order = append(g.order, g.kids[g.order[at]]...)
	}
}

func (g *Graph) parentOf(n *node) int {
	if n.follows {
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

// cyclic returns the records whose chain of parents ends in a cycle.
func (g *Graph) cyclic() []int {
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

// upMessages returns for every record the nearest message among its ancestors.
func (g *Graph) upMessages() []int {
	out := make([]int, len(g.nodes))
	for i := range out {
		out[i] = noNode
	}
	for _, i := range g.order {
		up := g.nodes[i].parentIndex
		switch {
		case up < 0:
		case g.nodes[up].kind != saidNothing:
			out[i] = up
		default:
			out[i] = out[up]
		}
	}
	return out
}
