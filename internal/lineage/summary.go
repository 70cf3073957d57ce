package lineage

import (
	"context"
	"slices"

	"entire/checkpoint/records"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/internal/pathtext"
)

// bySummary uses a checkpoint that recorded no lines if its summary leaves no doubt: it
// has one session, whose agent wrote everything that the commit adds.
func (s *search) bySummary(ctx context.Context) error {
	if len(s.pending) == 0 || len(s.v.c.checkpoints) != 1 {
		return nil
	}
	cp := s.v.c.checkpoints[0]
	if s.v.r.records.loaded[cp] != nil {
		return nil
	}
	stored, err := s.v.r.records.summary(ctx, cp)
	if err != nil || stored == nil {
		return err
	}
	changes, err := s.v.r.changed(ctx, s.v.c)
	if err != nil {
		return err
	}
	owner, counted, ok := soleOwner(stored, changes)
	if !ok || counted < len(s.pending) {
		return nil
	}
	if has, err := s.v.r.linesAdded(ctx, s.v.c, changes); err != nil || counted < has {
		return err
	}
	for _, i := range s.pending {
		s.assign(i, source{Origin: Origin{Owner: owner, Checkpoint: cp, Evidence: Summary}})
	}
	s.dropAssigned()
	return nil
}

// soleOwner returns the session to which a checkpoint gives all lines of the commit, and
// the number of lines that the checkpoint counted; ok is false if the commit changes files
// that the session did not touch. If the commit has more lines than were counted, a person
// may have amended the agent's commit.
func soleOwner(stored *records.StoredCheckpoint, changes []git.Change) (owner attribution.RecordOwner, counted int, ok bool) {
	if len(stored.Sessions) != 1 || stored.Sessions[0].Err != nil {
		return owner, 0, false
	}
	m := stored.Sessions[0].Metadata
	a := m.InitialAttribution
	if a == nil || m.SessionID == "" || a.AgentLines < 1 || a.AgentPercentage < 100 || a.HumanAdded+a.HumanModified > 0 {
		return owner, 0, false
	}
	for _, ch := range changes {
		if !slices.Contains(m.FilesTouched, pathtext.Encode(ch.Path)) {
			return owner, 0, false
		}
	}
	return attribution.RecordOwner{Class: attribution.ClassAgent, SessionID: m.SessionID, Agent: string(m.Agent)}, a.AgentLines, true
}

// linesAdded returns how many lines a commit adds in all files. Renamed files without
// changes and files that cannot be compared count as zero.
func (r *Resolver) linesAdded(ctx context.Context, c *commit, changes []git.Change) (int, error) {
	if c.added != nil {
		return *c.added, nil
	}
	gone := map[git.OID]bool{}
	for _, ch := range changes {
		gone[ch.Old] = gone[ch.Old] || ch.NewMode == 0
	}
	sum := 0
	for _, ch := range changes {
		if ch.NewMode == 0 || ch.OldMode == 0 && gone[ch.New] {
			continue
		}
		texts, err := r.texts(ctx, ch.Old, ch.New)
		if err != nil {
			return 0, err
		}
		if texts != nil {
			added, _ := attribution.Count(texts[0], texts[1])
			sum += added
		}
	}
	c.added = &sum
	return sum, nil
}
