package strategy

import (
	"context"
	"slices"

	"entire/checkpoint"
	"entire/internal/git"
)

// stashedAway returns the paths of the remainder that a stash holds and that the worktree has as
// committed.
func (s *ManualCommitStrategy) stashedAway(ctx context.Context, cm madeCommit, r rest) (map[string]bool, error) {
	ev := s.evidence(ctx)
	if len(r.updates) == 0 || len(r.files) == 0 || len(ev.stashTrees()) == 0 {
		return nil, nil
	}
	var changes []git.Change
	for _, f := range r.files {
		if committed, ok := ev.at(cm.Tree, f.path); ok {
			changes = append(changes, git.Change{Path: f.path, OldMode: committed.mode, Old: committed.oid, NewMode: f.mode, New: f.oid})
		}
	}
	return s.asCommitted(ctx, changes)
}

// here returns the files of the remainder that the worktree has.
func (r rest) here() fileStates {
	return slices.DeleteFunc(slices.Clone(r.files), func(f fileState) bool { return r.away[f.path] })
}

// awayStep adds a step without the stashed files; otherwise the next turn would appear to have
// deleted them. like is the step that carried was written from.
func (s *ManualCommitStrategy) awayStep(ctx context.Context, cm madeCommit, r rest, carried git.Commit, like checkpoint.Step) (git.OID, error) {
	ev := s.evidence(ctx)
	var edits []git.Edit
	for p := range r.away {
		if committed, ok := ev.at(cm.Tree, p); ok {
			edits = append(edits, committed.edit())
		}
	}
	tree, err := s.repo.EditTree(ctx, carried.Tree, edits)
	if err != nil {
		return git.OID{}, err
	}
	step := checkpoint.Step{Kind: checkpoint.StepMixed, Subject: "changes before the turn", Session: like.Session, Base: cm.OID}
	return s.repo.Writer().Commit(git.Commit{Tree: tree, Parents: []git.OID{carried.OID}, Author: carried.Author, Committer: carried.Author,
		Message: checkpoint.StepMessage(step)})
}
