package strategy

import (
	"context"
	"slices"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
	"entire/session"
)

// settled is the state of the steps after a commit was condensed.
type settled struct {
	ref    string          // shadow ref of the new base, "" if no steps remain
	tip    git.OID         // its tip
	remain fileStates      // files that are not in the commit
	away   map[string]bool // paths whose remainder only a stash holds
	aside  bool            // tip is another session's step, without the remainder
	back   takenBack
}

// settleSteps decides what becomes of the sessions' shadow branches: they are deleted if the
// commit holds all their work, and otherwise carried forward to the new base. It returns the ref
// updates for that.
func (s *ManualCommitStrategy) settleSteps(ctx context.Context, cm madeCommit, open []*open, chosen []id.SessionID, rec checkpoint.Record) (settled, []git.RefUpdate, error) {
	newRef := s.shadowRef(cm.OID)
	rem, err := s.uncommitted(ctx, cm, open, chosen)
	if err != nil {
		return settled{}, nil, err
	}
	if len(rem.updates) == 0 {
		done, err := s.settledBefore(ctx, cm, newRef)
		return done, nil, err
	}
	discarded, err := s.keepThrownAway(ctx, cm, rem)
	if err != nil {
		return settled{}, nil, err
	}
	kept, err := s.keepTurns(ctx, cm, rec.ID, rem.taken, rec.Author)
	if err != nil {
		return settled{}, nil, err
	}
	rem.updates = append(append(rem.updates, discarded...), kept...)
	active := anyActive(open)
	others := !rem.below.OID.IsZero()
	if !rem.left && !others && !(active && len(rem.files) > 0) {
		return settled{}, rem.updates, nil
	}
	carry, err := s.carryStep(ctx, cm, rem, open, chosen, rec.Author)
	if err != nil {
		return settled{}, nil, err
	}
	done := settled{ref: newRef, tip: carry, remain: rem.here(), away: rem.away, back: rem.back}
	for i, u := range rem.updates {
		if u.Name == newRef { // the short names of two commits are equal
			rem.updates[i].New = carry
			return done, rem.updates, nil
		}
	}
	taken, exists, err := s.repo.Reader(ctx).CommitOf(newRef)
	if err != nil {
		return settled{}, nil, err
	}
	if exists { // another session has steps on the new base: both stay
		done.tip, done.aside = taken.OID, true
		return done, append(rem.updates, git.RefUpdate{Name: orphanRef(newRef, carry), New: carry}), nil
	}
	return done, append(rem.updates, git.RefUpdate{Name: newRef, New: carry}), nil
}

// rest is the remainder: what a commit leaves of the steps that its sessions had made.
type rest struct {
	updates []git.RefUpdate // removals of the sessions' branches, as they were read
	files   fileStates      // files that are not in the commit
	away    map[string]bool // paths that only a stash still holds: the worktree has them as committed
	back    takenBack
	left    bool // a session has touched one of the files

	standing map[git.OID]fileStates // files of the last step on each base
	foreign  fileStates             // files that no session has touched
	below    git.Commit             // tip with steps of sessions that are not in the commit
	taken    []takenSteps           // steps of the branches that the commit replaces
}

// uncommitted gathers the remainder. Sessions have different bases if HEAD moved between their
// last events.
func (s *ManualCommitStrategy) uncommitted(ctx context.Context, cm madeCommit, open []*open, chosen []id.SessionID) (r rest, err error) {
	touched, seen := map[string]bool{}, map[git.OID]bool{}
	r.standing = map[git.OID]fileStates{}
	for _, o := range open {
		for _, p := range textPaths(o.state.FilesTouched) {
			touched[p] = !cm.took(p)
		}
	}
	for _, o := range open {
		base := baseOf(o)
		if seen[base] {
			continue
		}
		seen[base] = true
		ref := s.shadowRef(base)
		tip, exists, err := s.repo.Reader(ctx).CommitOf(ref)
		if err != nil {
			return r, err
		}
		if !exists || slices.ContainsFunc(r.updates, func(u git.RefUpdate) bool { return u.Name == ref }) {
			continue
		}
		r.updates = append(r.updates, git.RefUpdate{Name: ref, Old: tip.OID})
		inStep, err := s.stepFiles(ctx, base, tip.OID)
		if err != nil {
			return r, err
		}
		r.standing[base] = inStep
		files, back, err := s.remaining(ctx, cm, base, tip, inStep, open)
		if err != nil {
			return r, err
		}
		r.back = r.back.and(back)
		for _, f := range files {
			if _, twice := r.files.find(f.path); !twice {
				r.files = sortStates(append(r.files, f))
			}
		}
		others := pendingOn(open, chosen, base, cm, r.files)
		if hasTurns(tip) {
			t := takenSteps{tip: tip}
			if others {
				t.sessions = chosen
			}
			r.taken = append(r.taken, t)
		}
		switch {
		case !others:
		case r.below.OID.IsZero():
			r.below = tip
		default:
			r.updates = append(r.updates, git.RefUpdate{Name: orphanRef(ref, tip.OID), New: tip.OID})
		}
	}
	if err := s.addReturning(ctx, cm, &r, open); err != nil {
		return r, err
	}
	if r.away, err = s.stashedAway(ctx, cm, r); err != nil {
		return r, err
	}
	for _, f := range r.files {
		if touched[f.path] {
			r.left = true
		} else {
			r.foreign = append(r.foreign, f)
		}
	}
	return r, nil
}

