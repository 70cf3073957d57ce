package facts

import (
	"context"
	"fmt"
	"strings"

	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/patch"
	"entire/internal/timeline"
	"entire/strategy/restore"
)

// A Side is one of the two changes of a file that do not merge, with its colours.
type Side struct {
	File *patch.File // nil if it cannot be shown
	Rows [][][]patch.Token
}

// Sides are both.
type Sides struct{ Undone, Later Side }

// Sides returns both sides of a conflict.
func (s *Source) Sides(ctx context.Context, c restore.PlanConflict) Sides {
	var out Sides
	_ = s.opened(ctx, func(wp *workplace.Workplace) error {
		side := func(from, to git.OID) Side {
			f, err := blobPatch(ctx, wp.Repo, c.Path, from, to, contextLines)
			if err != nil {
				return Side{}
			}
			return Side{f, f.Colour()}
		}
		out = Sides{side(c.Theirs.OID, c.Base.OID), side(c.Base.OID, c.Ours.OID)}
		return nil
	})
	return out
}

const (
	contextLines = 3
	wholeFile    = 1 << 20 // more lines than a file that is shown has
)

// shownMax is the size in bytes up to which a file's content is shown.
const shownMax = 1 << 20

// blobPatch returns the difference of two contents of a file; zero stands for no file.
func blobPatch(ctx context.Context, repo *git.Repo, path string, from, to git.OID, lines int) (*patch.File, error) {
	if from.IsZero() || to.IsZero() {
		return oneSided(ctx, repo, path, from, to)
	}
	text, err := repo.Run(ctx, "diff", "--no-ext-diff", "--no-textconv", "--full-index", fmt.Sprint("-U", lines), from.String(), to.String())
	if err != nil {
		return nil, err
	}
	files, err := patch.Parse(text)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return &patch.File{Old: path, New: path, Action: patch.Write}, nil
	}
	f := files[0]
	f.Old, f.New, f.Action = path, path, patch.Write
	return &f, nil
}

// oneSided returns the patch that makes a file, or removes it.
func oneSided(ctx context.Context, repo *git.Repo, path string, from, to git.OID) (*patch.File, error) {
	f := &patch.File{New: path, Action: patch.Create}
	oid, op := to, byte('+')
	if to.IsZero() {
		f, oid, op = &patch.File{Old: path, Action: patch.Remove}, from, '-'
	}
	if oid.IsZero() {
		return f, nil
	}
	objs, err := repo.Reader(ctx).Small(shownMax, oid.String())
	switch {
	case err != nil:
		return nil, err
	case objs[0].Type == "":
		return nil, fmt.Errorf("read %s: %w", oid.Short(), git.ErrMissing)
	case objs[0].Large:
		return nil, timeline.ErrTooLarge
	}
	*f = ofText(*f, string(objs[0].Data), op)
	return f, nil
}

// ofText returns a file with one hunk of all lines of a text.
func ofText(f patch.File, text string, op byte) patch.File {
	if strings.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
		f.Binary = true
		return f
	}
	var h patch.Hunk
	for line := range strings.Lines(text) {
		n := len(h.Lines) + 1
		l := patch.Line{Op: op, Text: strings.TrimSuffix(line, "\n"), NoNewline: !strings.HasSuffix(line, "\n")}
		if op != '+' {
			l.Old = n
		}
		if op != '-' {
			l.New = n
		}
		h.Lines = append(h.Lines, l)
	}
	n := len(h.Lines)
	if n == 0 {
		return f
	}
	if op != '+' {
		h.OldFrom, h.OldLines = 1, n
	}
	if op != '-' {
		h.NewFrom, h.NewLines = 1, n
	}
	switch op {
	case '+':
		f.Insertions = n
	case '-':
		f.Deletions = n
	}
	f.Hunks = []patch.Hunk{h}
	return f
}
