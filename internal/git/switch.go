package git

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/internal/git/object"
	"entire/internal/git/store"
)

// InTheWayError is returned by Switch for files of the worktree that the other branch
// would overwrite. Nothing was changed.
type InTheWayError struct{ Paths []string }

func (e *InTheWayError) Error() string {
	shown := e.Paths
	if len(shown) > 5 {
		shown = append(append([]string{}, shown[:5]...), fmt.Sprintf("and %d more", len(e.Paths)-5))
	}
	return "files that are not committed are in the way: " + strings.Join(shown, ", ")
}

// ElsewhereError is returned by Switch for a branch that another worktree has checked out.
// Nothing was changed.
type ElsewhereError struct{ Branch, Dir string }

func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("branch '%s' is checked out in another worktree: %s", e.Branch, e.Dir)
}

// Switch changes the worktree's branch as `git switch` does, with the user's own hooks; it
// fetches a commit that a partial clone lacks. With a start it creates the branch there,
// tracking start if that is a remote's branch.
func (r *Repo) Switch(ctx context.Context, branch, start string) error {
	args := []string{"switch", "--quiet", "--no-guess", branch}
	if start != "" {
		args = []string{"switch", "--quiet", "-c", branch, start}
	}
	if strings.HasPrefix(branch, "-") || strings.HasPrefix(start, "-") {
		return fmt.Errorf("branch name %q is not valid", object.Clip(branch))
	}
	_, err := store.Command{Dir: r.Dir(), Env: append(r.online(), silent...)}.Output(ctx, args...)
	var exit *store.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	var paths []string
	for line := range strings.Lines(exit.Stderr) {
		if path, ok := strings.CutPrefix(line, "\t"); ok && strings.Contains(exit.Stderr, "would be overwritten") {
			paths = append(paths, strings.TrimRight(path, "\n"))
		}
	}
	if len(paths) > 0 {
		return &InTheWayError{paths}
	}
	if dir := r.worktreeOn(ctx, branch); dir != "" && dir != r.Top {
		return &ElsewhereError{branch, dir}
	}
	return err
}

// worktreeOn returns the folder of the worktree that has a branch checked out, "" for
// none.
func (r *Repo) worktreeOn(ctx context.Context, branch string) string {
	list, err := r.Run(ctx, "worktree", "list", "--porcelain")
	if err != nil {
		return ""
	}
	dir := ""
	for line := range strings.Lines(string(list)) {
		line = strings.TrimRight(line, "\n")
		if at, ok := strings.CutPrefix(line, "worktree "); ok {
			dir = at
		} else if line == "branch refs/heads/"+branch {
			return dir
		}
	}
	return ""
}
