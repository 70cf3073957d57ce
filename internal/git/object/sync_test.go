package object

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// flushLikeWindows refuses a handle that may not write.
func flushLikeWindows(f *os.File) error {
	if _, err := f.Write(nil); err != nil {
		return fs.ErrPermission
	}
	return nil
}

func TestWritebackWhereOnlyAWriterMayFlush(t *testing.T) {
	windows := flusher{writes: true, flush: flushLikeWindows}
	for _, mode := range []fs.FileMode{0o644, 0o444} {
		path := filepath.Join(t.TempDir(), "file")
		if err := errors.Join(os.WriteFile(path, []byte("text"), mode), os.Chmod(path, mode)); err != nil { // whatever the umask is
			t.Fatal(err)
		}
		if err := windows.writeback(path); err != nil {
			t.Errorf("mode %v: %v", mode, err)
		}
		text, err := os.ReadFile(path)
		fi, serr := os.Stat(path)
		if err != nil || serr != nil || string(text) != "text" || fi.Mode() != mode {
			t.Errorf("mode %v: %v, %v, %q, %v", mode, err, serr, text, fi.Mode())
		}
		if err := (flusher{flush: flushLikeWindows}).writeback(path); err == nil {
			t.Error("the fake flushes through a handle that may not write")
		}
	}
}
