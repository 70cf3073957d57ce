package check

import (
	"slices"

	"entire/agent"
)

// fate is what happens to a record when the conversation is resumed.
type fate byte

const (
	fateUnknown fate = iota
	fateVisible
	fateCompacted
	fateParallel
	fateAbandoned
	fateLost
)

// resume returns what the agent sees when it resumes, and adds the abandoned branches to
// the problems.
func (g *Graph) resume() ResumeView {
	fates := make([]fate, len(g.nodes))
	leaf := g.leaf()
	g.walkBack(leaf, fates)
	g.markParallel(fates)
	g.markOthers(fates)
	return g.view(leaf, fates)
}

// main reports whether a record is a message of the main conversation.
func (g *Graph) main(i int) bool {
	return g.nodes[i].kind != saidNothing && g.nodes[i].chain == agent.MainChain
}

// leaf returns the last message without a successor, noNode if there is none.
func (g *Graph) leaf() int {
	followed := make([]bool, len(g.nodes))
	for _, i := range g.cyclic() {
		followed[g.nodes[i].parentIndex] = true
	}
	for k := len(g.order) - 1; k >= 0; k-- {
		i := g.order[k]
		if up := g.nodes[i].parentIndex; up >= 0 && (followed[i] || g.main(int(i))) {
			followed[up] = true
		}
	}
	for i := len(g.nodes) - 1; i >= 0; i-- {
		if g.main(i) && !followed[i] {
			return i
		}
	}
	return noNode
}

// walkBack marks the ancestors of the last message as visible, and those before a
// compaction as compacted.
func (g *Graph) walkBack(leaf int, fates []fate) {
	mark := fateVisible
	for i := leaf; i >= 0; {
		top, logical, cut := i, "", false
		for ; i >= 0 && fates[i] == fateUnknown; i = g.nodes[i].parentIndex {
			fates[i] = mark
			top, cut = i, cut || g.nodes[i].cut
			if g.nodes[i].logical != "" {
				logical = g.nodes[i].logical
			}
		}
		if i >= 0 || !cut || g.nodes[top].parentIndex == lostNode {
			return
		}
		mark = fateCompacted
		var there bool
		if i, there = g.byUUID[logical]; !there {
			i = g.messageBefore(top)
		}
	}
}

// messageBefore returns the last message of the main conversation before a record.
func (g *Graph) messageBefore(i int) int {
	for i--; i >= 0 && !g.main(i); i-- {
	}
	return i
}

// markParallel marks the records that belong to a visible answer but are not ancestors of
// the last message: if several tools ran at once, only one result has a successor.
func (g *Graph) markParallel(fates []fate) {
	markOf := map[fate]fate{fateVisible: fateParallel, fateCompacted: fateCompacted}
	answers := map[string]fate{}
	for i := range g.nodes {
		if f := markOf[fates[i]]; f != fateUnknown && g.nodes[i].answer != "" {
			answers[g.answerKey(i)] = f
		}
	}
	for i := range g.nodes {
		if n := &g.nodes[i]; n.kind == saidAnswer && n.answer != "" && fates[i] == fateUnknown {
			fates[i] = answers[g.answerKey(i)]
		}
	}
	for i := range g.nodes {
		n := &g.nodes[i]
		if n.kind != saidReply || fates[i] != fateUnknown {
			continue
		}
		for _, callID := range n.replies {
			if call, there := g.calls[callID]; there && fates[call] != fateUnknown && fates[i] == fateUnknown {
				fates[i] = max(markOf[fates[call]], fates[call])
			}
		}
	}
}

// markOthers marks every other message: it is abandoned if it descends from a visible one or
// from a root of its own, and lost if its chain of parents is broken.
func (g *Graph) markOthers(fates []fate) {
	counts, firsts := map[int32]int{}, map[int32]int{}
	top := make([]int32, len(g.nodes))
	for _, i := range g.order {
		if fates[i] != fateUnknown {
			continue
		}
		n := &g.nodes[i]
		switch {
		case n.parentIndex == lostNode:
			fates[i], top[i] = fateLost, i
		case n.parentIndex == noNode:
			fates[i], top[i] = fateAbandoned, i
		case fates[n.parentIndex] == fateAbandoned || fates[n.parentIndex] == fateLost:
			fates[i], top[i] = fates[n.parentIndex], top[n.parentIndex]
		default:
			fates[i], top[i] = fateAbandoned, i
		}
	}
	for i := range g.nodes {
		if fates[i] == fateUnknown {
			fates[i] = fateLost // in a cycle or below one
		}
		if t := top[i]; fates[i] == fateAbandoned && g.main(i) {
			if counts[t]++; counts[t] == 1 {
				firsts[t] = i
			}
		}
	}
	for t, count := range counts {
		if g.nodes[t].parentIndex != noNode {
			n := &g.nodes[firsts[t]]
			g.problem(ProblemBranch, n.line, n.uuid, "%d messages were left behind", count)
			g.problems[len(g.problems)-1].Normal = true
		}
	}
	g.findRoots()
}

// findRoots adds the places where the main conversation starts again without a compaction.
// This is normal after a rewind to the very beginning.
func (g *Graph) findRoots() {
	root := make([]int32, len(g.nodes))
	first, size := map[int32]int{}, map[int32]int{}
	var roots []int32
	for _, i := range g.order {
		if up := g.nodes[i].parentIndex; up >= 0 {
			root[i] = root[up]
		} else {
			root[i] = i
		}
		if g.main(int(i)) {
			r := root[i]
			if _, there := first[r]; !there {
				first[r] = int(i)
				roots = append(roots, r)
			}
			size[r]++
		}
	}
	begun := false
	slices.Sort(roots) // records are numbered in the order of their lines
	for _, r := range roots {
		n := &g.nodes[first[r]]
		if begun && g.nodes[r].parentIndex == noNode && !g.nodes[r].cut {
			g.problem(ProblemRoot, n.line, n.uuid, "the conversation starts over, for %d messages", size[r])
			g.problems[len(g.problems)-1].Normal = n.kind == saidPrompt
		}
		begun = true
	}
}

func (g *Graph) view(leaf int, fates []fate) ResumeView {
	v := ResumeView{Share: 1}
	if leaf >= 0 {
		v.Leaf, v.LeafLine = g.nodes[leaf].uuid, g.nodes[leaf].line
	}
	for i := range g.nodes {
		if !g.main(i) {
			continue
		}
		v.Total++
		switch fates[i] {
		case fateVisible:
			v.Visible++
		case fateCompacted:
			v.Compacted++
		case fateParallel:
			v.Parallel++
		case fateAbandoned:
			v.Abandoned++
		default:
			v.Lost++
		}
	}
	if !g.ancestors { // all parts of an answer are read
		v.Visible, v.Parallel = v.Visible+v.Parallel, 0
	}
	if v.Total > 0 {
		v.Share = float64(v.Visible) / float64(v.Total)
	}
	return v
}
