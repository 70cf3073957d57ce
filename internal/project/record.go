package project

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/durable"
)

// maxRecord bounds the file a key is read from, maxFormer what it remembers.
const (
	maxRecord = 4 << 10
	maxFormer = 8
)

// recordOf is the file of a repository that holds its keys, one a line, the
// present one first.
func recordOf(common string) string { return filepath.Join(common, "entire", "project") }

// markerOf is the file of a folder that holds its key.
func markerOf(top string) string { return filepath.Join(top, ".entire", markerName) }

const markerName = "project-id"

// lockOf is the lock under which one of the two is written.
func lockOf(path string) string {
	if filepath.Base(path) == markerName {
		return filepath.Join(filepath.Dir(path), "tmp", markerName+".lock") // .entire/tmp is ignored by git
	}
	return path + ".lock"
}

// readKeys reads the keys in a file; nil if there are none, or if it holds
// anything else. The file of a folder may come from anywhere, so it cannot call
// the folder a repository.
func readKeys(path string) []string {
	data, err := durable.ReadPlain(path, maxRecord)
	if err != nil {
		return nil
	}
	keys := strings.Fields(string(data))
	if len(keys) == 0 || slices.ContainsFunc(keys, func(k string) bool { return !valid(k) }) {
		return nil
	}
	if filepath.Base(path) == markerName && (len(keys) > 1 || !strings.HasPrefix(keys[0], randomPrefix)) {
		return nil
	}
	return keys
}

// readMarker is the key of a folder, "" if it has none.
func readMarker(top string) string {
	if fi, err := os.Lstat(filepath.Join(top, ".entire")); err != nil || !fi.IsDir() {
		return ""
	}
	if keys := readKeys(markerOf(top)); keys != nil {
		return keys[0]
	}
	return ""
}

// recordKeys writes keys, unless somebody else was faster; it returns what
// counts. Where nothing can be written that is keys.
func recordKeys(ctx context.Context, path string, keys []string) []string {
	if fi, err := os.Lstat(filepath.Dir(path)); err == nil && !fi.IsDir() {
		return keys // a link could lead anywhere
	}
	lock, err := durable.Acquire(ctx, lockOf(path))
	if err != nil {
		return keys
	}
	defer lock.Release()
	if have := readKeys(path); have != nil {
		return have
	}
	_ = writeKeys(path, keys) // whoever cares reads it again
	return keys
}

func writeKeys(path string, keys []string) error {
	if len(keys) > 1+maxFormer {
		keys = keys[:1+maxFormer]
	}
	return durable.WriteFile(path, []byte(strings.Join(keys, "\n")+"\n"), 0o644)
}

// recorded reports whether keys are what the file says.
func recorded(path string, keys []string) bool { return slices.Equal(readKeys(path), keys) }
