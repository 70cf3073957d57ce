package link

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entire/internal/git"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// NewFileVersion drops the zeros that git writes for a missing file.
func NewFileVersion(mode uint32, oid git.OID) sessionstate.FileVersion {
	if mode == 0 {
		return sessionstate.FileVersion{}
	}
	return sessionstate.FileVersion{Mode: mode, OID: oid}
}

// FinishPrepared is finishAutoCommit; the caller holds the commit lock. If the index could not be
// written, the choice is stored again for the next event.
func FinishPrepared(ctx context.Context, s *sessionstate.Env, prep githead.LinkChoice, head git.Commit) error {
	stale := updateIndex(ctx, s, prep.Auto, head)
	sums, err := step.WorktreeSessions(ctx, s)
	if err == nil {
		err = linkHead(ctx, s, sums)
	}
	if err != nil {
		return errors.Join(stale, fmt.Errorf("settle commit %s: %w", head.OID.Short(), err))
	}
	if stale == nil {
		return nil
	}
	return errors.Join(stale, githead.AddChoice(s, prep))
}

// updateIndex gives the user's index the entries that a commit, made from its own index, has
// changed. An entry that has changed since the commit was planned is the user's, and stays.
func updateIndex(ctx context.Context, s *sessionstate.Env, auto *githead.AutoCommit, head git.Commit) error {
	if !githead.IsChildOf(head, auto.Parent) {
		return nil
	}
	before, err := worktree.HeadTree(ctx, s, auto.Parent)
	if err != nil {
		return err
	}
	changes, err := s.Repo.DiffTrees(ctx, before, head.Tree)
	if err != nil {
		return err
	}
	staged, err := s.Repo.Staged(ctx, "")
	if err != nil {
		return err
	}
	return s.Repo.SetIndex(ctx, indexEdits(auto, changes, staged.Changes))
}

// indexEdits returns the index entries to write. changes are the commit's; staged is how the
// index differs from the commit.
func indexEdits(auto *githead.AutoCommit, changes, staged []git.Change) []git.Edit {
	now := make(map[string]sessionstate.FileVersion, len(staged))
	for _, c := range staged {
		now[c.Path] = NewFileVersion(c.NewMode, c.New)
	}
	planned := make(map[string]githead.AutoFile, len(auto.Files))
	for _, f := range auto.Files {
		planned[sessionstate.DecodePath(f.Path)] = f
	}
	var edits []git.Edit
	for _, c := range changes {
		have, differs := now[c.Path]
		if !differs {
			continue
		}
		f, ours := planned[c.Path]
		switch {
		case have == NewFileVersion(c.OldMode, c.Old): // the file was not staged, and stays so
			edits = append(edits, git.Edit{Path: c.Path, Mode: c.NewMode, OID: c.New})
		case ours && have == f.Staged && f.Index != f.Staged:
			edits = append(edits, git.Edit{Path: c.Path, Mode: f.Index.Mode, OID: f.Index.OID})
		}
	}
	return edits
}

// ChoiceFor returns the choice for a commit; in its Others, the other choices for the same HEAD,
// those of abandoned commits, too. known reports whether the commit has a choice or one of the
// Others is still waiting.
func ChoiceFor(ctx context.Context, s *sessionstate.Env, c git.Commit) (prep githead.LinkChoice, known bool) {
	list := githead.AllChoices(s)
	for _, p := range list {
		if !p.AbandonedAt.IsZero() {
			p.Shared = true // another git may have found the abandoned commit's message
		}
		if p.IsFor(c) || p.Auto != nil && githead.IsChildOf(c, p.Auto.Parent) {
			p.Others = slices.DeleteFunc(slices.Clone(list), func(o githead.LinkChoice) bool {
				return o.Checkpoint == p.Checkpoint || o.BaseCommit() != p.BaseCommit()
			})
			return p, true
		}
	}
	was := githead.AmendedCommit(ctx, s, githead.MadeCommit{Commit: c})
	prep.Others = slices.DeleteFunc(list, func(p githead.LinkChoice) bool {
		if p.Head.IsZero() {
			return len(c.Parents) > 0
		}
		return !githead.IsChildOf(c, p.Head) && p.Head != was
	})
	return prep, slices.ContainsFunc(prep.Others, func(p githead.LinkChoice) bool { return p.AbandonedAt.IsZero() })
}
