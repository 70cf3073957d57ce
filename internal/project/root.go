package project

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire/internal/git"
)

// hookLimit bounds the search for the first commit while a hook runs; commands search on. In 300 ms git walks about 50,000
// commits, and many more with a commit graph.
const hookLimit = 300 * time.Millisecond

// rootKey returns the key of a repository's first commit. It returns "" if there is no commit, the
// clone is shallow, or limit has passed (0: only ctx limits the search).
func rootKey(ctx context.Context, repo *git.Repo, limit time.Duration) string {
	if shallow(repo) {
		return ""
	}
	if limit > 0 {
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ctx = limited
	}
	name, err := repo.DefaultBranch(ctx)
	if err != nil {
		return ""
	}
	candidates := []string{"HEAD"}
	if name != "" {
		candidates = []string{"refs/heads/" + name, "refs/remotes/origin/" + name, "HEAD"}
	}
	for _, ref := range candidates {
		out, err := repo.Run(ctx, "rev-list", "--first-parent", "--max-parents=0", "--end-of-options", ref, "--")
		if err != nil {
			continue
		}
		if oid, err := git.ParseOID(strings.TrimSpace(string(out))); err == nil && !shallow(repo) {
			return rootPrefix + oid.String()
		}
	}
	return ""
}

// shallow reports whether the repository is a shallow clone, whose oldest commits are not roots.
func shallow(repo *git.Repo) bool {
	fi, err := os.Stat(filepath.Join(repo.CommonDir, "shallow"))
	return err == nil && fi.Size() > 0
}
