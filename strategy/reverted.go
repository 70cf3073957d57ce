package strategy

import (
	"context"
	"slices"

	"entire/internal/git"
)

// dropReverted forgets the work that the worktree has as in HEAD again, taken
// back by whoever it was, unless a stash holds it: then it may come back.
func (s *ManualCommitStrategy) dropReverted(ctx context.Context, o *open, snap *snapshot) {
	ev := s.evidence(ctx)
	w := work{session: o.id.String(), base: baseOf(o)}
	o.state.FilesTouched = slices.DeleteFunc(o.state.FilesTouched, func(text string) bool {
		p := textPath(text)
		if _, dirty := snap.files.find(p); dirty || snap.left(p) {
			return false
		}
		_, stashed := ev.stashedWork(w, p)
		return !stashed
	})
}

// stashedWork is the last that a session did to a path of which a stash holds
// something.
func (e *evidence) stashedWork(w work, path string) (f fileState, ok bool) {
	if len(e.stashTrees()) == 0 {
		return f, false
	}
	spells, _ := e.own(w, path)
	for _, sp := range slices.Backward(spells) {
		if e.stashed(sp, git.OID{}) {
			return sp.to, true
		}
	}
	return f, false
}

// left reports whether a path was left out of the snapshot, so that nobody
// knows how it stands.
func (snap *snapshot) left(path string) bool {
	return slices.ContainsFunc(snap.skipped, func(k KeptFile) bool { return k.Path == path })
}
