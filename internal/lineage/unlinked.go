package lineage

import (
	"context"
	"slices"

	"entire/internal/attribution"
	"entire/internal/git"
)

// unlinked holds commits that contain an agent's work but name no checkpoint. The owners
// of lines from such a commit are unknown, there and wherever it was cherry-picked,
// squashed or rebased to.
type unlinked struct {
	commits []git.OID
	lines   map[attribution.Print]bool                    // of these commits
	owners  map[attribution.Print]attribution.RecordOwner // of the lines that sessions remember
}

// unlinkedWork returns the unlinked commits and lines; it reads them once.
func (r *Resolver) unlinkedWork(ctx context.Context) (*unlinked, error) {
	if r.opts.Unlinked == nil {
		return &unlinked{}, nil
	}
	if r.unlinked != nil {
		return r.unlinked, nil
	}
	oids, owners, err := r.opts.Unlinked(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.load(ctx, oids); err != nil {
		return nil, err
	}
	u := &unlinked{commits: oids, lines: map[attribution.Print]bool{}, owners: owners}
	for _, oid := range oids {
		c := r.commits[oid]
		if c == nil { // pruned
			continue
		}
		changes, err := r.changed(ctx, c)
		if err != nil {
			return nil, err
		}
		for _, ch := range changes {
			texts, err := r.texts(ctx, blobOf(ch.OldMode, ch.Old), blobOf(ch.NewMode, ch.New))
			if err != nil {
				return nil, err
			}
			if texts != nil {
				u.addWritten(texts[0], texts[1])
			}
		}
	}
	r.unlinked = u
	return u, nil
}

// addWritten adds the distinctive lines that a version has and the one before does not have.
func (u *unlinked) addWritten(before, after []byte) {
	of := attribution.Trace(before, after)
	for i, p := range attribution.DistinctivePrints(after) {
		if i < len(of) && of[i] < 0 {
			u.lines[p] = true
		}
	}
}

// assignRemembered gives blocks of lines to the session that remembers them: it wrote them, and a stash or a
// person brought them into the commit. A single line may have been written twice, so it is unknown.
func (s *search) assignRemembered(u *unlinked) {
	origins := map[int]Origin{}
	for _, i := range s.pending {
		if o, ok := u.owners[s.prints[i]]; ok && s.distinctive[i] {
			origins[i] = Origin{Owner: o, Evidence: Remembered}
		}
	}
	s.assignBlocks(origins)
}

// assignBlocks gives blocks of lines to the agents that their origins name. A line that is in no block of one agent's is
// unknown.
func (s *search) assignBlocks(origins map[int]Origin) {
	if len(origins) == 0 {
		return
	}
	claims, texts := make([]attribution.Claim, len(s.prints)), attribution.SplitLines(s.v.text)
	for i := range claims {
		claims[i].Weak = !s.distinctive[i]
		if o := origins[i].Owner; o.Class == attribution.ClassAgent {
			claims[i].Source, claims[i].Letters = o.Class+" "+o.SessionID, attribution.Letters(texts[i])
		}
	}
	holds := attribution.Blocks(claims)
	for i, o := range origins {
		if !holds[i] {
			o = unknown(None)
		}
		s.assign(i, source{Origin: o})
	}
	s.dropAssigned()
}

// mayHold reports whether a line of a commit may come from an unlinked commit; strong says
// whether the line is distinctive.
func (u *unlinked) mayHold(c git.OID, p attribution.Print, strong bool) bool {
	return strong && u.lines[p] || slices.Contains(u.commits, c)
}
