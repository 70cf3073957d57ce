package git

import (
	"context"
	"fmt"
	"strings"

	"entire/internal/git/object"
)

// Matching returns the untracked files that match patterns in the syntax of .gitignore,
// ignored or not. It does not descend into nested repositories. It walks the whole
// worktree, including ignored folders.
func (r *Repo) Matching(ctx context.Context, patterns []string) ([]string, error) {
	args := []string{"ls-files", "--others", "--ignored", "-z"}
	for _, p := range patterns {
		args = append(args, "--exclude="+p)
	}
	out, err := r.Run(ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("list ignored files: %w", err)
	}
	var found []string
	for p := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if p != "" && !strings.HasSuffix(p, "/") && object.ValidPath(p) == nil {
			found = append(found, p)
		}
	}
	return found, nil
}
