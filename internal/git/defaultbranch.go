package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// DefaultBranch is the short name of the branch that others are made from: the
// one origin calls so; without an origin, init.defaultBranch where there is such
// a branch, or the only branch of the user's; else main or master. "" when none
// of them exists.
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
