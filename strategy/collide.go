package strategy

import (
	"context"
	"fmt"
	"path"
	"slices"

	"entire/internal/git"
)

// fileAt is what a tree has of a file: of a folder nothing.
func fileAt(f fileState) stood {
	if f.mode == git.ModeTree {
		return stood{}
	}
	return stood{f.mode, f.oid}
}

// withoutCollisions leaves out the edits of a plan that would put a file in the
// place of a folder that holds others' files, or a folder in the place of another's
// file: each is a conflict.
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

// fitsOn holds that no file of a step made on another commit takes the place of a
// folder of HEAD's, or lies below a file of HEAD's.
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

// collides reports what of a tree is in the way of a file, but for the paths that
// are going.
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
