package worktree

import (
	"errors"
	"io/fs"

	"entire/internal/durable"
)

// Standing is what exists at a path before a change.
type Standing struct {
	Info    fs.FileInfo // nil for nothing
	Folders int         // the number of folders above it that exist
}

// Preflight checks path for [Worktree.Swap] and [Worktree.Take]. It returns the error that
// they would certainly meet, as far as it can be known, for example that a folder or file
// cannot be written.
func (w *Worktree) Preflight(path string) (Standing, error) {
	way, err := w.tree.Reach(path)
	if way == nil {
		return Standing{}, at("change", path, err)
	}
	defer way.Close()
	st := Standing{Folders: len(way.Dirs) - 1}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = durable.Writable(way.Dir(), way.Names[st.Folders])
	case errors.Is(err, durable.ErrInTheWay), errors.Is(err, ErrThroughLink):
		// The file or link may be one that will be removed.
		return st, at("change", path, durable.Writable(way.Dir(), way.Names[st.Folders]))
	case err == nil:
		if fi, lerr := way.Dir().Lstat(way.Base); lerr == nil {
			st.Info = fi
		} else if !errors.Is(lerr, fs.ErrNotExist) {
			err = lerr
			break
		}
		err = durable.Writable(way.Dir(), way.Base)
	}
	return st, at("change", path, err)
}
