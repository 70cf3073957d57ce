package restore

import (
	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// ScanDirs notes the empty folders and special files at the top and in the folders in which
// something changed.
func ScanDirs(s *sessionstate.Env, st *git.Status, snap *worktree.Snapshot) {
	known := map[string]bool{}
	for _, u := range snap.Uncaptured {
		if u.Gap.HidesContent() {
			known[u.Path] = true
		}
	}
	a := worktree.DirScan{Top: s.Repo.Top, Snap: snap, Known: known, Peeks: worktree.ScanPeeksMax, Entries: worktree.ScanEntriesMax}
	for _, dir := range worktree.ChangedDirs(st.Entries) {
		if snap.BeyondLink(s.Repo.Top, dir) {
			continue
		}
		if nested, err := worktree.InsideNested(s, dir+"/x"); err == nil && !nested || dir == "." {
			a.ReadDir(dir)
		}
	}
}
