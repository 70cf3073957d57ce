package turn

import (
	"context"
	"maps"
	"slices"

	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/strategy/condense"
	"entire/strategy/evidence"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// saveStashed writes an agent's step for each stash that was made since the turn began, whoever made it, with the files
// as they were before it. Without it, no step would show work that the same turn wrote and the stash took away.
func saveStashed(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot) error {
	since := o.Engine.Stash
	if since == nil || !o.Engine.TurnStart.Seen {
		return nil
	}
	stashes, newest := evidence.StashesSince(ctx, s, *since, snap.Branch)
	if newest != *since && !evidence.IsStashed(ctx, s, *since) {
		if err := savePopped(ctx, s, o, snap, *since); err != nil {
			return err
		}
	}
	o.Engine.Stash = &newest
	for _, c := range stashes {
		files, err := stashedFiles(ctx, s, o, snap, c)
		if err != nil { // the turn's own step is worth more
			s.Log.Warn("a stash was not read", "stash", c.OID.Short(), "session_id", o.ID.String(), "err", err)
		}
		if err != nil || len(files) == 0 {
			continue
		}
		before := *snap
		before.Files = files
		o.StepReason = shadow.WhyBeforeStash
		err = writeAgentStep(ctx, s, o, &before)
		o.StepReason = ""
		if err != nil {
			return err
		}
		o.Engine.TurnStart.OwnStepDue = true
	}
	return nil
}

// savePopped writes a step of what the turn found, for a stash from before the turn that is no longer stashed: the files
// as at the turn's start, with what the stash has on top, where the turn has changed them and they were as when it was made.
// Without it, the command that popped the stash would seem to have written its lines.
func savePopped(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot, stash git.OID) error {
	turn := o.Engine.TurnStart
	c, ok, err := s.Repo.Reader(ctx).CommitOf(stash.String())
	var files sessionstate.PathVersions
	if err == nil && ok && len(c.Parents) > 1 && turn.Head == snap.Head {
		files, err = poppedFiles(ctx, s, turn, snap, c)
	}
	if err != nil { // the turn's own step is worth more
		s.Log.Warn("a popped stash was not read", "stash", stash.Short(), "session_id", o.ID.String(), "err", err)
	}
	if err != nil || len(files) == 0 {
		return nil
	}
	found := *snap
	found.Files = files
	made, err := step.WriteStep(ctx, s, step.NewStep{
		Step: shadow.Step{Kind: kindOfFoundStep(ctx, s, o), Subject: "changes from a stash", Session: o.ID,
			StepContext: o.StepContext(shadow.WhyStashPopped)},
		Author: s.AuthorOf(ctx, o), Snap: &found,
	})
	if err != nil {
		return err
	}
	o.Engine.TurnStart.Step, o.Engine.TurnStart.Digest = made.Commit, worktree.Digest(found.Files)
	return nil
}

// poppedFiles returns how the files differed from HEAD at the turn's start, with what the stash has on top. It returns
// nil if the turn has changed none of the stash's files.
func poppedFiles(ctx context.Context, s *sessionstate.Env, turn sessionstate.TurnStart, snap *worktree.Snapshot, stash git.Commit) (sessionstate.PathVersions, error) {
	ev := evidence.Evidence(ctx, s)
	head, on := ev.TreeOf(turn.Head), ev.TreeOf(stash.Parents[0])
	start, err := condense.TurnStartTree(ctx, s, turn, snap.Head)
	if err != nil || on.IsZero() || head.IsZero() {
		return nil, err
	}
	stashed, err := stashedChanges(ctx, s, on, stash)
	if err != nil {
		return nil, err
	}
	at, err := step.VersionsAt(ctx, s, []git.OID{start, head}, step.Paths(stashed), map[git.OID][]git.TreeEntry{})
	if err != nil {
		return nil, err
	}
	files, err := evidence.TreeFiles(ctx, s, head, start)
	if err != nil {
		return nil, err
	}
	popped := map[string]sessionstate.PathVersion{}
	for i, c := range stashed {
		was, f := at[0][i], sessionstate.PathVersion{Path: c.Path, Mode: c.NewMode, OID: c.New}
		now, dirty := worktree.Find(snap.Files, c.Path)
		if !dirty {
			now = at[1][i]
		}
		if was.OID == c.Old && now != was {
			popped[c.Path] = f
		}
	}
	if len(popped) == 0 {
		return nil, nil
	}
	files = withPathsFrom(files, func(p string) bool { _, ok := popped[p]; return ok }, slices.Collect(maps.Values(popped)))
	return files, nil
}

// stashedFiles returns how the files differed from HEAD before a stash: as at the turn's start, with what the stash has
// on top. What HEAD has got since is as it is now. stashedFiles returns nil if the worktree or a step has all that the
// stash has.
func stashedFiles(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot, stash git.Commit) (sessionstate.PathVersions, error) {
	turn, ev := o.Engine.TurnStart, evidence.Evidence(ctx, s)
	head, began, on := ev.TreeOf(snap.Head), ev.TreeOf(turn.Head), ev.TreeOf(stash.Parents[0])
	start, err := condense.TurnStartTree(ctx, s, turn, snap.Head)
	if err != nil {
		return nil, err
	}
	if head.IsZero() || began.IsZero() || on.IsZero() {
		return nil, nil // a commit is missing
	}
	stashed, err := stashedChanges(ctx, s, on, stash)
	if err != nil {
		return nil, err
	}
	moved := map[string]bool{}
	for _, from := range []git.OID{on, began} {
		changes, err := step.CodeDiff(ctx, s, from, head)
		if err != nil {
			return nil, err
		}
		maps.Copy(moved, worktree.SetOf(step.Paths(changes)))
	}
	shown, err := versionsInSteps(ctx, s, ev.StepsOn(snap.Head), step.Paths(stashed))
	if err != nil {
		return nil, err
	}
	atStart, err := evidence.TreeFiles(ctx, s, began, start)
	if err != nil {
		return nil, err
	}
	files, lost := map[string]sessionstate.PathVersion{}, false
	for _, f := range atStart {
		files[f.Path] = f
	}
	for _, c := range stashed {
		f := sessionstate.PathVersion{Path: c.Path, Mode: c.NewMode, OID: c.New}
		if shown[f] {
			continue
		}
		now, _ := worktree.Find(snap.Files, c.Path)
		lost = lost || !moved[c.Path] && files[c.Path] != f && now != f
		files[c.Path] = f
	}
	if !lost {
		return nil, nil
	}
	for p := range moved {
		delete(files, p)
		if now, dirty := worktree.Find(snap.Files, p); dirty {
			files[p] = now
		}
	}
	return worktree.SortVersions(slices.Collect(maps.Values(files))), nil
}

// stashedChanges returns what a stash has on top of the commit that it was made on: changes of files and, of the
// untracked ones, those that git does not ignore.
func stashedChanges(ctx context.Context, s *sessionstate.Env, on git.OID, stash git.Commit) ([]git.Change, error) {
	changes, err := step.CodeDiff(ctx, s, on, stash.Tree)
	if err != nil {
		return nil, err
	}
	changes = slices.DeleteFunc(changes, func(c git.Change) bool { return c.NewMode != 0 && !step.IsBlob(c.NewMode) })
	if len(stash.Parents) < 3 {
		return changes, nil
	}
	untracked, err := step.CodeDiff(ctx, s, s.Repo.EmptyTree(), evidence.Evidence(ctx, s).TreeOf(stash.Parents[2]))
	if err != nil {
		return nil, err
	}
	ignored, err := s.Repo.Ignored(ctx, step.Paths(untracked)) // git stash --all takes those, too
	return append(changes, slices.DeleteFunc(untracked, func(c git.Change) bool { return ignored[c.Path] })...), err
}

// versionsInSteps returns the versions that steps have of paths. A step that another session's turn made of the same
// stash does not count: what it shows may be this session's.
func versionsInSteps(ctx context.Context, s *sessionstate.Env, steps []step.Step, paths []string) (map[sessionstate.PathVersion]bool, error) {
	var trees []git.OID
	for _, st := range steps[max(0, len(steps)-step.LookupsMax/max(1, len(paths))):] {
		if st.Info.Why != shadow.WhyBeforeStash {
			trees = append(trees, st.Tree)
		}
	}
	at, err := step.VersionsAt(ctx, s, trees, paths, map[git.OID][]git.TreeEntry{})
	shown := map[sessionstate.PathVersion]bool{}
	for _, versions := range at {
		for _, f := range versions {
			shown[f] = true
		}
	}
	return shown, err
}
