package git

import (
	"context"
	"fmt"
	"strings"
)

// Matching lists the files that git does not track and that match patterns,
// written as in .gitignore, whatever the ignore rules say of them. Nested
// repositories are not descended into. It walks the whole worktree, ignored
// folders too.
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
		if p != "" && !strings.HasSuffix(p, "/") && ValidPath(p) == nil {
			found = append(found, p)
		}
	}
	return found, nil
}
