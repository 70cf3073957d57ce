package gitblame

import (
	"path/filepath"
	"strings"

	"entire/internal/durable"
	"entire/internal/git"
)

// Edges returns git's list of the commits at which a shallow clone ends; "" for a complete clone.
func Edges(repo *git.Repo) string {
	list, err := durable.ReadOwn(filepath.Join(repo.CommonDir, "shallow"))
	if err != nil {
		return ""
	}
	return string(list)
}

// Cut returns the commit with a parent that does not exist if it is one of edges: git knows none there, though the
// parent's objects may still be here.
func Cut(c git.Commit, edges string) git.Commit {
	if len(c.Parents) > 0 && edges != "" && strings.Contains(edges, c.OID.String()) {
		c.Parents = []git.OID{{}}
	}
	return c
}
