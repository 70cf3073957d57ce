package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"entire/internal/durable"
)

// manyRefs is how many refs git must move. Each takes a few microseconds in which a kill leaves a transaction half
// done; a linked commit moves three.
const manyRefs = 9

// moveInFiles applies updates in one transaction without git, and returns those that git must
// apply: all of them, because something is unusual or in the way, or, after an error of the
// file system, the last ones.
//
// It does what git does, in git's order: take all locks, compare all values, move the refs
// that live on, and then delete the others with their reflogs. What becomes a lock is written
// before, so a program that is killed leaves locks only in the microseconds between.
func (r *Repo) moveInFiles(ctx context.Context, updates []RefUpdate) (rest []RefUpdate, err error) {
	refs, ok := r.loneRefs(ctx, updates)
	defer func() {
		for _, l := range refs {
			l.release()
		}
	}()
	if !ok || ctx.Err() != nil {
		return updates, nil
	}
	for _, l := range refs {
		if l.write() != nil {
			return updates, nil
		}
	}
	for _, l := range refs {
		if !l.lock() {
			return updates, nil
		}
	}
	switch needed, known, err := compareAll(refs); {
	case !known:
		return updates, nil
	case err != nil || !needed:
		return nil, err
	}
	if slices.ContainsFunc(refs, (*loneRef).deletes) {
		switch unlock, ok := r.lockPacked(); {
		case ok:
			defer unlock()
		case !r.PackedLockLeft():
			return updates, nil
		}
		if r.packedAny(refs) {
			return updates, nil
		}
	}
	// Updates come first, so that something always refers to what lives on.
	slices.SortStableFunc(refs, func(a, b *loneRef) int {
		switch {
		case a.deletes() == b.deletes():
			return 0
		case a.deletes():
			return 1
		}
		return -1
	})
	for i, l := range refs {
		if !l.apply() {
			for _, l := range refs[i:] {
				rest = append(rest, l.update)
			}
			return rest, nil
		}
	}
	return nil, nil
}

// loneRefs returns the refs that updates move, if git would do no more than this package.
func (r *Repo) loneRefs(ctx context.Context, updates []RefUpdate) (refs []*loneRef, ok bool) {
	c, ok := r.committer()
	if !ok || len(updates) == 0 || len(updates) >= manyRefs {
		return nil, false
	}
	for i, u := range updates {
		l, ok := r.loneRef(ctx, u)
		if !ok || slices.ContainsFunc(updates[:i], func(other RefUpdate) bool { return u.Name == other.Name || conflict(u.Name, other.Name) }) {
			return nil, false
		}
		l.committed = c
		refs = append(refs, l)
	}
	return refs, true
}

// conflict reports whether one ref's name is a folder of the other's.
func conflict(a, b string) bool {
	return strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")
}

// compareAll compares all refs with their old values. Needed is false if all have their new
// values. Known is false if git must be asked, also where only some have them.
func compareAll(refs []*loneRef) (needed, known bool, err error) {
	count := 0
	for _, l := range refs {
		need, known, lerr := l.compare()
		if !known {
			return false, false, nil
		}
		if need {
			count++
		}
		err = cmpErr(err, lerr)
	}
	return count > 0, err != nil || count == 0 || count == len(refs), err
}

func (l *loneRef) deletes() bool { return l.update.New.IsZero() }

// apply carries out an update under its lock.
func (l *loneRef) apply() bool {
	if !l.deletes() {
		if l.record() != nil || os.Rename(l.path+".lock", l.path) != nil {
			return false
		}
		l.locked = false
		return true
	}
	// A ref without a reflog is better than a reflog without a ref.
	log := reflogFile(l.repo.CommonDir, l.update.Name)
	err := os.Remove(log)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err == nil {
		removeEmpty(filepath.Dir(log), l.folders())
	}
	return os.Remove(l.path) == nil
}

// release removes what is left of an update, and the folders that a deletion left empty.
func (l *loneRef) release() {
	_ = l.close()
	if l.value != "" {
		os.Remove(l.value)
	}
	if !l.locked {
		return
	}
	os.Remove(l.path + ".lock")
	if _, err := os.Lstat(l.path); l.deletes() && errors.Is(err, fs.ErrNotExist) {
		removeEmpty(filepath.Dir(l.path), l.folders())
	}
}

