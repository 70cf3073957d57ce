package lineage

import (
	"bytes"
	"context"
	"errors"

	"entire/internal/git"
)

// blameWorktree is blame for the worktree. It also accepts a file that HEAD does not have,
// which git refuses: all of its lines are uncommitted.
func (r *Resolver) blameWorktree(ctx context.Context, path string, spans []span) ([]blamedLine, error) {
	raw, err := r.blame(ctx, "", path, spans)
	var exit *git.ExitError
	if err == nil || !errors.As(err, &exit) {
		return raw, err
	}
	head, born, headErr := r.repo.Reader(ctx).CommitOf("HEAD")
	if headErr != nil {
		return nil, err
	}
	if born {
		if _, found, pathErr := r.repo.Reader(ctx).Path(head.Tree, path); found || pathErr != nil {
			return nil, err
		}
	}
	wt, openErr := r.repo.OpenWorktree()
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

func uncommittedLines(text []byte) (out []blamedLine) {
	none := &blamedCommit{}
	for line := range bytes.Lines(text) {
		n := len(out) + 1
		out = append(out, blamedLine{number: n, line: n, commit: none, text: string(bytes.TrimSuffix(line, []byte("\n")))})
	}
	return out
}

// selectLines returns the lines within spans, or the error refused if a span begins after the
// last line.
func selectLines(all []blamedLine, spans []span, refused error) ([]blamedLine, error) {
	if len(spans) == 0 {
		return all, nil
	}
	wanted := make([]bool, len(all)+1)
	for _, s := range spans {
		if s.from > len(all) {
			return nil, refused
		}
		for n := s.from; n <= min(s.to, len(all)); n++ {
			wanted[n] = true
		}
	}
	var out []blamedLine
	for _, t := range all {
		if wanted[t.number] {
			out = append(out, t)
		}
	}
	return out, nil
}
