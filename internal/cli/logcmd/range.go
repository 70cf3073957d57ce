package logcmd

import (
	"context"
	"fmt"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/timeline"
	"entire/strategy/rewind"
)

// A rangeView is what changed between two points, and its JSON form.
type rangeView struct {
	Kind       string            `json:"kind"` // "range"
	From       string            `json:"from"`
	To         string            `json:"to"` // "" is the worktree
	Changes    []timeline.Change `json:"changes"`
	Insertions int               `json:"insertions"`
	Deletions  int               `json:"deletions"`
	Patch      string            `json:"patch,omitempty"` // with --diff
	Unshown    []string          `json:"patch_leaves_out,omitempty"`
	Kept       []string          `json:"not_compared"` // "path (why)": content of the worktree that no point can hold
}

// between shows what changed from one point to another; to the worktree, if the second has no name.
func (s shower) between(ctx context.Context, from, to string) error {
	if from == "" || strings.HasPrefix(to, ".") {
		return cliui.Failf("as in `entire show bfe1ee2..c0ffee1`, or `entire show bfe1ee2..` for what has changed since", "not a range: %s..%s", cliui.ShownLine(from), cliui.ShownLine(to))
	}
	v := rangeView{Kind: "range", Kept: []string{}}
	var trees [2]git.OID
	var err error
	if v.From, trees[0], err = s.treeOf(ctx, from); err != nil {
		return err
	}
	if to == "" {
		trees[1], err = s.presentTree(ctx, &v)
	} else {
		v.To, trees[1], err = s.treeOf(ctx, to)
	}
	if err != nil {
		return err
	}
	p, err := s.tl.Patch(ctx, trees[0], trees[1], s.o.paths...)
	if err != nil {
		return err
	}
	v.Changes = p.Changes
	for _, c := range v.Changes {
		v.Insertions, v.Deletions = v.Insertions+max(c.Insertions, 0), v.Deletions+max(c.Deletions, 0)
	}
	if s.o.diff {
		v.Patch, v.Unshown = string(p.Text), p.Left
	}
	if s.o.json {
		return s.env.PrintJSON(v)
	}
	return s.env.Show(ctx, s.rangeText(v), s.o.noPage)
}

// treeOf returns the point that a name means, and its tree.
func (s shower) treeOf(ctx context.Context, name string) (string, git.OID, error) {
	point, err := workplace.FindPoint(ctx, s.wp, name)
	if err != nil {
		return "", git.OID{}, err
	}
	c, _, err := s.wp.Repo.Reader(ctx).CommitOf(point.ID)
	return point.ID, c.Tree, err
}

func (s shower) presentTree(ctx context.Context, v *rangeView) (git.OID, error) {
	tree, skipped, err := rewind.PresentTree(ctx, s.wp.Engine)
	for _, k := range skipped {
		v.Kept = append(v.Kept, fmt.Sprintf("%s (%s)", strings.ToValidUTF8(k.Path, "\uFFFD"), k.Why))
	}
	return tree, err
}

func (s shower) rangeText(v rangeView) string {
	var b strings.Builder
	to := "the worktree"
	if v.To != "" {
		to = cliui.ShortID(v.To)
	}
	fmt.Fprintf(&b, "From %s to %s:\n%s", cliui.ShortID(v.From), to, statText(v.Changes, s.env.Screen()))
	for _, kept := range v.Kept {
		fmt.Fprintf(&b, "warning: not compared: %s\n", cliui.ShownLine(kept))
	}
	if s.o.diff {
		b.WriteString("\n" + s.patchText(v.Patch) + unshownText(v.Unshown))
	}
	return b.String()
}

// unshownText names files whose lines are too many to be shown, "" for none.
func unshownText(paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	return fmt.Sprintf("%s too much to be shown: %s\n", cliui.Plural(len(paths), "1 file is", fmt.Sprintf("%d files are", len(paths))), cliui.SomeNames(paths))
}
