package step

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/sessionstate"
)

// BaseOf returns the commit on which the session's steps are based, zero if there is none.
func BaseOf(o *sessionstate.LockedSession) git.OID {
	oid, err := git.ParseOID(o.State.BaseCommit)
	if err != nil {
		return git.OID{}
	}
	return oid
}

// BlobOf returns the ID of a regular file or link, zero for anything else.
func BlobOf(mode uint32, oid git.OID) git.OID {
	if !IsBlob(mode) {
		return git.OID{}
	}
	return oid
}

// WorktreeSessions returns the sessions of this worktree.
func WorktreeSessions(ctx context.Context, s *sessionstate.Env) ([]session.Summary, error) {
	all, err := s.Store.Summaries(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(sum session.Summary) bool { return !s.InThisWorktree(sum.WorktreePath, sum.WorktreeID) }), nil
}

// HasPendingWork reports whether a session has uncommitted files or is in the middle of a turn.
func HasPendingWork(sum session.Summary) bool {
	return sum.FilesTouched > 0 || sum.Phase == session.PhaseActive
}

// InTurn reports whether the session is in a turn whose beginning is known.
func InTurn(o *sessionstate.LockedSession) bool {
	return o.State != nil && o.State.Phase == session.PhaseActive && o.Engine.TurnStart.Seen
}

// AncestorsMax bounds how many steps below a branch's tip are searched for a recorded step.
const AncestorsMax = 5000

// chainMax bounds how many steps of a branch are read.
const chainMax = 2000

// BeganAtHead reports whether the session is in a turn that began at HEAD itself.
func BeganAtHead(o *sessionstate.LockedSession) bool {
	return InTurn(o) && o.Engine.TurnStart.Step.IsZero()
}

// BranchSteps returns a branch's steps, oldest first, from the last step that carried work forward.
func BranchSteps(ctx context.Context, s *sessionstate.Env, ref string) ([]Step, error) {
	return BranchStepsFrom(ctx, s, ref, func(st Step) bool { return st.Info.Kind == shadow.StepCarryForward })
}

// BranchStepsFrom returns a branch's steps, oldest first, from the newest step for which first returns
// true. It reads many at a time.
func BranchStepsFrom(ctx context.Context, s *sessionstate.Env, ref string, first func(Step) bool) ([]Step, error) {
	tip, ok, err := s.Repo.Reader(ctx).CommitOf(ref)
	if err != nil || !ok {
		return nil, err
	}
	steps := []Step{{tip, shadow.ParseStep(tip.Message)}}
	for n := 8; ; n = min(2*n, 128) {
		last := steps[len(steps)-1]
		if len(last.Parents) == 0 || first(last) {
			break
		}
		if len(steps) > chainMax {
			return nil, fmt.Errorf("%s has more than %d steps", ref, chainMax)
		}
		var specs []string
		for i := range n {
			specs = append(specs, fmt.Sprintf("%s~%d", last.OID, i+1))
		}
		objs, err := s.Repo.Reader(ctx).Objects(specs...)
		if err != nil {
			return nil, err
		}
		if steps, err = appendSteps(steps, objs, first); err != nil {
			return nil, err
		}
	}
	slices.Reverse(steps)
	return steps, nil
}

func appendSteps(steps []Step, objs []git.Object, first func(Step) bool) ([]Step, error) {
	before := len(steps)
	for _, o := range objs {
		if o.Type != "commit" || first(steps[len(steps)-1]) {
			break
		}
		c, err := git.ParseCommit(o.OID, o.Data)
		if err != nil {
			return nil, err
		}
		steps = append(steps, Step{c, shadow.ParseStep(c.Message)})
	}
	if len(steps) == before {
		return nil, fmt.Errorf("read step below %s: %w", steps[before-1].OID, git.ErrMissing)
	}
	return steps, nil
}

// LookupsMax bounds how many file versions are looked up together.
const LookupsMax = 400_000

// EntryNamed finds a folder or a file in a tree whose entries are in git's order, in which a folder's
// name sorts as if it ended in a slash. It returns mode 0 if there is none.
func EntryNamed(tree []git.TreeEntry, name string, folder bool) git.TreeEntry {
	key := func(e git.TreeEntry) string {
		if e.Mode == git.ModeTree {
			return e.Name + "/"
		}
		return e.Name
	}
	if folder {
		name += "/"
	}
	i, ok := slices.BinarySearchFunc(tree, name, func(e git.TreeEntry, name string) int { return strings.Compare(key(e), name) })
	if !ok {
		return git.TreeEntry{}
	}
	return tree[i]
}

// BlobsAt returns the blobs at paths in several trees, by tree and path.
func BlobsAt(ctx context.Context, s *sessionstate.Env, trees []git.OID, paths []string) ([][]git.OID, error) {
	return BlobsAtKnown(ctx, s, trees, paths, map[git.OID][]git.TreeEntry{})
}

// BlobsAtKnown is BlobsAt with a cache of trees, to which it adds those that it reads.
func BlobsAtKnown(ctx context.Context, s *sessionstate.Env, trees []git.OID, paths []string, known map[git.OID][]git.TreeEntry) ([][]git.OID, error) {
	if len(trees)*len(paths) > LookupsMax {
		return nil, fmt.Errorf("%d files in %d trees are too many to look for", len(paths), len(trees))
	}
	states, err := VersionsAt(ctx, s, trees, paths, known)
	if err != nil {
		return nil, err
	}
	out := make([][]git.OID, len(trees))
	for i := range states {
		for _, f := range states[i] {
			out[i] = append(out[i], BlobOf(f.Mode, f.OID))
		}
	}
	return out, nil
}

// VersionsAt returns what several trees have at paths, with one round trip a level of folders. It
// adds the trees that it reads to known.
func VersionsAt(ctx context.Context, s *sessionstate.Env, trees []git.OID, paths []string, known map[git.OID][]git.TreeEntry) ([][]sessionstate.PathVersion, error) {
	type cursor struct {
		tree git.OID
		rest string
		at   *sessionstate.PathVersion
	}
	out := make([][]sessionstate.PathVersion, len(trees))
	var level []cursor
	for i, tree := range trees {
		out[i] = make([]sessionstate.PathVersion, len(paths))
		for k, p := range paths {
			out[i][k].Path = p
			level = append(level, cursor{tree, p, &out[i][k]})
		}
	}
	known[git.OID{}] = nil
	for len(level) > 0 {
		var ask []git.OID
		for _, c := range level {
			if _, ok := known[c.tree]; !ok {
				known[c.tree] = nil
				ask = append(ask, c.tree)
			}
		}
		got, err := s.Repo.Reader(ctx).Trees(ask...)
		if err != nil {
			for _, oid := range ask {
				delete(known, oid)
			}
			return nil, err
		}
		for i, oid := range ask {
			known[oid] = got[i]
		}
		var next []cursor
		for _, c := range level {
			name, rest, deeper := strings.Cut(c.rest, "/")
			e := EntryNamed(known[c.tree], name, deeper)
			if e.Mode == 0 && !deeper {
				e = EntryNamed(known[c.tree], name, true)
			}
			switch {
			case deeper && e.Mode == git.ModeTree:
				next = append(next, cursor{e.OID, rest, c.at})
			case !deeper:
				c.at.Mode, c.at.OID = e.Mode, e.OID
			}
		}
		level = next
	}
	return out, nil
}

// IsBlob reports whether git's mode is that of a file or a link.
func IsBlob(mode uint32) bool { return mode != 0 && mode != git.ModeTree && mode != git.ModeGitlink }

// ShortBranch returns the name of a branch without refs/heads/.
func ShortBranch(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }
