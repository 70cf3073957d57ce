package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"

	"entire/internal/durable"
)

// prepare writes the new files to temporary files, each in the deepest existing folder on the
// way to its place, so that a rename puts it there. The journal names the temporary files
// before prepare makes them.
func (w *fileOperation) prepare(ctx context.Context, j *rewindJournal) error {
	for i := range j.Steps {
		s := &j.Steps[i]
		if !isFile(s.New) || s.skip {
			continue
		}
		at, err := w.lookAt(s.path(), nil)
		if err != nil {
			return fmt.Errorf("%q: %w", clipped(s.path()), err)
		}
		name, err := tempName()
		if err != nil {
			return err
		}
		if s.Temp = name; at.reached != "" {
			s.Temp = at.reached + "/" + name
		}
	}
	if err := w.writeJournal(j); err != nil {
		return err
	}
	for _, s := range j.Steps {
		if s.Temp == "" {
			continue
		}
		if err := w.write(ctx, s); err != nil {
			return fmt.Errorf("prepare %q: %w", clipped(s.path()), err)
		}
	}
	return nil
}

// write makes a step's temporary file durably. The content is in the session's blobs folder by
// then.
func (w *fileOperation) write(ctx context.Context, s rewindStep) error {
	way, err := w.tree.Walk(s.Temp, false)
	if err != nil {
		return err
	}
	defer way.Close()
	blob, err := w.OpenBlob(s.New.Hash, "")
	if err != nil {
		return err
	}
	defer blob.Close()
	if s.New.Mode == modeLink {
		target, err := io.ReadAll(io.LimitReader(blob, maxFilePath*4))
		if err != nil {
			return err
		}
		return way.Dir().Symlink(string(target), way.Base)
	}
	perm, err := permissions(s.New.Mode)
	if err != nil {
		return err
	}
	f, err := way.Dir().OpenFile(way.Base, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, &contextReader{ctx, blob})
	if err == nil && runtime.GOOS != "windows" {
		err = f.Chmod(perm)
	}
	if err == nil && !w.noSync {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// place replaces, removes and makes what the steps say, and verifies the result. It leaves what
// is right already.
func (w *fileOperation) place(ctx context.Context, j *rewindJournal) error {
	steps := j.Steps
	for _, s := range steps {
		if isFile(s.New) || s.skip {
			continue
		}
		if err := w.removeOld(s); err != nil {
			return fmt.Errorf("remove %q: %w", clipped(s.path()), err)
		}
	}
	for _, s := range slices.Backward(steps) {
		if isFolder(s.New) {
			continue
		}
		if err := w.removeFolder(s); err != nil {
			return fmt.Errorf("remove folder %q: %w", clipped(s.path()), err)
		}
	}
	for _, s := range steps {
		if isFolder(s.New) && s.New.Exists {
			if err := w.makeFolder(s.path()); err != nil {
				return fmt.Errorf("make folder %q: %w", clipped(s.path()), err)
			}
		}
	}
	for _, s := range steps {
		if s.Temp == "" {
			continue
		}
		if err := w.putNew(s); err != nil {
			return fmt.Errorf("write %q: %w", clipped(s.path()), err)
		}
	}
	if err := w.sync(steps); err != nil {
		return err
	}
	return w.verify(ctx, steps)
}

// removeOld removes the file or link at the path of a step whose New is none.
func (w *fileOperation) removeOld(s rewindStep) error {
	_, err := w.lookAt(s.path(), func(dir *os.Root, base string, info fs.FileInfo) error {
		if info.IsDir() {
			return nil
		}
		if err := s.untouched(info); err != nil {
			return err
		}
		return durable.RemoveFile(dir, base)
	})
	return err
}

// untouched returns an error unless the file about to be replaced is the one that this call has
// kept.
func (s rewindStep) untouched(info fs.FileInfo) error {
	switch {
	case !s.seen:
	case s.info == nil || s.info.IsDir():
		return errors.New("was made meanwhile")
	case !sameStat(s.info, info):
		return errors.New("was changed meanwhile")
	}
	return nil
}

// removeFolder removes a folder that did not exist before, if it is empty. A folder in the
// place of a file must be empty.
func (w *fileOperation) removeFolder(s rewindStep) error {
	_, err := w.lookAt(s.path(), func(dir *os.Root, base string, info fs.FileInfo) error {
		if !info.IsDir() {
			return nil
		}
		if err := durable.RemoveDir(dir, base); err != nil && isFile(s.New) {
			return err
		}
		return nil
	})
	return err
}

func (w *fileOperation) makeFolder(path string) error {
	way, err := w.tree.Walk(path, false)
	if err != nil {
		return err
	}
	defer way.Close()
	if info, err := way.Dir().Lstat(way.Base); err == nil && info.IsDir() {
		return nil
	}
	return way.Dir().Mkdir(way.Base, 0o777)
}

func (w *fileOperation) putNew(s rewindStep) error {
	way, err := w.tree.Walk(s.path(), false)
	if err != nil {
		return err
	}
	defer way.Close()
	from, err := w.tree.Walk(s.Temp, false)
	if err != nil {
		return err
	}
	defer from.Close()
	now, err := way.Dir().Lstat(way.Base)
	switch {
	case err == nil:
		err = s.untouched(now)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err != nil {
		return err
	}
	return durable.RenameBetween(from.Dir(), from.Base, way.Dir(), way.Base)
}

// sync makes the names durable in all folders that the steps changed.
func (w *fileOperation) sync(steps []rewindStep) error {
	if w.noSync {
		return nil
	}
	done := map[string]bool{}
	for _, s := range steps {
		for _, path := range []string{s.path(), s.Temp} {
			dir := parentOf(path)
			if path == "" || done[dir] {
				continue
			}
			done[dir] = true
			way, err := w.tree.Reach(path)
			if way == nil {
				return err
			}
			err = durable.SyncFolder(way.Dir())
			way.Close()
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// verify reads the files again and compares them with the steps.
func (w *fileOperation) verify(ctx context.Context, steps []rewindStep) error {
	for _, s := range steps {
		if s.skip {
			continue
		}
		now, _, err := w.snapshot(ctx, s.path(), false)
		if err != nil {
			return fmt.Errorf("verify %q: %w", clipped(s.path()), err)
		}
		switch {
		case isFile(s.New) && sameFile(now, s.New):
		case isFolder(s.New) && s.New.Exists && isFolder(now):
		case !s.New.Exists && !isFile(now):
		default:
			return fmt.Errorf("verify %q: it is not what was written", clipped(s.path()))
		}
	}
	return nil
}
