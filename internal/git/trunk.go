package git

import (
	"context"
	"fmt"
	"strings"
)

// DefaultBranch is the full name of the branch others are made from: the one
// origin calls so, else one of the usual names; "" when none exists.
func (r *Repo) DefaultBranch(ctx context.Context) (string, error) {
	names := []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"}
	objects, err := r.Reader(ctx).Objects(names...)
	if err != nil {
		return "", fmt.Errorf("find the default branch: %w", err)
	}
	if objects[0].Type != "" {
		out, err := r.Run(ctx, "for-each-ref", "--format=%(symref)", names[0])
		if target := strings.TrimSpace(string(out)); err != nil || target != "" {
			return target, err
		}
	}
	for i, name := range names[1:] {
		if objects[i+1].Type != "" {
			return name, nil
		}
	}
	return "", nil
}
