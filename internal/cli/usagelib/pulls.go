package usagelib

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire/id"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/usage"
)

const byPull = "pr"

// clockSlack is how much older than the commits that it brings a merge may say that it is.
const clockSlack = 48 * time.Hour

// A named is a commit that names checkpoints.
type named struct {
	commit      string
	when        time.Time
	checkpoints []id.CheckpointID
	pull        pull // that its own message names
}

// pulls says which pull request brought the work of each checkpoint.
type pulls struct {
	of map[id.CheckpointID]pull
	// branch has the pull request of a branch, if all checkpoints made on that branch are in the same one.
	branch map[string]pull
}

// readPulls finds the pull request of each checkpoint: that of a squash commit which names the checkpoint, or
// the first merge of a pull request that brought a commit which does. Of several it is the oldest.
func (p *past) readPulls(ctx context.Context, wp *workplace.Workplace) error {
	p.pulls = &pulls{of: map[id.CheckpointID]pull{}, branch: map[string]pull{}}
	if len(p.named) == 0 {
		return nil
	}
	slices.SortStableFunc(p.named, func(a, b named) int { return a.when.Compare(b.when) })
	brought, err := readMerges(ctx, wp.Repo, p.named[0].when.Add(-clockSlack))
	if err != nil {
		return err
	}
	for _, n := range p.named {
		of, ok := n.pull, n.pull.name != ""
		if !ok {
			of, ok = brought[n.commit]
		}
		for _, cp := range n.checkpoints {
			if _, older := p.pulls.of[cp]; ok && !older {
				p.pulls.of[cp] = of
			}
		}
	}
	p.pullsOfBranches()
	return nil
}

func (p *past) pullsOfBranches() {
	for _, parts := range p.parts {
		for _, part := range parts {
			of := p.pulls.of[part.checkpoint]
			if _, committed := p.commits[part.checkpoint]; !committed || part.branch == "" {
				continue
			}
			if had, seen := p.pulls.branch[part.branch]; seen && had.name != of.name {
				of = pull{}
			}
			p.pulls.branch[part.branch] = of
		}
	}
}

// pullKey returns the row of an answer: its pull request, or its branch.
func (p *past) pullKey(s sessionlib.ListedSession, fate usage.Fate, took part) usage.Key {
	branch := took.branch
	if branch == "" && len(s.Branches) > 0 {
		branch = s.Branches[len(s.Branches)-1]
	}
	of := pull{}
	if p.pulls != nil {
		if of = p.pulls.of[took.checkpoint]; fate != usage.Committed {
			of = p.pulls.branch[branch]
		}
	}
	if of.name != "" {
		return usage.Key{Name: of.name, Title: of.title}
	}
	return usage.Key{Name: cmp.Or(branch, "(unknown)")}
}

// everywhere selects the commits of all branches but ours.
var everywhere = []string{"--exclude=refs/heads/entire/*", "--branches", "--exclude=refs/remotes/*/entire/*", "--remotes", "--tags", "HEAD", "--"}

// readMerges returns the pull request that brought each commit, of the merges since a time.
func readMerges(ctx context.Context, repo *git.Repo, since time.Time) (map[string]pull, error) {
	after := "--since=" + since.UTC().Format(time.RFC3339)
	var exit *git.ExitError
	out, err := repo.Run(ctx, append([]string{"log", "-z", "--merges", after, "-n", fmt.Sprint(commitsMax), "--no-show-signature", "--format=%H%n%B"}, everywhere...)...)
	if err != nil && !errors.As(err, &exit) { // without a commit, git fails
		return nil, err
	}
	merges := map[string]pull{}
	for text := range strings.SplitSeq(string(out), "\x00") {
		oid, message, _ := strings.Cut(text, "\n")
		if of, ok := pullOf(message); ok {
			merges[oid] = of
		}
	}
	if len(merges) == 0 {
		return nil, nil
	}
	out, err = repo.Run(ctx, append([]string{"rev-list", "--topo-order", "--parents", after}, everywhere...)...)
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	return bringers(newGraph(string(out)), merges), nil
}

// bringers returns the merge that first brought each commit.
func bringers(g *graph, merges map[string]pull) map[string]pull {
	out := map[string]pull{}
	for i := len(g.oids) - 1; i >= 0; i-- { // parents first
		of, ok := merges[g.oids[i]]
		if !ok || len(g.parents[i]) < 2 {
			continue
		}
		for _, n := range g.between(g.parents[i][0], g.parents[i][1:]) {
			if _, before := out[g.oids[n]]; !before {
				out[g.oids[n]] = of
			}
		}
	}
	return out
}

// A graph is a history: commits in an order where each is before its parents. Parents that are not in it are
// left out; a first parent that is not is -1.
type graph struct {
	oids    []string
	parents [][]int
}

// newGraph reads lines of a commit and its parents.
func newGraph(text string) *graph {
	g := &graph{}
	at := map[string]int{}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		oid, _, _ := strings.Cut(line, " ")
		at[oid] = i
		g.oids = append(g.oids, oid)
	}
	for _, line := range lines {
		var parents []int
		for n, oid := range strings.Fields(line) {
			i, here := at[oid]
			if n == 0 || !here && n > 1 {
				continue
			}
			if !here {
				i = -1
			}
			parents = append(parents, i)
		}
		g.parents = append(g.parents, parents)
	}
	return g
}

// between returns the commits that the tips reach and base does not; a base of -1 reaches none. It stops where both
// reach everything.
func (g *graph) between(base int, tips []int) (out []int) {
	const fromTip, fromBase = 1, 2
	marks, queue, open := map[int]int{}, &lowest{}, 0
	mark := func(n, m int) {
		old, seen := marks[n]
		marks[n] = old | m
		switch {
		case !seen:
			heap.Push(queue, n)
			if m == fromTip {
				open++
			}
		case old == fromTip && m&fromBase != 0:
			open--
		}
	}
	if base >= 0 {
		mark(base, fromBase)
	}
	for _, n := range tips {
		mark(n, fromTip)
	}
	for open > 0 {
		n := heap.Pop(queue).(int)
		if marks[n] == fromTip {
			open--
			out = append(out, n)
		}
		for _, up := range g.parents[n] {
			if up >= 0 {
				mark(up, marks[n])
			}
		}
	}
	return out
}

// lowest is a heap of numbers.
type lowest struct{ sort []int }

func (h lowest) Len() int           { return len(h.sort) }
func (h lowest) Less(i, j int) bool { return h.sort[i] < h.sort[j] }
func (h lowest) Swap(i, j int)      { h.sort[i], h.sort[j] = h.sort[j], h.sort[i] }
func (h *lowest) Push(x any)        { h.sort = append(h.sort, x.(int)) }
func (h *lowest) Pop() any {
	x := h.sort[len(h.sort)-1]
	h.sort = h.sort[:len(h.sort)-1]
	return x
}
