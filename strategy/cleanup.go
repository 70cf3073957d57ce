package strategy

import (
	"context"
	"errors"
	"time"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
	"entire/session"
)

// OrphanKind is the kind of something left over.
type OrphanKind string

// The kinds, as `entire clean --json` prints them.
const (
	OrphanBranch     OrphanKind = "shadow-branch" // that no session refers to
	OrphanState      OrphanKind = "session-state" // of a session without a step or a checkpoint
	OrphanCheckpoint OrphanKind = "checkpoint"    // of the auto-commit strategy, without a commit that links to it
	OrphanAside      OrphanKind = "set-aside"     // steps of a reset, or of a HEAD that moved
	OrphanBacklog    OrphanKind = "backlog"       // parts of the transcript of a session that is gone
	OrphanUndo       OrphanKind = "undo"          // steps that an old rewind or reset replaced
	OrphanTurns      OrphanKind = "turns"         // a day's condensed turns that are kept no longer
	OrphanTeleport   OrphanKind = "teleport"      // a sealed bundle that has expired
	OrphanFile       OrphanKind = "file"          // locks, caches and temporary files
)

// Ages from which something counts as left over. A younger thing may belong to a process that is
// still writing.
const (
	settleAge = 10 * time.Minute
	idleAge   = 24 * time.Hour      // of a session that has not ended
	undoAge   = 30 * 24 * time.Hour // after which an undo is not needed
)

// Orphan is one thing that nothing needs any more.
type Orphan struct {
	Kind OrphanKind
	Name string // short branch name, session, checkpoint, full ref, or absolute path
	Why  string

	oid  git.OID // of a ref or a checkpoint when it was listed
	seen session.Summary
}

// CleanupPlan is what a clean-up would delete. It holds only what is proven to be left over.
type CleanupPlan struct {
	Orphans []Orphan
	Foreign []KeptFile // refs with names like ours, or in our folders, that are left alone, and why
}

// PlanCleanup looks for what is left over in the whole repository. It changes nothing.
func (s *ManualCommitStrategy) PlanCleanup(ctx context.Context) (*CleanupPlan, error) {
	sums, err := s.store.Summaries(ctx)
	if err != nil {
		return nil, err
	}
	plan := &CleanupPlan{}
	for _, look := range []func(context.Context, []session.Summary, *CleanupPlan) error{
		s.orphanBranches, s.orphanStates, s.orphanCheckpoints, s.orphanRefs, s.orphanFiles,
	} {
		if err := look(ctx, sums, plan); err != nil {
			return nil, err
		}
	}
	return plan, s.orphanTeleports(ctx, plan)
}

func (p *CleanupPlan) add(o Orphan) { p.Orphans = append(p.Orphans, o) }

// orphanBranches adds the shadow branches that no session's state refers to.
func (s *ManualCommitStrategy) orphanBranches(ctx context.Context, sums []session.Summary, plan *CleanupPlan) error {
	refs, err := s.repo.Refs(ctx, "refs/heads/"+checkpoint.ShadowBranchPrefix)
	if err != nil {
		return err
	}
	needed := map[string]bool{}
	for _, sum := range sums {
		needed[shadowRefOf(sum.BaseCommit, sum.WorktreeID)] = true
	}
	recorded, err := s.recordedTips(sums)
	if err != nil {
		return err
	}
	known := s.tipsOf(sums)
	_, bad, err := s.store.List(ctx)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		if !checkpoint.LooksLikeShadowRef(ref.Name) || needed[ref.Name] || recorded[ref.OID] {
			continue
		}
		why, err := s.notOurs(ctx, ref.OID, known)
		if err != nil {
			return err
		}
		if why == "" && len(bad) > 0 { // the branch may be that session's
			why = "the session in " + bad[0].Name + " cannot be read"
		}
		if why != "" {
			plan.Foreign = append(plan.Foreign, KeptFile{shortRef(ref.Name), why})
			continue
		}
		tip, err := s.repo.Reader(ctx).Commit(ref.OID)
		if err != nil {
			return err
		}
		if age := s.Now().Sub(tip.Committer.When); age > settleAge {
			plan.add(Orphan{Kind: OrphanBranch, Name: shortRef(ref.Name), Why: "no session refers to it", oid: ref.OID})
		}
	}
	return nil
}

// recorded returns the steps that the sessions' states name, whether they still exist or not.
func (s *ManualCommitStrategy) recorded(ctx context.Context) (map[git.OID]bool, error) {
	sums, err := s.store.Summaries(ctx)
	return s.tipsOf(sums), err
}

// tipsOf returns the steps that states name; a state that cannot be read is skipped.
func (s *ManualCommitStrategy) tipsOf(sums []session.Summary) map[git.OID]bool {
	tips := map[git.OID]bool{}
	for _, sum := range sums {
		var sd side
		if s.store.LoadSide(sum.ID, sideName, &sd) == nil {
			tips[sd.Tip], tips[sd.Turn.Step] = true, true
		}
	}
	delete(tips, git.OID{})
	return tips
}