// folders counts the folders of a ref that git removes when they are empty: those below refs/heads and the like.
func (l *loneRef) folders() int { return strings.Count(l.update.Name, "/") - 2 }

// removeEmpty removes up to n empty folders, each in the next.
func removeEmpty(dir string, n int) {
	for ; n > 0 && syscall.Rmdir(dir) == nil; n-- {
		dir = filepath.Dir(dir)
	}
}

const packedRefsFile = "packed-refs"

// packedLockMark begins the text of a lock of packed-refs if this program made it. Git's is empty, or a
// list of refs.
const packedLockMark = "locked by entire to delete a ref\n"

// lockPacked takes the lock of packed-refs, without which another git could pack a ref that is being
// deleted, so that it comes back. The function that it returns removes the lock, unless others have taken it
// for stale and have one of theirs now.
//
// A lock has a name of its own in its text, because file systems such as sshfs give the two names of one file
// different inodes, and others give the inode of a removed file to the next one.
func (r *Repo) lockPacked() (unlock func(), ok bool) {
	packed := filepath.Join(r.CommonDir, packedRefsFile)
	// Git takes the lock beside the file that a link names.
	if fi, err := os.Lstat(packed); err == nil && !fi.Mode().IsRegular() {
		return nil, false
	}
	lock := packed + ".lock"
	marked, err := r.createTemp(r.objects, 0o666)
	if err != nil {
		return nil, false
	}
	defer os.Remove(marked.Name())
	text := packedLockMark + filepath.Base(marked.Name()) + "\n"
	_, err = marked.WriteString(text)
	if cmpErr(err, marked.Close()) != nil || os.Link(marked.Name(), lock) != nil {
		return nil, false
	}
	return func() {
		if there, err := durable.ReadPlain(lock, maxPathFile); err == nil && string(there) == text {
			os.Remove(lock)
		}
	}, true
}

// packedAny reports whether packed-refs has a ref that is deleted, or may: git must then write it anew.
func (r *Repo) packedAny(refs []*loneRef) bool {
	text, err := durable.Read(filepath.Join(r.CommonDir, packedRefsFile), refsMax)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return slices.ContainsFunc(refs, func(l *loneRef) bool {
		return l.deletes() && bytes.Contains(text, []byte(" "+l.update.Name+"\n"))
	})
}

// OwnPackedLock reports whether a program of ours left the lock of packed-refs.
func (r *Repo) OwnPackedLock() bool {
	text, err := durable.ReadPlain(filepath.Join(r.CommonDir, packedRefsFile+".lock"), maxPathFile)
	return err == nil && strings.HasPrefix(string(text), packedLockMark)
}

// PackedLockLeft reports whether a git that was killed left the lock of packed-refs: only the user may remove that, and to
// wait for it is useless. No ref will be packed under that lock, so one that is not packed can be deleted beside it:
// otherwise nothing would be saved once HEAD has moved. A git that was stopped for so long, and goes on, can bring the
// ref back.
func (r *Repo) PackedLockLeft() bool {
	return r.isStale(filepath.Join(r.CommonDir, packedRefsFile+".lock")) && !r.OwnPackedLock()
}

// breakStale removes a lock of ours that a power cut or a kill left.
func (r *Repo) breakStale(lock string) {
	if r.isStale(lock) {
		_ = os.Remove(lock) // if this fails, the next try reports it
	}
}

// isStale reports whether there is a lock, and an old one.
func (r *Repo) isStale(lock string) bool {
	if _, err := os.Lstat(lock); err != nil {
		return false
	}
	now, err := durable.Clock(r.CommonDir)
	if err != nil {
		return false
	}
	// The clock takes long where files are on another machine. Another program may have removed the lock since, and have its own.
	fi, err := os.Lstat(lock)
	return err == nil && fi.Mode().IsRegular() && now.Sub(fi.ModTime()) > StaleLock
}
