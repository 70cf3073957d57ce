package audit

import (
	"fmt"
	"maps"
	"slices"

	"entire/checkpoint/metadata"
	"entire/checkpoint/statement"
	"entire/id"
)

// chain is what is known of one clone's statements.
type chain struct {
	links map[int]place // by number: statements that are there, and those that they replaced
	last  int
	said  []saying
}

// place is one statement in a chain.
type place struct {
	digest, checkpoint string
}

// saying is what one statement says of another.
type saying struct {
	by, clone string // the checkpoint and the chain of the statement that says it
	statement.Link
}

// add takes a statement into its clone's chain.
func (c *chain) add(st *statement.Statement, text []byte) (found []Finding) {
	own := st.Predicate.Chain
	for _, l := range append(slices.Clone(own.Replaces), st.Link(text)) {
		if was, twice := c.links[l.Number]; twice && was.digest != l.Digest {
			found = append(found, Finding{Repeated, st.Predicate.Checkpoint,
				fmt.Sprintf("number %d of clone %s is also that of checkpoint %s: the clone was copied, or one of the two is forged", l.Number, own.Clone, was.checkpoint)})
		}
		c.links[l.Number] = place{l.Digest, l.Checkpoint}
		c.last = max(c.last, l.Number)
	}
	if own.Previous != nil {
		c.said = append(c.said, saying{st.Predicate.Checkpoint, own.Clone, *own.Previous})
	}
	for clone, l := range own.Seen {
		c.said = append(c.said, saying{st.Predicate.Checkpoint, clone, l})
	}
	return found
}

// compareChains finds statements that are named and not there, or that are not the ones that were named. heads are the
// ends of the chains, and gone the forgotten checkpoints.
//
// A statement that nothing names is missing, too, if its number is below another of the same clone. Where checkpoints
// were forgotten it may have been about one of them: then it is counted in unaccounted.
func compareChains(chains map[string]*chain, heads []statement.Head, gone metadata.Forgotten) (found []Finding, unaccounted int) {
	var said []saying
	for _, c := range chains {
		said = append(said, c.said...)
	}
	for _, h := range heads {
		said = append(said, saying{"", h.Clone, h.Link})
	}
	missing, named := map[string]bool{}, map[string]map[int]bool{}
	for _, s := range said {
		if named[s.clone] == nil {
			named[s.clone] = map[int]bool{}
		}
		named[s.clone][s.Number] = true
		at, there := place{}, false
		if c := chains[s.clone]; c != nil {
			at, there = c.links[s.Number]
		}
		cp, err := id.NewCheckpointID(s.Checkpoint)
		switch {
		case there && at.digest != s.Digest:
			found = append(found, Finding{Changed, at.checkpoint,
				fmt.Sprintf("its statement, number %d of clone %s, is not the one that %s names", s.Number, s.clone, byWhom(s.by))})
		case there || err == nil && gone[cp]:
		default:
			key := fmt.Sprintf("statement %d of clone %s is not there", s.Number, s.clone)
			if !missing[s.Checkpoint+key] {
				missing[s.Checkpoint+key] = true
				found = append(found, Finding{Missing, s.Checkpoint, key + ": " + byWhom(s.by) + " names it"})
			}
		}
	}
	for _, clone := range slices.Sorted(maps.Keys(chains)) {
		c, gap := chains[clone], 0
		for n := 1; n < c.last; n++ {
			if _, there := c.links[n]; !there && !named[clone][n] {
				gap++
			}
		}
		if gap > 0 && len(gone) == 0 {
			found = append(found, Finding{Kind: Missing, What: fmt.Sprintf("%d more statements of clone %s are not there", gap, clone)})
		} else {
			unaccounted += gap
		}
	}
	return append(found, ends(chains, heads)...), unaccounted
}

func byWhom(checkpoint string) string {
	if checkpoint == "" {
		return "the end of the chain"
	}
	return "checkpoint " + checkpoint
}

// ends finds chains that go on after what the branch has as their end.
func ends(chains map[string]*chain, heads []statement.Head) (found []Finding) {
	byClone := map[string]int{}
	for _, h := range heads {
		byClone[h.Clone] = h.Number
	}
	for _, clone := range slices.Sorted(maps.Keys(chains)) {
		if c := chains[clone]; byClone[clone] < c.last {
			found = append(found, Finding{Missing, c.links[c.last].checkpoint,
				fmt.Sprintf("the end of clone %s's chain is number %d in the branch, and this checkpoint has number %d", clone, byClone[clone], c.last)})
		}
	}
	return found
}
