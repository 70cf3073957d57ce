package project

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/durable"
)

// maxRecord bounds the file with the keys, maxFormer the number of former keys.
const (
	maxRecord = 4 << 10
	maxFormer = 8
)

// recordOf returns the path of a repository's file with its keys, one per line, the current one first.
func recordOf(common string) string { return filepath.Join(common, "entire", "project") }

// markerOf returns the path of a folder's file with its key.
func markerOf(top string) string { return filepath.Join(top, ".entire", markerName) }

const markerName = "project-id"

// lockOf returns the lock for writing one of these files.
func lockOf(path string) string {
	if filepath.Base(path) == markerName {
		return filepath.Join(filepath.Dir(path), "tmp", markerName+".lock") // .entire/tmp is ignored by git
	}
	return path + ".lock"
}

// readKeys reads the keys in a file. It returns nil if the file contains anything else. A folder's
// file may come from anywhere, so it cannot hold the key of a repository.
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

// readMarker returns the key of a folder, or "" if it has none.
func readMarker(top string) string {
	if fi, err := os.Lstat(filepath.Join(top, ".entire")); err != nil || !fi.IsDir() {
		return ""
	}
	if keys := readKeys(markerOf(top)); keys != nil {
		return keys[0]
	}
	return ""
}

// recordKeys writes keys, unless another process has done so, and returns the recorded keys. If
// nothing can be written, it returns keys.
func recordKeys(ctx context.Context, path string, keys []string) []string {
	if fi, err := os.Lstat(filepath.Dir(path)); err == nil && !fi.IsDir() {
		return keys // a link could point anywhere
	}
	lock, err := durable.Acquire(ctx, lockOf(path))
	if err != nil {
		return keys
	}
	defer lock.Release()
	if have := readKeys(path); have != nil {
		return have
	}
	_ = writeKeys(path, keys) // the caller reads the result
	return keys
}

func writeKeys(path string, keys []string) error {
	if len(keys) > 1+maxFormer {
		keys = keys[:1+maxFormer]
	}
	return durable.WriteFile(path, []byte(strings.Join(keys, "\n")+"\n"), 0o644)
}

// recorded reports whether the file contains exactly keys.
func recorded(path string, keys []string) bool { return slices.Equal(readKeys(path), keys) }
