package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// DefaultBranch returns the short name of the default branch: that of origin; without an
// origin, init.defaultBranch if that branch exists, or the only local branch; otherwise
// main or master. It returns "" if none of them exists.
func (r *Repo) DefaultBranch(ctx context.Context) (string, error) {
	out, err := r.Run(ctx, "symbolic-ref", "-q", "refs/remotes/origin/HEAD")
	if name, ok := strings.CutPrefix(strings.TrimSpace(string(out)), "refs/remotes/origin/"); ok && name != "" {
		return name, nil
	}
	var exit *ExitError
	if err != nil && !errors.As(err, &exit) {
		return "", fmt.Errorf("find the default branch: %w", err)
	}
	refs, err := r.Run(ctx, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes/origin")
	if err != nil {
		return "", fmt.Errorf("find the default branch: %w", err)
	}
	cfg, err := r.Config(ctx, "init.defaultbranch")
	if err != nil {
		return "", fmt.Errorf("find the default branch: %w", err)
	}
	return chooseDefault(strings.Fields(string(refs)), cfg["init.defaultbranch"]), nil
}

func chooseDefault(refs []string, configured string) string {
	known, local := map[string]bool{}, []string{}
	for _, ref := range refs {
		if name, ok := strings.CutPrefix(ref, "refs/heads/"); ok && !strings.HasPrefix(name, "entire/") {
			known[name] = true
			local = append(local, name)
		} else if name, ok := strings.CutPrefix(ref, "refs/remotes/origin/"); ok {
			known[name] = true
		}
	}
	for _, name := range []string{configured, "main", "master"} {
		if known[name] {
			return name
		}
	}
	if len(local) == 1 {
		return local[0]
	}
	return ""
}
