package project

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire/internal/git"
)

// hookLimit bounds the search for the first commit where somebody waits for
// something else. In 300 ms git walks some 50,000 commits; with a commit graph
// many more.
const hookLimit = 300 * time.Millisecond

// rootKey is the key of a repository by its first commit, "" where that is not
// known: there is none, the clone is shallow, or limit is over (0: none but
// ctx's).
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

// shallow reports a clone that was cut off: its oldest commits are no roots.
func shallow(repo *git.Repo) bool {
	fi, err := os.Stat(filepath.Join(repo.CommonDir, "shallow"))
	return err == nil && fi.Size() > 0
}
