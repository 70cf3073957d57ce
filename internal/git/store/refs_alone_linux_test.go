package store

import (
	"io/fs"
	"os"
	"syscall"
	"testing"
	"time"

	"entire/internal/git/object"
	"entire/internal/testrepo"
)

// TestALockHasTheTimeOfItsFileSystem: its time is that of a write. To set it to now would set the time of access, too,
// and take the clock of this machine where the files are another's.
func TestALockHasTheTimeOfItsFileSystem(t *testing.T) {
	t.Parallel()
	gitOnly(t)
	r := testrepo.New(t)
	repo := open(t, r)
	refs, alone := repo.loneRefs(t.Context(), []RefUpdate{{aloneRef, oidOf(t, r.Head()), object.OID{}}})
	if !alone {
		t.Fatal("git is asked")
	}
	l := refs[0]
	defer l.release()
	ok(t, l.write())
	flushed := time.Now().Add(-2 * StaleLock).Truncate(time.Second)
	ok(t, os.Chtimes(l.value, flushed, flushed))
	if !l.lock() {
		t.Fatal("not locked")
	}
	fi := must[fs.FileInfo](t)(os.Lstat(l.path + ".lock"))
	if !fi.ModTime().After(flushed.Add(StaleLock)) {
		t.Errorf("it looks old: %s", fi.ModTime())
	}
	read := fi.Sys().(*syscall.Stat_t).Atim
	if at := time.Unix(read.Unix()); !at.Equal(flushed) {
		t.Errorf("its time was set, with that of access: %s", at)
	}
	if text := r.Read(".git/" + aloneRef + ".lock"); text != l.update.New.String()+"\n" {
		t.Errorf("it contains %q", text)
	}
}
