package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/git"
	"entire/internal/term"
	"entire/strategy/turn"
)

func (w *world) checkpointsDiffCommand() *cobra.Command {
	var o checkpointsOptions
	cmd := &cobra.Command{
		Use:   "diff A [B] [-- PATH...]",
		Short: "Compare two points, or one with the present worktree",
		Long: `Compare the files of two points, or of one with the present worktree. Lines that
were added since A have a "+". Paths are relative to the current directory, as in git.

If standard output is not a terminal, ` + "`git apply`" + ` accepts the patch.`,
		Example: `  entire checkpoints diff bfe1ee2              # from there to the present
  entire checkpoints diff bfe1ee2 c0ffee1 --stat
  entire checkpoints diff bfe1ee2 -- src/main.go`,
		Args: func(cmd *cobra.Command, args []string) error {
			if points, _ := splitPaths(cmd, args); len(points) < 1 || len(points) > 2 {
				return failf("`entire checkpoints diff A B -- PATH`; files come after --", "%s names one point or two, not %d", cmd.CommandPath(), len(points))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			points, paths := splitPaths(cmd, args)
			return w.checkpointsDiff(cmd.Context(), points, paths, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.stat, "stat", false, "only the files and how many lines")
	f.BoolVar(&o.json, "json", false, "print a JSON object, without lines")
	f.BoolVar(&o.noPager, "no-pager", false, "never use a pager")
	cmd.ValidArgsFunction = w.completePoints(2)
	return cmd
}

// splitPaths returns the arguments before and after "--".
func splitPaths(cmd *cobra.Command, args []string) (before, paths []string) {
	if n := cmd.ArgsLenAtDash(); n >= 0 {
		return args[:n], args[n:]
	}
	return args, nil
}

// A pointDiff is the JSON form of a comparison.
type pointDiff struct {
	From       string        `json:"from"`
	To         string        `json:"to"` // "" is the worktree
	Files      []changedFile `json:"files"`
	Insertions int           `json:"insertions"`
	Deletions  int           `json:"deletions"`
	Kept       []string      `json:"not_compared"` // "path (why)": content of the worktree that no checkpoint can hold
}

func (w *world) checkpointsDiff(ctx context.Context, names, paths []string, o checkpointsOptions) error {
	wp, err := w.guarded(ctx)
	if err != nil || wp == nil {
		return err
	}
	defer wp.close()
	within, err := w.repoPaths(wp, paths)
	if err != nil {
		return err
	}
	d := pointDiff{Kept: []string{}}
	var pair [2]git.OID
	for i, name := range names {
		point, err := findPoint(ctx, wp, name)
		if err != nil {
			return err
		}
		c, _, err := wp.repo.Reader(ctx).CommitOf(point.ID)
		if err != nil {
			return err
		}
		pair[i] = c.Tree
		*[]*string{&d.From, &d.To}[i] = point.ID
	}
	if len(names) == 1 {
		tree, skipped, err := turn.PresentTree(ctx, wp.engine)
		if err != nil {
			return err
		}
		pair[1] = tree
		for _, k := range skipped {
			d.Kept = append(d.Kept, fmt.Sprintf("%s (%s)", strings.ToValidUTF8(k.Path, "\uFFFD"), k.Why))
		}
	}
	changes, err := treeChanges(ctx, wp, pair, within)
	if err != nil {
		return err
	}
	return w.showDiff(ctx, wp, d, pair, changes, o)
}

func (w *world) showDiff(ctx context.Context, wp *workplace, d pointDiff, pair [2]git.OID, changes []git.LineCount, o checkpointsOptions) error {
	if o.json {
		d.Files = changedFiles(changes)
		for _, c := range changes {
			d.Insertions += max(c.Added, 0)
			d.Deletions += max(c.Removed, 0)
		}
		return w.printJSON(d)
	}
	for _, kept := range d.Kept {
		fmt.Fprintf(w.err, "warning: not compared: %s\n", shownLine(kept))
	}
	if o.stat {
		return w.show(ctx, statText(changes, w.screen()), o.noPager)
	}
	patch, err := patchOf(ctx, wp, pair, changes)
	if err != nil {
		return err
	}
	if !term.IsTerminal(w.out) { // as git prints it, for a file or another program
		_, err := w.raw().Write(patch)
		return err
	}
	return w.show(ctx, w.patchText(patch), o.noPager)
}

// treeChanges returns the differences between two trees at or below the paths; everywhere if
// there are no paths.
func treeChanges(ctx context.Context, wp *workplace, pair [2]git.OID, within []string) ([]git.LineCount, error) {
	found, err := wp.repo.CountLines(ctx, [][2]git.OID{pair}, ".entire")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found[0], func(c git.LineCount) bool { return !covered(within, c.Path) }), nil
}

// covered reports whether path is at or below one of within; true if within is empty.
func covered(within []string, path string) bool {
	return len(within) == 0 || slices.ContainsFunc(within, func(p string) bool {
		return p == "." || path == p || strings.HasPrefix(path, p+"/")
	})
}

// repoPaths turns paths of the command line, which are relative to the current directory, into
// paths relative to the worktree's top.
func (w *world) repoPaths(wp *workplace, paths []string) ([]string, error) {
	dir, err := w.getwd()
	if err != nil {
		return nil, fmt.Errorf("find the current directory: %w", err)
	}
	var out []string
	for _, path := range paths {
		rel, err := repoPath(wp.repo.Top, dir, path)
		if err != nil {
			return nil, err
		}
		out = append(out, rel)
	}
	return out, nil
}

// repoPath does not follow the last component of path, so a symbolic link is a path of its own.
func repoPath(top, dir, path string) (string, error) {
	if path == "" {
		return "", failf("leave it out for all files, or say .", "an empty path names no file")
	}
	full := path
	if !filepath.IsAbs(full) {
		full = filepath.Join(dir, full)
	}
	full = filepath.Clean(full)
	rel, err := filepath.Rel(resolved(top), filepath.Join(resolvedUpTo(filepath.Dir(full)), filepath.Base(full)))
	if full == filepath.Clean(dir) || err != nil || !filepath.IsLocal(rel) {
		rel, err = filepath.Rel(resolved(top), resolvedUpTo(full))
	}
	if err != nil || !filepath.IsLocal(rel) {
		return "", failf("paths are relative to the current directory, as in git", "%s is outside the repository", shownName(path))
	}
	return filepath.ToSlash(rel), nil
}

// resolvedUpTo resolves the links in the existing part of a path; the rest may name deleted
// files.
func resolvedUpTo(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(resolvedUpTo(dir), filepath.Base(path))
}

// patchOf returns the patch between two trees for the files in changes, as git prints it without
// the user's configuration.
func patchOf(ctx context.Context, wp *workplace, pair [2]git.OID, changes []git.LineCount) ([]byte, error) {
	var out []byte
	for batch := range slices.Chunk(changes, 200) {
		args := []string{"diff-tree", "-r", "-p", "--no-textconv", "--no-ext-diff", "--full-index", "--binary",
			treeArg(wp, pair[0]), treeArg(wp, pair[1]), "--"}
		for _, c := range batch {
			args = append(args, c.Path)
		}
		part, err := wp.repo.Run(ctx, args...)
		if err != nil {
			return nil, err
		}
		out = append(out, part...)
	}
	return out, nil
}

func treeArg(wp *workplace, tree git.OID) string {
	if tree.IsZero() {
		return wp.repo.EmptyTree().String()
	}
	return tree.String()
}

// patchText returns a patch for the screen, with colours on a terminal.
func (w *world) patchText(patch []byte) string {
	if !term.IsTerminal(w.out) {
		return string(patch)
	}
	var b strings.Builder
	for _, c := range patchCells(patch, w.screen()) {
		if c.Style != nil {
			c.Text = c.Style(c.Text)
		}
		b.WriteString(c.Text + "\n")
	}
	return b.String()
}

// patchCells returns the lines of a patch for a screen, without the contents of binary files.
func patchCells(patch []byte, t term.Terminal) []term.Cell {
	var cells []term.Cell
	binary := false
	for line := range strings.Lines(string(patch)) {
		line = strings.TrimSuffix(line, "\n")
		begins := strings.HasPrefix(line, "diff --git ")
		if binary = binary && !begins; binary {
			continue
		}
		binary = line == "GIT binary patch"
		if binary {
			line = "(binary)"
		}
		cells = append(cells, term.Cell{Text: printable(strings.ReplaceAll(line, "\t", "    ")), Style: lineStyle(line, t)})
	}
	return cells
}

func lineStyle(line string, t term.Terminal) func(string) string {
	style := func(s term.Style) func(string) string { return func(text string) string { return t.Styled(s, text) } }
	switch {
	case strings.HasPrefix(line, "diff --git "), strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		return style(term.Strong)
	case strings.HasPrefix(line, "@@ "):
		return style(term.Faint)
	case strings.HasPrefix(line, "+"):
		return style(term.Good)
	case strings.HasPrefix(line, "-"):
		return style(term.Bad)
	}
	return nil
}
