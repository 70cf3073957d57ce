package condense

import (
	"context"
	"slices"

	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// carryResult is the state of the steps after a commit was condensed.
type carryResult struct {
	ref        string                    // shadow ref of the new base, "" if no steps remain
	tip        git.OID                   // its tip
	remaining  sessionstate.PathVersions // files that are not in the commit
	stashed    map[string]bool           // paths whose remainder only a stash holds
	foreignTip bool                      // tip is another session's step, without the remainder
	reverted   evidence.RevertedPaths
}

// carryForward decides what becomes of the sessions' shadow branches: they are deleted if the
// commit holds all their work, and otherwise carried forward to the new base. It returns the ref
// updates for that.
func carryForward(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, open []*sessionstate.LockedSession, chosen []id.SessionID, rec metadata.Record) (carryResult, []git.RefUpdate, error) {
	newRef := worktree.ShadowRef(s, cm.OID)
	rem, err := findRemainder(ctx, s, cm, open, chosen)
	if err != nil {
		return carryResult{}, nil, err
	}
	if len(rem.updates) == 0 {
		done, err := carriedBefore(ctx, s, cm, newRef)
		return done, nil, err
	}
	discarded, err := keepDiscarded(ctx, s, cm, rem)
	if err != nil {
		return carryResult{}, nil, err
	}
	kept, err := githead.KeepTurnsUpdate(ctx, s, cm, rec.ID, rem.taken, rec.Author)
	if err != nil {
		return carryResult{}, nil, err
	}
	rem.updates = append(append(rem.updates, discarded...), kept...)
	active := anyActive(open)
	others := !rem.othersTip.OID.IsZero()
	if !rem.ofSession && !others && !(active && len(rem.files) > 0) {
		return carryResult{}, rem.updates, nil
	}
	carry, err := carryStep(ctx, s, cm, rem, open, chosen, rec.Author)
	if err != nil {
		return carryResult{}, nil, err
	}
	done := carryResult{ref: newRef, tip: carry, remaining: rem.inWorktree(), stashed: rem.stashed, reverted: rem.reverted}
	for i, u := range rem.updates {
		if u.Name == newRef { // the short names of two commits are equal
			rem.updates[i].New = carry
			return done, rem.updates, nil
		}
	}
	taken, exists, err := s.Repo.Reader(ctx).CommitOf(newRef)
	if err != nil {
		return carryResult{}, nil, err
	}
	if exists { // another session has steps on the new base: both stay
		done.tip, done.foreignTip = taken.OID, true
		return done, append(rem.updates, git.RefUpdate{Name: OrphanRef(newRef, carry), New: carry}), nil
	}
	return done, append(rem.updates, git.RefUpdate{Name: newRef, New: carry}), nil
}

// remainder is the remainder: what a commit leaves of the steps that its sessions had made.
type remainder struct {
	updates   []git.RefUpdate           // removals of the sessions' branches, as they were read
	files     sessionstate.PathVersions // files that are not in the commit
	stashed   map[string]bool           // paths that only a stash still holds: the worktree has them as committed
	reverted  evidence.RevertedPaths
	ofSession bool // a session has touched one of the files

	lastFiles map[git.OID]sessionstate.PathVersions // files of the last step on each base
	unclaimed sessionstate.PathVersions             // files that no session has touched
	othersTip git.Commit                            // tip with steps of sessions that are not in the commit
	taken     []step.CommittedSteps                 // steps of the branches that the commit replaces
}

// findRemainder gathers the remainder. Sessions have different bases if HEAD moved between their
// last events.
func findRemainder(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, open []*sessionstate.LockedSession, chosen []id.SessionID) (r remainder, err error) {
	touched, seen := map[string]bool{}, map[git.OID]bool{}
	r.lastFiles = map[git.OID]sessionstate.PathVersions{}
	for _, o := range open {
		for _, p := range sessionstate.DecodePaths(o.State.FilesTouched) {
			touched[p] = !autoCommitted(cm, p)
		}
	}
	for _, o := range open {
		base := step.BaseOf(o)
		if seen[base] {
			continue
		}
		seen[base] = true
		if err := r.addBase(ctx, s, cm, open, chosen, base); err != nil {
			return r, err
		}
	}
	if len(r.updates) > 0 {
		r.files = addStashed(ctx, s, cm, r.files, r.lastFiles, open)
	}
	if r.stashed, err = stashedPaths(ctx, s, cm, r); err != nil {
		return r, err
	}
	for _, f := range r.files {
		if touched[f.Path] {
			r.ofSession = true
		} else {
			r.unclaimed = append(r.unclaimed, f)
		}
	}
	return r, nil
}

// addBase adds what the commit leaves of the steps on one base.
func (r *remainder) addBase(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, open []*sessionstate.LockedSession, chosen []id.SessionID, base git.OID) error {
	ref := worktree.ShadowRef(s, base)
	tip, exists, err := s.Repo.Reader(ctx).CommitOf(ref)
	if err != nil || !exists || slices.ContainsFunc(r.updates, func(u git.RefUpdate) bool { return u.Name == ref }) {
		return err
	}
	r.updates = append(r.updates, git.RefUpdate{Name: ref, Old: tip.OID})
	inStep, err := evidence.StepFiles(ctx, s, base, tip.OID)
	if err != nil {
		return err
	}
	r.lastFiles[base] = inStep
	files, back, err := uncommittedPart(ctx, s, cm, base, tip, inStep, open)
	if err != nil {
		return err
	}
	r.reverted = r.reverted.Merge(back)
	for _, f := range files {
		if _, twice := worktree.Find(r.files, f.Path); !twice {
			r.files = worktree.SortVersions(append(r.files, f))
		}
	}
	others := othersPendingOn(open, chosen, base, cm, r.files)
	if step.MayHaveTurns(tip) {
		t := step.CommittedSteps{Tip: tip}
		if others {
			t.Sessions = chosen
		}
		r.taken = append(r.taken, t)
	}
	switch {
	case !others:
	case r.othersTip.OID.IsZero():
		r.othersTip = tip
	default:
		r.updates = append(r.updates, git.RefUpdate{Name: OrphanRef(ref, tip.OID), New: tip.OID})
	}
	return nil
}

// addStashed adds to what a commit leaves (files) the work that a later step has as in HEAD, but that a stash holds
// and may bring back, or that is in the worktree again: a rebase has stashed it and restored it without an event in
// between. inSteps are the files of the last step on each base.
func addStashed(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, files sessionstate.PathVersions, inSteps map[git.OID]sessionstate.PathVersions, open []*sessionstate.LockedSession) sessionstate.PathVersions {
	ev := evidence.Evidence(ctx, s)
	for _, o := range open {
		w := transcript.SessionWork{Session: o.ID.String(), Base: step.BaseOf(o)}
		for _, p := range sessionstate.DecodePaths(o.State.FilesTouched) {
			_, inStep := worktree.Find(inSteps[w.Base], p)
			if _, twice := worktree.Find(files, p); twice || inStep && !ev.StashChanges(p) {
				continue
			}
			var committed git.OID
			if inStep {
				has, _ := ev.VersionAt(cm.Tree, p)
				committed = has.OID
			}
			f, ok := ev.StashedWork(w, p, committed)
			if !ok && !inStep {
				f, ok = ev.RestoredWork(w, p, cm.Tree)
			}
			if ok {
				files = worktree.SortVersions(append(files, f))
			}
		}
	}
	return files
}

func anyActive(open []*sessionstate.LockedSession) bool {
	for _, o := range open {
		if o.State.Phase == session.PhaseActive {
			return true
		}
	}
	return false
}

// othersPendingOn reports whether a session on base that is not in the commit has touched a path which
// the commit does not settle.
func othersPendingOn(open []*sessionstate.LockedSession, chosen []id.SessionID, base git.OID, cm githead.MadeCommit, remain sessionstate.PathVersions) bool {
	settled := fullyCommitted(cm, remain)
	for _, o := range open {
		if step.BaseOf(o) != base || slices.Contains(chosen, o.ID) {
			continue
		}
		if slices.ContainsFunc(sessionstate.DecodePaths(o.State.FilesTouched), func(p string) bool { return !settled[p] }) {
			return true
		}
	}
	return false
}

// fullyCommitted returns the paths that a commit changed and that have no remainder.
func fullyCommitted(cm githead.MadeCommit, remain sessionstate.PathVersions) map[string]bool {
	settled := map[string]bool{}
	for _, c := range cm.Changes {
		if _, left := worktree.Find(remain, c.Path); !left {
			settled[c.Path] = true
		}
	}
	return settled
}

// carriedBefore returns what an earlier, interrupted call for the same commit has already carried
// forward.
func carriedBefore(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, ref string) (carryResult, error) {
	tip, exists, err := s.Repo.Reader(ctx).CommitOf(ref)
	if err != nil || !exists {
		return carryResult{}, err
	}
	remain, err := evidence.TreeFiles(ctx, s, cm.Tree, tip.Tree)
	return carryResult{ref: ref, tip: tip.OID, remaining: remain}, err
}

// uncommittedPart returns the part of the last step that the commit does not hold and that the worktree
// or a stash still has.
func uncommittedPart(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, base git.OID, tip git.Commit, inStep sessionstate.PathVersions, sessions []*sessionstate.LockedSession) (sessionstate.PathVersions, evidence.RevertedPaths, error) {
	differ, err := step.CodeDiff(ctx, s, cm.Tree, tip.Tree)
	if err != nil {
		return nil, nil, err
	}
	var open, others []git.Change
	for _, c := range differ {
		if _, ok := worktree.Find(inStep, c.Path); ok {
			open = append(open, c)
		} else {
			others = append(others, c)
		}
	}
	back := evidence.FindReverted(ctx, s, others, base, sessions)
	for _, c := range others {
		if back[c.Path] != nil {
			open = append(open, c)
		}
	}
	same, err := equalToCommit(ctx, s, open)
	if err != nil {
		return nil, nil, err
	}
	ev, committed := evidence.Evidence(ctx, s), make(map[string]git.Change, len(open))
	for _, c := range open {
		committed[c.Path] = c
	}
	files := evidence.CarriedFiles(open,
		func(p string) (uint32, git.OID) { return committed[p].OldMode, committed[p].Old },
		func(p string) bool {
			c := committed[p]
			return same[p] && !ev.InStash(githead.FileChange{From: sessionstate.PathVersion{Path: p, Mode: c.OldMode, OID: c.Old}, To: sessionstate.PathVersion{Path: p, Mode: c.NewMode, OID: c.New}}, c.Old)
		})
	return files, back.AddCommitted(ev, cm, base, files, sessions), nil
}

// equalToCommit returns the paths whose file in the worktree equals the commit's side (Old) of the
// change, so that nothing of them remains to be committed.
func equalToCommit(ctx context.Context, s *sessionstate.Env, changes []git.Change) (map[string]bool, error) {
	var entries []git.StatusEntry
	for _, c := range changes {
		entries = append(entries, git.StatusEntry{Path: c.Path, HeadMode: c.OldMode, HeadOID: c.Old, IndexMode: c.OldMode})
	}
	snap, err := worktree.TakeSnapshot(ctx, s, &git.Status{Entries: entries})
	if err != nil {
		return nil, err
	}
	same := map[string]bool{}
	for _, c := range changes {
		if _, differs := worktree.Find(snap.Files, c.Path); !differs {
			same[c.Path] = true
		}
	}
	for _, k := range snap.Skipped { // a file that cannot be read does not count as equal
		delete(same, k.Path)
	}
	return same, nil
}

// carryStep writes the first step on the new base: the commit's tree with the remainder on top.
// Steps of other sessions stay below it.
func carryStep(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, r remainder, open []*sessionstate.LockedSession, chosen []id.SessionID, author git.Signature) (git.OID, error) {
	edits := worktree.Edits(r.files)
	var parents []git.OID
	others := !r.othersTip.OID.IsZero()
	if others {
		edits, parents = append(edits, step.CarryMetadata(ctx, s, r.othersTip)...), []git.OID{r.othersTip.OID}
	}
	tree, err := s.Repo.EditTree(ctx, cm.Tree, edits)
	if err != nil {
		return git.OID{}, err
	}
	author.When = s.Now()
	info := shadow.Step{Kind: shadow.StepMixed, Subject: "changes before the turn", Base: cm.OID}
	if r.ofSession && !others { // so that the next step holds only the sessions' changes
		foreign, err := unchangedSinceTurns(ctx, s, r.unclaimed, cm, open)
		if err != nil {
			return git.OID{}, err
		}
		if len(foreign) > 0 {
			below, err := foreignStep(ctx, s, cm, foreign, info, author)
			if err != nil {
				return git.OID{}, err
			}
			parents = []git.OID{below}
		}
	}
	if r.ofSession || others {
		info.Kind, info.Subject = shadow.StepCarryForward, shadow.CarryForwardSubject
	}
	if others {
		info.Taken = chosen
	}
	for _, o := range open {
		if info.Session.IsZero() {
			info.Session = o.ID
		} else if info.Kind == shadow.StepCarryForward {
			info.Others = append(info.Others, o.ID)
		}
	}
	carried, err := s.Repo.Writer().Commit(git.Commit{Tree: tree, Parents: parents, Author: author, Committer: author, Message: shadow.StepMessage(info)})
	if err != nil || len(r.stashed) == 0 {
		return carried, err
	}
	return stashStep(ctx, s, cm, r, git.Commit{OID: carried, Tree: tree, Author: author}, info)
}

// unchangedSinceTurns returns the files that were the same when the open turns began. Others may be
// changes of these turns, which no step shows yet.
func unchangedSinceTurns(ctx context.Context, s *sessionstate.Env, files sessionstate.PathVersions, cm githead.MadeCommit, open []*sessionstate.LockedSession) (sessionstate.PathVersions, error) {
	ev := evidence.Evidence(ctx, s)
	for _, o := range open {
		if len(files) == 0 || o.State.Phase != session.PhaseActive {
			continue
		}
		tree, err := TurnStartTree(ctx, s, o.Engine.TurnStart, cm.Parent)
		if err != nil {
			return nil, err
		}
		files = slices.DeleteFunc(slices.Clone(files), func(f sessionstate.PathVersion) bool {
			was, ok := ev.VersionAt(tree, f.Path)
			return !ok || was != f
		})
	}
	return files, nil
}

// foreignStep writes a step with the remainder of files that no session has touched.
func foreignStep(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, files sessionstate.PathVersions, info shadow.Step, author git.Signature) (git.OID, error) {
	tree, err := s.Repo.EditTree(ctx, cm.Tree, worktree.Edits(files))
	if err != nil {
		return git.OID{}, err
	}
	return s.Repo.Writer().Commit(git.Commit{Tree: tree, Author: author, Committer: author, Message: shadow.StepMessage(info)})
}