// recordedTips returns the steps that sessions with uncommitted work name. A state that cannot be
// read is an error.
func (s *ManualCommitStrategy) recordedTips(sums []session.Summary) (map[git.OID]bool, error) {
	tips := map[git.OID]bool{}
	for _, sum := range sums {
		if !pending(sum) {
			continue
		}
		var sd side
		if err := s.store.LoadSide(sum.ID, sideName, &sd); err != nil && !errors.Is(err, session.ErrNotFound) {
			return nil, err // an unreadable state may name any step
		}
		tips[sd.Tip], tips[sd.Turn.Step] = true, true
	}
	delete(tips, git.OID{})
	return tips, nil
}

// orphanStates adds the states of sessions that have neither a step nor a checkpoint.
func (s *ManualCommitStrategy) orphanStates(ctx context.Context, sums []session.Summary, plan *CleanupPlan) error {
	var over []session.Summary
	for _, sum := range sums {
		if !s.isOver(sum) || !sum.LastCheckpointID.IsZero() || sum.TurnCheckpointIDs > 0 {
			continue
		}
		_, exists, err := s.repo.Ref(ctx, shadowRefOf(sum.BaseCommit, sum.WorktreeID))
		if err != nil {
			return err
		}
		if !exists {
			over = append(over, sum)
		}
	}
	if len(over) == 0 {
		return nil
	}
	stored, err := s.storedSessions(ctx)
	if err != nil {
		return err
	}
	for _, sum := range over {
		if !stored[sum.ID.String()] {
			plan.add(Orphan{Kind: OrphanState, Name: sum.ID.String(), Why: "it has neither a step nor a checkpoint", seen: sum})
		}
	}
	return nil
}

// isOver reports whether a session has surely stopped. A session that has not ended counts as
// running for idleAge, because an agent that waits for a prompt calls no hook.
func (s *ManualCommitStrategy) isOver(sum session.Summary) bool {
	last := sum.StartedAt
	if sum.LastInteraction.After(last) {
		last = sum.LastInteraction
	}
	quiet := s.Now().Sub(last)
	switch sum.Phase {
	case session.PhaseActive:
		return false
	case session.PhaseEnded:
		return quiet > settleAge
	}
	return quiet > idleAge
}

// storedSessions returns the IDs of all sessions that a checkpoint holds.
func (s *ManualCommitStrategy) storedSessions(ctx context.Context) (map[string]bool, error) {
	records := checkpoint.NewRecords(s.repo)
	ids, err := records.ListIDs(ctx)
	if err != nil {
		return nil, err
	}
	all, err := records.ReadMany(ctx, ids)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, cp := range all {
		for _, sess := range cp.Sessions {
			found[sess.Metadata.SessionID] = true
		}
	}
	return found, nil
}

// orphanRefs adds steps that were set aside, and refs of sessions that are gone.
func (s *ManualCommitStrategy) orphanRefs(ctx context.Context, sums []session.Summary, plan *CleanupPlan) error {
	refs, foreign, err := s.refsBeside(ctx)
	if err != nil {
		return err
	}
	plan.Foreign = append(plan.Foreign, foreign...)
	recorded, err := s.recordedTips(sums)
	if err != nil {
		return err
	}
	live, err := s.liveSteps(ctx)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		o := Orphan{Name: ref.Name, oid: ref.OID}
		switch dir, rest := refFolder(ref.Name); dir {
		case "orphans":
			if recorded[ref.OID] {
				continue // a session continues with these steps
			}
			o.Kind, o.Why = OrphanAside, s.asideHolds(ctx, ref.OID)
		case "backlog", "tasks":
			if !s.gone(ctx, rest) {
				continue
			}
			o.Kind, o.Why = OrphanBacklog, "its session is gone"
		case "undo", "labels":
			if o.Kind, o.Why = OrphanUndo, s.keptLongEnough(ctx, ref, live); o.Why == "" {
				continue
			}
		case turnsFolder:
			if o.Kind, o.Why = OrphanTurns, s.turnsOver(ref); o.Why == "" {
				continue
			}
		default:
			continue
		}
		plan.add(o)
	}
	return nil
}

// gone reports whether a session has no state. A state that cannot be read counts as present.
func (s *ManualCommitStrategy) gone(ctx context.Context, name string) bool {
	sid, err := id.ParseSessionID(name)
	if err != nil {
		return false
	}
	_, err = s.store.Load(ctx, sid)
	return errors.Is(err, session.ErrNotFound)
}

// asideHolds describes the steps that would be lost with a set-aside ref.
func (s *ManualCommitStrategy) asideHolds(ctx context.Context, tip git.OID) string {
	const plain = "steps that were set aside"
	log, err := s.repo.Log(ctx, tip.String(), stepsScanned)
	if err != nil || len(log) == 0 {
		return plain
	}
	text := counted(len(log), "step")
	if sid := checkpoint.ParseStep(log[0].Message).Session; !sid.IsZero() {
		text += " of session " + sid.Short()
	}
	return text + ", set aside"
}

func days(d time.Duration) string { return counted(int(d.Hours()/24), "day") }
