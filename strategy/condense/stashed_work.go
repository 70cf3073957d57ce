package condense

import (
	"context"
	"slices"

	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// stashedPaths returns the paths of the remainder that a stash holds and that the worktree has as
// committed.
func stashedPaths(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, r remainder) (map[string]bool, error) {
	ev := evidence.Evidence(ctx, s)
	if len(r.updates) == 0 || len(r.files) == 0 || len(ev.StashTrees()) == 0 {
		return nil, nil
	}
	var changes []git.Change
	for _, f := range r.files {
		if committed, ok := ev.VersionAt(cm.Tree, f.Path); ok {
			changes = append(changes, git.Change{Path: f.Path, OldMode: committed.Mode, Old: committed.OID, NewMode: f.Mode, New: f.OID})
		}
	}
	return equalToCommit(ctx, s, changes)
}

// inWorktree returns the files of the remainder that the worktree has.
func (r remainder) inWorktree() sessionstate.PathVersions {
	return slices.DeleteFunc(slices.Clone(r.files), func(f sessionstate.PathVersion) bool { return r.stashed[f.Path] })
}

// stashStep adds a step without the stashed files; otherwise the next turn would appear to have
// deleted them. like is the step that carried was written from.
func stashStep(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, r remainder, carried git.Commit, like shadow.Step) (git.OID, error) {
	ev := evidence.Evidence(ctx, s)
	var edits []git.Edit
	for p := range r.stashed {
		if committed, ok := ev.VersionAt(cm.Tree, p); ok {
			edits = append(edits, worktree.Edit(committed))
		}
	}
	tree, err := s.Repo.EditTree(ctx, carried.Tree, edits)
	if err != nil {
		return git.OID{}, err
	}
	step := shadow.Step{Kind: shadow.StepMixed, Subject: "changes before the turn", Session: like.Session, Base: cm.OID}
	return s.Repo.Writer().Commit(git.Commit{Tree: tree, Parents: []git.OID{carried.OID}, Author: carried.Author, Committer: carried.Author,
		Message: shadow.StepMessage(step)})
}

// dropAbsent forgets the touched paths for which neither the branch, a stash nor the index has
// anything that an unlinked commit lacks.
func dropAbsent(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, remain sessionstate.PathVersions, snap *worktree.Snapshot) error {
	if !slices.ContainsFunc(o.State.FilesTouched, func(p string) bool { _, left := worktree.Find(remain, sessionstate.DecodePath(p)); return !left }) {
		return nil
	}
	if snap.Staged == nil {
		staged, err := s.Repo.Staged(ctx, s.Repo.IndexFile)
		if err != nil {
			return err
		}
		snap.Staged = worktree.SetOf(step.Paths(staged.Changes))
	}
	return forgetCommitted(ctx, s, o, step.BaseOf(o), snap, false)
}
