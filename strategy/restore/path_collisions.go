package restore

import (
	"context"
	"path"
	"slices"

	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// TreeFileVersion returns the version of a file in a tree; a folder counts as no file.
func TreeFileVersion(f sessionstate.PathVersion) sessionstate.FileVersion {
	if f.Mode == git.ModeTree {
		return sessionstate.FileVersion{}
	}
	return sessionstate.FileVersion{Mode: f.Mode, OID: f.OID}
}

// Collides returns what of a tree is in the way of a file, and whether anything is. Paths that
// are going do not count.
func Collides(ctx context.Context, s *sessionstate.Env, tree git.OID, file string, going map[string]bool) (PlanSide, bool, error) {
	rd := s.Repo.Reader(ctx)
	e, found, err := rd.Path(tree, file)
	if err != nil {
		return PlanSide{}, false, err
	}
	if found && e.Mode == git.ModeTree {
		inside, err := step.CodeDiff(ctx, s, git.OID{}, e.OID)
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
