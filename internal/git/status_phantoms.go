package git

import (
	"path"
	"slices"
)

// dropPhantoms removes paths that were only intended to be added (`git add -N`) and no
// longer exist: git reports them as if HEAD had an empty file there. Removing such a path
// could remove a folder of that name in HEAD, or a file of HEAD in place of a folder above
// it.
func (st *Status) dropPhantoms() {
	real := map[string]bool{} // the paths that HEAD has and the index does not, and the folders above them
	for _, e := range st.Entries {
		if e.HeadMode == 0 || e.IndexMode != 0 || e.Untracked || e.Unmerged {
			continue
		}
		real[e.Path+"/"] = true
		for dir := path.Dir(e.Path); dir != "."; dir = path.Dir(dir) {
			real[dir] = true
		}
	}
	if len(real) == 0 {
		return
	}
	st.Entries = slices.DeleteFunc(st.Entries, func(e StatusEntry) bool {
		if e.WorkMode != 0 || e.IndexMode == 0 || e.Unmerged || e.HeadMode != e.IndexMode || e.HeadOID != e.IndexOID {
			return false
		}
		if real[e.Path] {
			return true
		}
		for i, r := range e.Path {
			if r == '/' && real[e.Path[:i+1]] {
				return true
			}
		}
		return false
	})
}
