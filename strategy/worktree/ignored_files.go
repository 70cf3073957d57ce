package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/sessionstate"
)

// CheckIgnoreFile returns an error if a pipe or a device is in the place of our own .gitignore, because git's status
// would wait for it as long as the hook may run.
func CheckIgnoreFile(s *sessionstate.Env) error {
	fi, err := os.Stat(filepath.Join(s.Repo.Top, OwnFolder, ".gitignore"))
	if err != nil || fi.Mode().IsRegular() || fi.IsDir() {
		return nil
	}
	return fmt.Errorf("read status: %s/.gitignore: %w", OwnFolder, durable.ErrNoFile)
}

// AddIncluded adds to git's status the ignored files that the settings ask to capture. With
// auto-commit it adds none, because auto-commit would commit them.
func AddIncluded(ctx context.Context, s *sessionstate.Env, st *git.StatusProcess) (*git.Status, error) {
	if len(s.IncludeIgnored) == 0 || s.Auto {
		return st.Wait()
	}
	more, err := s.Repo.Matching(ctx, s.IncludeIgnored)
	status, serr := st.Wait()
	if serr != nil {
		return nil, serr
	}
	if err != nil { // the turn is worth more than the ignored files
		s.Log.Error("ignored files not included", "err", err)
		return status, nil
	}
	listed := map[string]bool{}
	for _, e := range status.Entries {
		listed[e.Path] = true
	}
	for _, p := range more {
		if listed[p] || OwnPath(p) {
			continue
		}
		if nested, err := InsideNested(s, p); err == nil && !nested {
			status.Entries = append(status.Entries, git.StatusEntry{Path: p, Untracked: true, Ignored: true})
		}
	}
	return status, nil
}

// include records that the snapshot holds path although git ignores it.
func (snap *Snapshot) include(path string) {
	if snap.Included == nil {
		snap.Included = map[string]bool{}
	}
	snap.Included[path] = true
}

// IncludedDigest returns a digest of the patterns by which ignored files are captured, "" where there are
// none. A step stores it: a reader then knows whether a file that the step lacks would have been
// captured.
func IncludedDigest(s *sessionstate.Env) string {
	if len(s.IncludeIgnored) == 0 || s.Auto {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(s.IncludeIgnored, "\n")))
	return hex.EncodeToString(sum[:6])
}

// DropIncluded returns changed without the files that git ignores: no commit is expected to take
// them, so no session waits for one that does.
func DropIncluded(ctx context.Context, s *sessionstate.Env, changed []string) []string {
	if IncludedDigest(s) == "" || len(changed) == 0 {
		return changed
	}
	ignored, err := s.Repo.Ignored(ctx, changed)
	if err != nil {
		s.Log.Warn("ignored files not told apart", "err", err)
		return changed
	}
	return slices.DeleteFunc(slices.Clone(changed), func(p string) bool { return ignored[p] })
}
