package strategy

import (
	"context"
	"fmt"
	"path"
	"slices"

	"entire/internal/git"
)

// fileAt returns the version of a file in a tree; a folder counts as no file.
func fileAt(f fileState) stood {
	if f.mode == git.ModeTree {
		return stood{}
	}
	return stood{f.mode, f.oid}
}

// withoutCollisions removes the edits of a plan that would put a file in place of a folder that
// holds others' files, or a folder in place of another's file. Each becomes a conflict of the
// plan.
func (s *ManualCommitStrategy) withoutCollisions(ctx context.Context, plan *RewindPlan, edits []git.Edit, saved git.OID) ([]git.Edit, error) {
	going := map[string]bool{}
	for _, e := range edits {
		if e.Mode == 0 {
			going[e.Path] = true
		}
	}
	var failed error
	edits = slices.DeleteFunc(edits, func(e git.Edit) bool {
		if e.Mode == 0 || failed != nil {
			return false
		}
		there, collides, err := s.collides(ctx, plan.before, e.Path, going)
		failed = err
		if collides {
			c := PlanConflict{Path: e.Path, Ours: there, Theirs: PlanSide{e.Mode, e.OID}}
			if !saved.IsZero() {
				c.Saved = saved.String()
			}
			plan.decide(c, stood{}, stood{})
		}
		return collides
	})
	return edits, failed
}

// fitsOn returns ErrBaseMoved if a file of a step made on another commit would replace a folder
// of HEAD's, or lie below a file of HEAD's.
func (s *ManualCommitStrategy) fitsOn(ctx context.Context, plan *RewindPlan, head git.OID, edits []git.Edit) error {
	going := map[string]bool{}
	for _, e := range edits {
		going[e.Path] = e.Mode == 0
	}
	for _, e := range edits {
		if e.Mode == 0 {
			continue
		}
		_, collides, err := s.collides(ctx, head, e.Path, going)
		if err != nil {
			return err
		}
		if collides {
			return fmt.Errorf("%w: HEAD (%s) has a file or folder in the way of %s", ErrBaseMoved, plan.now.head.Short(), e.Path)
		}
	}
	return nil
}

// collides returns what of a tree is in the way of a file, and whether anything is. Paths that
// are going do not count.
func (s *ManualCommitStrategy) collides(ctx context.Context, tree git.OID, file string, going map[string]bool) (PlanSide, bool, error) {
	rd := s.repo.Reader(ctx)
	e, found, err := rd.Path(tree, file)
	if err != nil {
		return PlanSide{}, false, err
	}
	if found && e.Mode == git.ModeTree {
		inside, err := s.codeDiff(ctx, git.OID{}, e.OID)
		others := slices.ContainsFunc(inside, func(c git.Change) bool { return !going[file+"/"+c.Path] })
		return PlanSide{e.Mode, e.OID}, others, err
	}
	for dir := path.Dir(file); !found && dir != "."; dir = path.Dir(dir) {
		if e, found, err = rd.Path(tree, dir); err != nil {
			return PlanSide{}, false, err
		}
		if found && e.Mode != git.ModeTree && !going[dir] {
			return PlanSide{e.Mode, e.OID}, true, nil
		}
	}
	return PlanSide{}, false, nil
}