// addReturning adds work that a later step has as in HEAD, but that a stash holds and may bring
// back, or that is in the worktree again: a rebase has stashed it and restored it without an
// event in between.
func (s *ManualCommitStrategy) addReturning(ctx context.Context, cm madeCommit, r *rest, open []*open) error {
	if len(r.updates) == 0 {
		return nil
	}
	ev := s.evidence(ctx)
	for _, o := range open {
		w := work{session: o.id.String(), base: baseOf(o)}
		for _, p := range textPaths(o.state.FilesTouched) {
			_, inStep := r.standing[w.base].find(p)
			if _, twice := r.files.find(p); inStep || twice {
				continue
			}
			f, ok := ev.stashedWork(w, p)
			if !ok {
				f, ok = ev.backAgain(w, p, cm.Tree)
			}
			if ok {
				r.files = sortStates(append(r.files, f))
			}
		}
	}
	return nil
}

func anyActive(open []*open) bool {
	for _, o := range open {
		if o.state.Phase == session.PhaseActive {
			return true
		}
	}
	return false
}

// pendingOn reports whether a session on base that is not in the commit has touched a path which
// the commit does not settle.
func pendingOn(open []*open, chosen []id.SessionID, base git.OID, cm madeCommit, remain fileStates) bool {
	settled := cm.settles(remain)
	for _, o := range open {
		if baseOf(o) != base || slices.Contains(chosen, o.id) {
			continue
		}
		if slices.ContainsFunc(textPaths(o.state.FilesTouched), func(p string) bool { return !settled[p] }) {
			return true
		}
	}
	return false
}

// settles returns the paths that a commit changed and of which nothing remains.
func (cm madeCommit) settles(remain fileStates) map[string]bool {
	settled := map[string]bool{}
	for _, c := range cm.changes {
		if _, left := remain.find(c.Path); !left {
			settled[c.Path] = true
		}
	}
	return settled
}

// settledBefore returns what an earlier, interrupted call for the same commit has already carried
// forward.
func (s *ManualCommitStrategy) settledBefore(ctx context.Context, cm madeCommit, ref string) (settled, error) {
	tip, exists, err := s.repo.Reader(ctx).CommitOf(ref)
	if err != nil || !exists {
		return settled{}, err
	}
	remain, err := s.treeFiles(ctx, cm.Tree, tip.Tree)
	return settled{ref: ref, tip: tip.OID, remain: remain}, err
}

// remaining returns the part of the last step that the commit does not hold and that the worktree
// or a stash still has.
func (s *ManualCommitStrategy) remaining(ctx context.Context, cm madeCommit, base git.OID, tip git.Commit, inStep fileStates, sessions []*open) (fileStates, takenBack, error) {
	differ, err := s.codeDiff(ctx, cm.Tree, tip.Tree)
	if err != nil {
		return nil, nil, err
	}
	var open, others []git.Change
	for _, c := range differ {
		if _, ok := inStep.find(c.Path); ok {
			open = append(open, c)
		} else {
			others = append(others, c)
		}
	}
	back := s.takenBack(ctx, others, base, sessions)
	for _, c := range others {
		if back[c.Path] != nil {
			open = append(open, c)
		}
	}
	same, err := s.asCommitted(ctx, open)
	if err != nil {
		return nil, nil, err
	}
	ev, committed := s.evidence(ctx), make(map[string]git.Change, len(open))
	for _, c := range open {
		committed[c.Path] = c
	}
	files := carried(open,
		func(p string) (uint32, git.OID) { return committed[p].OldMode, committed[p].Old },
		func(p string) bool {
			c := committed[p]
			return same[p] && !ev.stashed(spell{fileState{p, c.OldMode, c.Old}, fileState{p, c.NewMode, c.New}}, c.Old)
		})
	return files, back.settledFor(ev, cm, base, files, sessions), nil
}

