package git

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"entire/internal/durable"
	"entire/internal/git/object"
	"entire/internal/git/store"
)

// RestoreTorn gives a ref of this program's the newest value of its reflog that is there, if a power cut left its file
// without a byte of the value: programs that do not flush what they write share these refs. It reports whether it did.
func (r *Repo) RestoreTorn(ctx context.Context, ref string) bool {
	path := filepath.Join(r.CommonDir, filepath.FromSlash(ref))
	if r.InTables() || !isTorn(path) || !r.isAtRest(path) {
		return false
	}
	for _, e := range slices.Backward(ParseReflog(r.ReflogTail(ctx, r.CommonDir, ref, object.NativeMax))) {
		if _, there, err := r.Reader(ctx).CommitOf(e.New.String()); err == nil && there {
			return replaceTorn(path, e.New.String()+"\n") == nil
		}
	}
	return false
}

// replaceTorn replaces a ref's file under git's lock, unless somebody has written it by now.
func replaceTorn(path, text string) error {
	lock, err := os.OpenFile(path+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = lock.WriteString(text)
	err = errors.Join(err, lock.Sync(), lock.Close())
	if err == nil && !isTorn(path) {
		err = store.ErrRefMoved
	}
	if err == nil {
		err = os.Rename(lock.Name(), path)
	}
	if err != nil {
		os.Remove(lock.Name())
	}
	return err
}

// isTorn reports whether a file has no bytes but zeros.
func isTorn(path string) bool {
	text, err := durable.ReadPlain(path, 1<<10)
	return err == nil && len(bytes.Trim(text, "\x00")) == 0
}

// isAtRest reports whether nobody has written a file lately: some programs empty a ref's file before they write it.
func (r *Repo) isAtRest(path string) bool {
	now, err := durable.Clock(r.CommonDir)
	if err != nil {
		return false
	}
	fi, err := os.Lstat(path)
	return err == nil && now.Sub(fi.ModTime()) > store.StaleLock
}
