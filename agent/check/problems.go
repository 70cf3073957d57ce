package check

import (
	"fmt"
	"time"
)

// clockSlack is how much older than its parent a record may be: an agent writes the time
// at which it began to make the record.
const clockSlack = time.Second

// findProblems adds the problems of a connected graph, except its branches, which resume
// adds.
func (g *Graph) findProblems() {
	g.findParents()
	g.findCycles()
	g.findClocks()
	for _, i := range g.unanswered() {
		n := &g.nodes[i.node]
		g.problem(ProblemNoResult, n.line, n.uuid, "the call %s has no result, and the conversation went on", i.callID)
	}
	for i := range g.nodes {
		n := &g.nodes[i]
		for _, callID := range n.replies {
			if _, called := g.calls[callID]; !called {
				g.problem(ProblemNoCall, n.line, n.uuid, "the result of a call %s that is not there", callID)
			}
		}
	}
}

func (g *Graph) findParents() {
	for i := range g.nodes {
		if n := &g.nodes[i]; n.parentIndex == lostNode {
			g.problem(ProblemNoParent, n.line, n.uuid, "it follows %s, which is not there", n.parent)
		}
	}
}

// cycles returns the cycles in the graph, each by its first record and its length.
func (g *Graph) cycles() (firsts, lengths []int) {
	seen := make([]int, len(g.nodes)) // 0: not visited; otherwise the walk that visited it
	for _, i := range g.order {
		seen[i] = -1 // its chain of parents ends
	}
	for i := range g.nodes {
		at, walk := i, i+1
		for at >= 0 && seen[at] == 0 {
			seen[at] = walk
			at = g.nodes[at].parentIndex
		}
		if at < 0 || seen[at] != walk {
			continue
		}
		first, length := at, 1
		for next := g.nodes[at].parentIndex; next != at; next = g.nodes[next].parentIndex {
			first, length = min(first, next), length+1
		}
		firsts, lengths = append(firsts, first), append(lengths, length)
	}
	return firsts, lengths
}

func (g *Graph) findCycles() {
	firsts, lengths := g.cycles()
	for k, i := range firsts {
		detail := "it follows itself"
		if lengths[k] > 1 {
			detail = fmt.Sprintf("%d records follow each other in a circle", lengths[k])
		}
		g.problem(ProblemCycle, g.nodes[i].line, g.nodes[i].uuid, "%s", detail)
	}
}

func (g *Graph) findClocks() {
	ups := g.upMessages()
	for i := range g.nodes {
		n := &g.nodes[i]
		if n.kind == saidNothing || ups[i] < 0 || n.at == 0 {
			continue
		}
		if up := &g.nodes[ups[i]]; up.at != 0 {
			if back := time.Duration(up.at - n.at); back > clockSlack {
				g.problem(ProblemClock, n.line, n.uuid, "it is %s older than line %d, which it follows", back.Round(time.Millisecond), up.line)
			}
		}
	}
}

// openCall is a tool call without a result.
type openCall struct {
	node   int
	callID string
}

// unanswered returns the calls without a result after which the conversation continued.
// The calls of one answer belong together: what follows one of its records follows all of
// them. A call at the end of the conversation is open, not unanswered.
func (g *Graph) unanswered() []openCall {
	var out []openCall
	after := g.answersPassed()
	found := map[string]bool{} // a record may name a call twice
	for i := range g.nodes {
		n := &g.nodes[i]
		for _, callID := range n.calls {
			if !g.replied[callID] && !found[callID] && g.calls[callID] == i && after[g.answerKey(i)] {
				found[callID] = true
				out = append(out, openCall{i, callID})
			}
		}
	}
	return out
}

func (g *Graph) openCalls() int {
	open := 0
	for callID := range g.calls {
		if !g.replied[callID] {
			open++
		}
	}
	return open - len(g.unanswered())
}

// answerKey identifies the answer that a record is a part of.
func (g *Graph) answerKey(i int) string {
	if n := &g.nodes[i]; n.answer != "" {
		return n.chain + "\x00" + n.answer
	}
	return fmt.Sprint("\x00\x00", i)
}

// answersPassed returns the answers with calls that are followed by another answer or a
// prompt.
func (g *Graph) answersPassed() map[string]bool {
	// below holds for each record up to two different answers or prompts below it, of
	// which at least one is not the record's own answer.
	var below [][2]int32
	ids := map[string]int32{}
	idOf := func(i int) int32 {
		key := g.answerKey(i)
		if ids[key] == 0 {
			ids[key] = int32(len(ids) + 1)
		}
		return ids[key]
	}
	below = make([][2]int32, len(g.nodes))
	note := func(i int, v int32) {
		switch b := &below[i]; {
		case v == 0 || b[0] == v || b[1] == v:
		case b[0] == 0:
			b[0] = v
		case b[1] == 0:
			b[1] = v
		}
	}
	passed := map[string]bool{}
	for k := len(g.order) - 1; k >= 0; k-- {
		i := int(g.order[k])
		n := &g.nodes[i]
		if n.kind == saidAnswer && len(n.calls) > 0 {
			own := idOf(i)
			if b := below[i]; b[0] != 0 && b[0] != own || b[1] != 0 && b[1] != own {
				passed[g.answerKey(i)] = true
			}
		}
		if n.parentIndex < 0 {
			continue
		}
		if n.kind == saidAnswer || n.kind == saidPrompt {
			note(n.parentIndex, idOf(i))
		}
		note(n.parentIndex, below[i][0])
		note(n.parentIndex, below[i][1])
	}
	return passed
}

func (g *Graph) compactions() int {
	count := 0
	for i := range g.nodes {
		if n := &g.nodes[i]; n.cut && (n.parentIndex < 0 || !g.nodes[n.parentIndex].cut) {
			count++
		}
	}
	return count
}
