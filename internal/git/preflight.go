package git

import (
	"errors"
	"io/fs"

	"entire/internal/durable"
)

// Standing is what stands at a path before it is changed.
type Standing struct {
	Info    fs.FileInfo // nil for nothing
	Folders int         // how many of the folders above it exist
}

// Preflight looks at path as [Worktree.Swap] and [Worktree.Take] will meet it. The
// error is what they are bound to meet, as far as one can see: a folder or file
// that cannot be written, a link on the way.
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
		// The file or link may be one that goes away.
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
