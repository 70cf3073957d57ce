package migrate

import (
	"context"
	"fmt"
	"slices"

	"entire/checkpoint/chunk"
	"entire/id"
	"entire/internal/git"
)

// Names in a history, after the number of the commit: its bytes, and its tree. The numbers are in the order
// in which the commits are made again.
const (
	commitSuffix = ".commit"
	treeSuffix   = ".tree"
)

// maxChain bounds the commits of one ref.
const maxChain = 10_000

// A link is one commit of a ref.
type link struct {
	git.Commit
	raw []byte
}

// A chain is the whole history of a ref, parents before children; the last is the tip.
type chain []link

func (c chain) tip() link { return c[len(c)-1] }

// tree returns the tree of the tip.
func (c chain) tree() git.OID { return c.tip().Tree }

func (c chain) has(tree git.OID) bool {
	return slices.ContainsFunc(c, func(l link) bool { return l.Tree == tree })
}

// readChains reads the histories that end in tips, of those of ids that have one, in a few round
// trips for all. A history that is not complete here is left out.
func readChains(ctx context.Context, repo *git.Repo, ids []id.CheckpointID, tips map[id.CheckpointID]git.OID) (map[id.CheckpointID]chain, error) {
	commits := map[git.OID]link{}
	level := map[git.OID]bool{}
	for _, cp := range ids {
		if tip, ok := tips[cp]; ok {
			level[tip] = true
		}
	}
	for len(level) > 0 {
		if err := readLinks(repo.Reader(ctx), level, commits); err != nil {
			return nil, fmt.Errorf("read histories of checkpoints: %w", err)
		}
		next := map[git.OID]bool{}
		for oid := range level {
			for _, p := range commits[oid].Parents {
				if _, known := commits[p]; !known {
					next[p] = true
				}
			}
		}
		level = next
	}
	chains := map[id.CheckpointID]chain{}
	for _, cp := range ids {
		if tip, ok := tips[cp]; ok {
			if c := chainOf(commits, tip); c != nil {
				chains[cp] = c
			}
		}
	}
	return chains, nil
}

// readLinks adds commits to those that are known; one that is missing gets no raw bytes.
func readLinks(rd *git.Reader, oids map[git.OID]bool, commits map[git.OID]link) error {
	var ask chunk.Batch
	for oid := range oids {
		ask.Add(oid.String(), func(o git.Object) (err error) {
			l := link{raw: slices.Clone(o.Data)}
			if o.Type != "commit" {
				l.raw = nil
			} else if l.Commit, err = git.ParseCommit(o.OID, o.Data); err != nil {
				return err
			}
			commits[oid] = l
			return nil
		})
	}
	return ask.Run(rd)
}

// chainOf puts parents before children. It returns nil if a commit is missing.
func chainOf(commits map[git.OID]link, tip git.OID) chain {
	var out chain
	done := map[git.OID]bool{}
	stack := []git.OID{tip}
	for len(stack) > 0 {
		oid := stack[len(stack)-1]
		l := commits[oid]
		if l.raw == nil || len(out) > maxChain {
			return nil
		}
		waits := false
		for _, p := range slices.Backward(l.Parents) {
			if !done[p] {
				stack, waits = append(stack, p), true
			}
		}
		if waits {
			continue
		}
		stack = stack[:len(stack)-1]
		if !done[oid] {
			done[oid] = true
			out = append(out, l)
		}
	}
	return out
}

// store writes a chain as a folder of the branch, and returns its tree.
func (c chain) store(w *git.Writer) (git.OID, error) {
	entries := make([]git.TreeEntry, 0, 2*len(c))
	for n, l := range c {
		blob, err := w.Blob(l.raw)
		if err != nil {
			return git.OID{}, err
		}
		name := fmt.Sprintf("%06d", n+1)
		entries = append(entries, git.TreeEntry{Mode: git.ModeFile, Name: name + commitSuffix, OID: blob},
			git.TreeEntry{Mode: git.ModeTree, Name: name + treeSuffix, OID: l.Tree})
	}
	return w.Tree(entries)
}

// restoreChain makes the commits of a stored history again, and returns them. It returns nil for a
// folder that is none, such as one that another program has changed.
func restoreChain(rd *git.Reader, w *git.Writer, tree git.OID) (chain, error) {
	entries, err := rd.Tree(tree)
	if err != nil {
		return nil, err
	}
	at := map[string]git.TreeEntry{}
	for _, e := range entries {
		at[e.Name] = e
	}
	var out chain
	made := map[git.OID]bool{}
	for n := 1; n <= maxChain; n++ {
		name := fmt.Sprintf("%06d", n)
		blob, there := at[name+commitSuffix]
		if !there {
			break
		}
		raw, err := rd.Blob(blob.OID)
		if err != nil {
			return nil, err
		}
		c, err := git.ParseCommit(git.OID{}, raw)
		known := err == nil && c.Tree == at[name+treeSuffix].OID && !slices.ContainsFunc(c.Parents, func(p git.OID) bool { return !made[p] })
		if !known {
			return nil, nil
		}
		if c.OID, err = w.RawCommit(raw); err != nil {
			return nil, err
		}
		made[c.OID] = true
		out = append(out, link{c, raw})
	}
	return out, nil
}

// add puts a commit with that tree on top, with the message, people and times of another one.
func (c chain) add(w *git.Writer, tree git.OID, like git.Commit) (chain, error) {
	next := git.Commit{Tree: tree, Author: like.Author, Committer: like.Committer, Message: like.Message}
	if len(c) > 0 {
		next.Parents = []git.OID{c.tip().OID}
	}
	oid, err := w.Commit(next)
	next.OID = oid
	return append(c, link{next, next.Encode()}), err
}
