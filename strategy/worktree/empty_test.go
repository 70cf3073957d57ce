package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestIsEmptyDir(t *testing.T) {
	dir := t.TempDir()
	if !isEmptyDir(dir) {
		t.Error("an empty folder is not taken for one")
	}
	for _, name := range []string{strings.Repeat("n", 255), "a", "folder/in"} {
		with := t.TempDir()
		if err := os.MkdirAll(filepath.Join(with, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if isEmptyDir(with) {
			t.Errorf("a folder with %.20s is taken for an empty one", name)
		}
	}
	if isEmptyDir(filepath.Join(dir, "missing")) {
		t.Error("a missing folder is taken for an empty one")
	}
}
