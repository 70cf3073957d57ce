package enginetest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// ours tells the files below the git directory that we may write.
func ours(path string) bool {
	for _, dir := range []string{"objects/", "refs/heads/entire/", "refs/entire/", "entire-sessions/", "entire/", "logs/refs/heads/entire/"} {
		if strings.HasPrefix(path, dir) {
			return true
		}
	}
	return path == "COMMIT_EDITMSG"
}

// GitDirFiles is everything below the git directory that is not ours.
func (w *World) GitDirFiles() map[string]string {
	w.T.Helper()
	out := map[string]string{}
	root := w.GitPath(".")
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err == nil && !ours(rel) {
			var data []byte
			data, err = os.ReadFile(path)
			out[rel] = string(data)
		}
		return err
	})
	if err != nil {
		w.T.Fatal(err)
	}
	return out
}

// Everywhere looks for text in every object and every file of ours.
func (w *World) Everywhere(text string, want bool) {
	w.T.Helper()
	cmd := w.Command("git", "cat-file", "--batch-all-objects", "--batch", "--unordered")
	objects, err := cmd.Output()
	if err != nil {
		w.T.Fatal(err)
	}
	if got := bytes.Contains(objects, []byte(text)); got != want {
		at := bytes.Index(objects, []byte(text))
		w.T.Errorf("in the objects: %v; near %q", got, objects[max(0, at-300):min(len(objects), at+50)])
	}
	root := w.GitPath(".")
	err = filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil || strings.HasPrefix(rel, "objects/") {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(text)) && !want {
			w.T.Errorf("in .git/%s", rel)
		}
		return err
	})
	if err != nil {
		w.T.Fatal(err)
	}
}
