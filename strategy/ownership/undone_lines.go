package ownership

import (
	"context"
	"maps"
	"slices"

	"entire/id"
	"entire/internal/attribution"
	"entire/strategy/evidence"
	"entire/strategy/sessionstate"
)

// addUndone claims those lines of a person that agents, or unknown authors, wrote in commits that a reset undid: in the
// same file, or in another one that has lost them. The steps of those commits are gone, and their checkpoints know the
// owners. It costs nothing where no reset undid a linked commit.
func (c *claims) addUndone(ctx context.Context) error {
	if len(c.people) == 0 {
		return nil
	}
	undone, err := evidence.UndoneCommits(ctx, c.s)
	if err != nil || len(undone) == 0 {
		return err
	}
	var cps []id.CheckpointID
	for _, u := range undone {
		cps = append(cps, u.Checkpoints...)
	}
	stored, err := storedRecords(ctx, c.s, cps...)
	for _, cp := range slices.SortedFunc(maps.Keys(stored), id.CheckpointID.Compare) {
		r := stored[cp]
		for i := range r.Files {
			c.addRecorded(sessionstate.DecodePath(r.Files[i].Path), r, &r.Files[i])
		}
	}
	return err
}

// addRecorded claims lines that a record does not give to a person, in a file that was at a path.
func (c *claims) addRecorded(path string, r *attribution.Record, f *attribution.RecordFile) {
	lines := attribution.WrittenLines(r, f)
	type said struct {
		line  attribution.Print
		owner int
	}
	done := map[said]bool{}
	for i, p := range lines.Prints {
		one := said{p, lines.Ranges[i].Owner}
		by := r.Owners[one.owner]
		if by.Class == attribution.ClassHuman || done[one] {
			continue
		}
		done[one] = true
		owner := attribution.Owner{Class: parseClass(by.Class), Session: by.SessionID, Turn: by.Turn}
		for _, l := range c.people[p] {
			if l.path == path || !c.worktree.has(c.s, path, p) {
				c.addFrom(path, l.path, l.at, claim{owner: owner, when: longAgo})
			}
		}
	}
}
