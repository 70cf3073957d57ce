package facts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire/internal/cli/ownerlib"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/lineage"
	"entire/internal/patch"
	"entire/internal/timeline"
)

// filesMax bounds the files that are listed.
const filesMax = 50_000

// Files returns the files of the worktree that git does not ignore, in order.
func (s *Source) Files(ctx context.Context) (files []string, more bool, err error) {
	err = s.opened(ctx, func(wp *workplace.Workplace) error {
		out, err := wp.Repo.Run(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
		if err != nil {
			return err
		}
		for path := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			if more = len(files) == filesMax; more {
				break
			}
			if path != "" && !strings.HasPrefix(path, ".entire/") {
				files = append(files, path)
			}
		}
		slices.Sort(files)
		return nil
	})
	return files, more, err
}

// FileStates returns the contents that a file had within the newest points of the past, newest first.
func (s *Source) FileStates(ctx context.Context, path string, points int) ([]timeline.FileState, bool, error) {
	return s.tl.FileStates(ctx, path, points, statesMax)
}

// statesMax bounds the states of one file.
const statesMax = 1000

// FileText returns a content of a file, with what differs from another one marked, as one hunk of the
// whole file; zero stands for no file.
func (s *Source) FileText(ctx context.Context, path string, from, to git.OID) (*patch.File, error) {
	if from.IsZero() && !to.IsZero() || from == to {
		data, err := s.tl.Blob(ctx, to, shownMax)
		if err != nil {
			return nil, err
		}
		f := ofText(patch.File{Old: path, New: path, Action: patch.Write}, string(data), ' ')
		return &f, nil
	}
	return s.blobDiff(ctx, path, from, to, wholeFile)
}

// FileDiff returns the difference of two contents of a file.
func (s *Source) FileDiff(ctx context.Context, path string, from, to git.OID) (*patch.File, error) {
	return s.blobDiff(ctx, path, from, to, contextLines)
}

func (s *Source) blobDiff(ctx context.Context, path string, from, to git.OID, lines int) (f *patch.File, err error) {
	err = s.opened(ctx, func(wp *workplace.Workplace) error {
		f, err = blobPatch(ctx, wp.Repo, path, from, to, lines)
		return err
	})
	return f, err
}

// TreeDiff returns the difference of the files of two points.
func (s *Source) TreeDiff(ctx context.Context, from, to string) (Diff, error) {
	a, err := s.tl.TreeOf(ctx, from)
	if err != nil {
		return Diff{}, err
	}
	b, err := s.tl.TreeOf(ctx, to)
	if err != nil {
		return Diff{}, err
	}
	return s.Diff(ctx, a, b)
}

// Blame returns the lines of a file with their owners: as it is now or, with rev, as it was in that commit.
func (s *Source) Blame(ctx context.Context, path, rev string) (lines []lineage.Line, err error) {
	err = s.opened(ctx, func(wp *workplace.Workplace) error {
		lines, err = ownerlib.Blame(ctx, wp, path, rev)
		return err
	})
	return lines, err
}

// Why returns how a line of a file came to be.
func (s *Source) Why(ctx context.Context, path, rev string, line int) (why *ownerlib.Why, err error) {
	err = s.opened(ctx, func(wp *workplace.Workplace) error {
		why, err = ownerlib.WhyOf(ctx, wp, path, rev, line)
		return err
	})
	return why, err
}

// A Spot is a line of a file in a commit; Rev is "" for the worktree.
type Spot struct {
	Path, Rev string
	Line      int
}

// Before returns the place of what a line replaced: the line in the file before the change that brought
// it. ok is false if that change made the file.
func (s *Source) Before(ctx context.Context, at Spot, l lineage.Line) (spot Spot, ok bool, err error) {
	err = s.opened(ctx, func(wp *workplace.Workplace) error {
		args := []string{"diff", "--no-ext-diff", "--no-textconv", "-M", "HEAD", "--", at.Path}
		path, line, rev := at.Path, at.Line, "HEAD"
		if !l.Commit.IsZero() {
			path, line, rev = l.CommitPath, l.CommitLine, l.Commit.String()+"^"
			if _, found, err := wp.Repo.Reader(ctx).CommitOf(rev); err != nil || !found {
				return err
			}
			args = []string{"diff-tree", "-p", "--no-ext-diff", "--no-textconv", "-M", rev, l.Commit.String()}
		}
		text, err := wp.Repo.Run(ctx, args...)
		if err != nil {
			return fmt.Errorf("read what %s changed: %w", rev, err)
		}
		files, err := patch.Parse(text)
		if err != nil {
			return err
		}
		for _, f := range files {
			if f.New == path && f.Old != "" {
				spot, ok = Spot{f.Old, rev, oldLine(f, line)}, true
			}
		}
		return nil
	})
	return spot, ok, err
}

// oldLine returns the line that a line of the new file replaced, or the nearest one before it.
func oldLine(f patch.File, line int) int {
	moved := 0
	for _, h := range f.Hunks {
		if line < h.NewFrom {
			break
		}
		if line < h.NewFrom+h.NewLines {
			at := max(h.OldFrom, 1)
			for _, p := range h.Pairs() {
				if p.Left != nil {
					at = p.Left.Old
				}
				if p.Right != nil && p.Right.New == line {
					return at
				}
			}
			return at
		}
		moved = h.OldFrom + h.OldLines - h.NewFrom - h.NewLines
	}
	return max(line+moved, 1)
}
