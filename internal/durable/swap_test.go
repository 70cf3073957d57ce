package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// inTree opens a tree in which the file temp waits for the place of sub/f.
func inTree(t *testing.T) (dir string, tree *Tree, from Place) {
	t.Helper()
	dir = t.TempDir()
	tree, err := OpenTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "temp"), "new")
	way, err := tree.Walk("temp", false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { way.Close(); _ = tree.Close() })
	return dir, tree, way.Place()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); string(got) != want || want == "" != errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s holds %q, %v; want %q", filepath.Base(path), got, err, want)
	}
}

// TestSwapInATree: a file goes from one open folder of a tree to another. Without a place to move it to, what was
// there stays at the first, where the system can exchange files.
func TestSwapInATree(t *testing.T) {
	t.Parallel()
	dir, tree, from := inTree(t)
	path := filepath.Join(dir, "sub", "f")
	if err := tree.Swap("sub/f", from, Place{}, func(fi fs.FileInfo) bool { return fi == nil }); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "new")
	holds(t, filepath.Join(dir, "temp"), "")
	write(t, filepath.Join(dir, "temp"), "newer")
	if err := tree.Swap("sub/f", from, Place{}, func(fi fs.FileInfo) bool { return fi != nil && fi.Size() == 3 }); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "newer")
	if exchanges(t) {
		holds(t, filepath.Join(dir, "temp"), "new")
	}
}

// exchanges reports whether the file system of the tests can exchange files.
func exchanges(t *testing.T) bool {
	t.Helper()
	a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	write(t, a, "a")
	write(t, b, "b")
	return Exchange(Place{Name: a}, Place{Name: b}) == nil
}

// TestSwapPutsBack: a file that somebody writes after it was looked at is where they wrote it.
func TestSwapPutsBack(t *testing.T) {
	t.Parallel()
	if !exchanges(t) {
		t.Skip("files cannot be exchanged here")
	}
	for _, aside := range []Place{{}, {Name: filepath.Join(t.TempDir(), "aside")}} {
		dir, tree, from := inTree(t)
		path := filepath.Join(dir, "f")
		write(t, path, "old")
		asked := 0
		err := tree.Swap("f", from, aside, func(fi fs.FileInfo) bool {
			if asked++; asked == 1 {
				write(t, filepath.Join(dir, "other"), "somebody's")
				if err := os.Rename(filepath.Join(dir, "other"), path); err != nil {
					t.Error(err)
				}
			}
			return fi.Size() == 3
		})
		if !errors.Is(err, ErrChanged) || asked != 2 {
			t.Errorf("asked %d times, %v", asked, err)
		}
		holds(t, path, "somebody's")
		holds(t, filepath.Join(dir, "temp"), "new")
	}
}

// TestSwapDoesNotReplaceWhatAppears: nor does it replace a file that was made where there was none.
func TestSwapDoesNotReplaceWhatAppears(t *testing.T) {
	t.Parallel()
	dir, tree, from := inTree(t)
	path := filepath.Join(dir, "f")
	err := tree.Swap("f", from, Place{}, func(fi fs.FileInfo) bool { write(t, path, "somebody's"); return fi == nil })
	if !errors.Is(err, ErrChanged) {
		t.Error(err)
	}
	holds(t, path, "somebody's")
	holds(t, filepath.Join(dir, "temp"), "new")
}
