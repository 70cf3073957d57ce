package gitblame

import (
	"bytes"
	"context"
	"errors"

	"entire/internal/git"
)

// worktree is run for the worktree. It also accepts a file that HEAD does not have,
// which git refuses: all of its lines are uncommitted.
func (b Blamer) worktree(ctx context.Context, path string, spans []Span) ([]Line, error) {
	raw, err := b.run(ctx, "", path, spans)
	var exit *git.ExitError
	if err == nil || !errors.As(err, &exit) {
		return raw, err
	}
	head, born, headErr := b.Repo.Reader(ctx).CommitOf("HEAD")
	if headErr != nil {
		return nil, err
	}
	if born {
		if _, found, pathErr := b.Repo.Reader(ctx).Path(head.Tree, path); found || pathErr != nil {
			return nil, err
		}
	}
	wt, openErr := b.Repo.OpenWorktree()
	if openErr != nil {
		return nil, err
	}
	defer wt.Close()
	fi, statErr := wt.Lstat(path)
	if statErr != nil || !fi.Mode().IsRegular() {
		return nil, err
	}
	text, _, readErr := wt.Read(path)
	if readErr != nil {
		return nil, err
	}
	return selectLines(uncommittedLines(text), spans, err)
}

func uncommittedLines(text []byte) (out []Line) {
	none := &Commit{}
	for line := range bytes.Lines(text) {
		n := len(out) + 1
		out = append(out, Line{Number: n, Origin: n, Commit: none, Text: string(bytes.TrimSuffix(line, []byte("\n")))})
	}
	return out
}

// selectLines returns the lines within spans, or the error refused if a Span begins after the
// last line.
func selectLines(all []Line, spans []Span, refused error) ([]Line, error) {
	if len(spans) == 0 {
		return all, nil
	}
	wanted := make([]bool, len(all)+1)
	for _, s := range spans {
		if s.From > len(all) {
			return nil, refused
		}
		for n := s.From; n <= min(s.To, len(all)); n++ {
			wanted[n] = true
		}
	}
	var out []Line
	for _, t := range all {
		if wanted[t.Number] {
			out = append(out, t)
		}
	}
	return out, nil
}
