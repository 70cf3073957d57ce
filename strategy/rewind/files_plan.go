package rewind

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"entire/internal/git"
	"entire/strategy/condense"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// FileContent is a content that a file is to get.
type FileContent struct {
	Mode uint32  // git's
	Blob git.OID // as git stores the file
	// Bytes is the blob of the very bytes that the file gets, zero for what git's filters make of Blob.
	Bytes git.OID
}

// PlanFiles plans to give files the contents that somebody chose for them, by path, and to leave all others alone. It
// changes nothing. Files that cannot be saved first, or that may not be written, are in Kept.
func PlanFiles(ctx context.Context, s *sessionstate.Env, files map[string]FileContent) (*Plan, error) {
	plan := &Plan{Kind: condense.RewindDone, Scope: condense.Scope{Kind: condense.ScopeFiles, SkipConversation: true, Conflicts: ConflictsKeep},
		chosen: map[string]Choice{}, undone: map[string][]restore.UndoneChange{}}
	if err := readPresent(ctx, s, plan); err != nil {
		return nil, err
	}
	var edits []git.Edit
	for _, path := range slices.Sorted(maps.Keys(files)) {
		f := files[path]
		if err := git.ValidPath(path); err != nil {
			return nil, fmt.Errorf("plan the files: %w", err)
		}
		edits = append(edits, git.Edit{Path: path, Mode: f.Mode, OID: f.Blob})
		if !f.Bytes.IsZero() {
			plan.chosen[path] = Choice{Blob: f.Blob, Bytes: f.Bytes}
		}
	}
	edits, err := withoutCollisions(ctx, s, plan, edits, git.OID{})
	if err != nil {
		return nil, err
	}
	if plan.after, err = s.Repo.EditTree(ctx, plan.before, edits); err != nil {
		return nil, fmt.Errorf("plan the files: %w", err)
	}
	if err := plan.setTarget(ctx, s); err != nil {
		return nil, err
	}
	return plan, planChanges(ctx, s, plan)
}

// setTarget names a commit as the point, which every rewind has: HEAD's, or one that is made where there is none.
func (p *Plan) setTarget(ctx context.Context, s *sessionstate.Env) (err error) {
	var c git.Commit
	if head := p.Present.Head; !head.IsZero() {
		c, err = s.Repo.Reader(ctx).Commit(head)
	} else {
		c.Author = s.Repo.Identity(ctx)
		c.Author.When = s.Now()
		c.Committer, c.Tree, c.Message = c.Author, s.Repo.EmptyTree(), "nothing is committed yet\n"
		c.OID, err = s.Repo.Writer().Commit(c)
	}
	p.step, p.Point = step.Step{Commit: c}, step.RewindPoint{ID: c.OID.String()}
	return err
}
