package strategy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"entire/internal/git"
)

// withIncluded adds the ignored files that the settings ask for to what git
// lists. Auto-commit commits what a step holds: it asks for none.
func (s *ManualCommitStrategy) withIncluded(ctx context.Context, st *git.StatusProcess) (*git.Status, error) {
	if len(s.IncludeIgnored) == 0 || s.auto {
		return st.Wait()
	}
	more, err := s.repo.Matching(ctx, s.IncludeIgnored)
	status, serr := st.Wait()
	if serr != nil {
		return nil, serr
	}
	if err != nil { // not for this should a turn be lost
		s.Log.Error("ignored files not included", "err", err)
		return status, nil
	}
	listed := map[string]bool{}
	for _, e := range status.Entries {
		listed[e.Path] = true
	}
	for _, p := range more {
		if listed[p] || ownPath(p) {
			continue
		}
		if nested, err := s.insideNested(p); err == nil && !nested {
			status.Entries = append(status.Entries, git.StatusEntry{Path: p, Untracked: true, Ignored: true})
		}
	}
	return status, nil
}

// include notes an ignored file that the snapshot holds.
func (snap *snapshot) include(path string) {
	if snap.included == nil {
		snap.included = map[string]bool{}
	}
	snap.included[path] = true
}

// includes identifies the patterns by which ignored files are captured, "" where
// there are none. A step says it, so that one knows of a file that is not in it
// whether it was there.
func (s *ManualCommitStrategy) includes() string {
	if len(s.IncludeIgnored) == 0 || s.auto {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(s.IncludeIgnored, "\n")))
	return hex.EncodeToString(sum[:6])
}

// dropIncluded takes out the files that are captured though they are ignored: no
// commit is to take them, so no session waits for one that does.
func (s *ManualCommitStrategy) dropIncluded(ctx context.Context, changed []string) []string {
	if s.includes() == "" || len(changed) == 0 {
		return changed
	}
	ignored, err := s.repo.Ignored(ctx, changed)
	if err != nil {
		s.Log.Warn("ignored files not told apart", "err", err)
		return changed
	}
	return slices.DeleteFunc(slices.Clone(changed), func(p string) bool { return ignored[p] })
}