// asCommitted returns the paths whose file in the worktree equals the commit's side (Old) of the
// change, so that nothing of them remains to be committed.
func (s *ManualCommitStrategy) asCommitted(ctx context.Context, changes []git.Change) (map[string]bool, error) {
	var entries []git.StatusEntry
	for _, c := range changes {
		entries = append(entries, git.StatusEntry{Path: c.Path, HeadMode: c.OldMode, HeadOID: c.Old, IndexMode: c.OldMode})
	}
	snap, err := s.takeSnapshot(ctx, &git.Status{Entries: entries})
	if err != nil {
		return nil, err
	}
	same := map[string]bool{}
	for _, c := range changes {
		if _, differs := snap.files.find(c.Path); !differs {
			same[c.Path] = true
		}
	}
	for _, k := range snap.skipped { // a file that cannot be read does not count as equal
		delete(same, k.Path)
	}
	return same, nil
}

// carryStep writes the first step on the new base: the commit's tree with the remainder on top.
// Steps of other sessions stay below it.
func (s *ManualCommitStrategy) carryStep(ctx context.Context, cm madeCommit, r rest, open []*open, chosen []id.SessionID, author git.Signature) (git.OID, error) {
	edits := r.files.edits()
	var parents []git.OID
	others := !r.below.OID.IsZero()
	if others {
		edits, parents = append(edits, keepOverlay(ctx, s, r.below)...), []git.OID{r.below.OID}
	}
	tree, err := s.repo.EditTree(ctx, cm.Tree, edits)
	if err != nil {
		return git.OID{}, err
	}
	author.When = s.Now()
	info := checkpoint.Step{Kind: checkpoint.StepMixed, Subject: "changes before the turn", Base: cm.OID}
	if r.left && !others { // so that the next step holds only the sessions' changes
		foreign, err := s.beforeTurns(ctx, r.foreign, cm, open)
		if err != nil {
			return git.OID{}, err
		}
		if len(foreign) > 0 {
			below, err := s.foreignStep(ctx, cm, foreign, info, author)
			if err != nil {
				return git.OID{}, err
			}
			parents = []git.OID{below}
		}
	}
	if r.left || others {
		info.Kind, info.Subject = checkpoint.StepCarryForward, checkpoint.CarryForwardSubject
	}
	if others {
		info.Taken = chosen
	}
	for _, o := range open {
		if info.Session.IsZero() {
			info.Session = o.id
		} else if info.Kind == checkpoint.StepCarryForward {
			info.Others = append(info.Others, o.id)
		}
	}
	carried, err := s.repo.Writer().Commit(git.Commit{Tree: tree, Parents: parents, Author: author, Committer: author, Message: checkpoint.StepMessage(info)})
	if err != nil || len(r.away) == 0 {
		return carried, err
	}
	return s.awayStep(ctx, cm, r, git.Commit{OID: carried, Tree: tree, Author: author}, info)
}

// beforeTurns returns the files that were the same when the open turns began. Others may be
// changes of these turns, which no step shows yet.
func (s *ManualCommitStrategy) beforeTurns(ctx context.Context, files fileStates, cm madeCommit, open []*open) (fileStates, error) {
	ev := s.evidence(ctx)
	for _, o := range open {
		if len(files) == 0 || o.state.Phase != session.PhaseActive {
			continue
		}
		tree, err := s.markedTree(ctx, o.side.Turn, cm.parent)
		if err != nil {
			return nil, err
		}
		files = slices.DeleteFunc(slices.Clone(files), func(f fileState) bool {
			was, ok := ev.at(tree, f.path)
			return !ok || was != f
		})
	}
	return files, nil
}

// foreignStep writes a step with the remainder of files that no session has touched.
func (s *ManualCommitStrategy) foreignStep(ctx context.Context, cm madeCommit, files fileStates, info checkpoint.Step, author git.Signature) (git.OID, error) {
	tree, err := s.repo.EditTree(ctx, cm.Tree, files.edits())
	if err != nil {
		return git.OID{}, err
	}
	return s.repo.Writer().Commit(git.Commit{Tree: tree, Author: author, Committer: author, Message: checkpoint.StepMessage(info)})
}
