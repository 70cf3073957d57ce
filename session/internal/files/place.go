package files

import (
	"context"
	"errors"
	"fmt"
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
	mode := fs.ModeSymlink
	if s.New.Mode != modeLink {
		if mode, err = permissions(s.New.Mode); err != nil {
			return err
		}
		if runtime.GOOS == "windows" {
			mode = 0o666 // such a mode says nothing there
		}
	}
	return way.Place().Create(&contextReader{ctx, blob}, mode, !w.noSync)
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
			if err := w.tree.MakeFolder(s.path(), fs.ModePerm); err != nil {
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

// putNew moves a step's temporary file to its place. What was there is in the temporary file then, if the
// system can exchange files; the end of the journal removes it.
func (w *fileOperation) putNew(s rewindStep) error {
	from, err := w.tree.Walk(s.Temp, false)
	if err != nil {
		return err
	}
	defer from.Close()
	var why error
	err = w.tree.Swap(s.path(), from.Place(), durable.Place{}, func(now fs.FileInfo) bool {
		if why = nil; now != nil {
			why = s.untouched(now)
		}
		return why == nil
	})
	if why != nil && errors.Is(err, durable.ErrChanged) {
		return why
	}
	return err
}

// sync makes the names durable in all folders that the steps changed.
func (w *fileOperation) sync(steps []rewindStep) error {
	if w.noSync {
		return nil
	}
	var paths []string
	for _, s := range steps {
		paths = append(paths, s.path())
		if s.Temp != "" {
			paths = append(paths, s.Temp)
		}
	}
	return w.tree.Sync(paths)
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
