package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"entire/internal/durable"
)

// Settle moves what is stored under the project's former keys to its current key. Usually there is
// nothing to move, which costs one stat for each key.
// If a session exists in both places, the one under the current key stays; the other goes to the
// store's trash, with now in its name. Processes that are writing under a former key are not stopped:
// the next call moves what they leave.
func Settle(ctx context.Context, data string, id Identity, now time.Time) error {
	var from []string
	for _, key := range id.Former {
		if fi, err := os.Lstat(folder(data, key)); err == nil && fi.IsDir() && key != id.Key {
			from = append(from, folder(data, key))
		}
	}
	if len(from) == 0 {
		return nil
	}
	// This lock guards whole folders of the data directory.
	lock, err := durable.Acquire(ctx, filepath.Join(data, "projects", "settle.lock"))
	if err != nil {
		return fmt.Errorf("settle project %s: %w", id.Key, err)
	}
	defer lock.Release()
	var problems []error
	for _, dir := range from {
		if err := settle(ctx, dir, id.Dir(data), now); err != nil {
			problems = append(problems, fmt.Errorf("settle project %s: %w", id.Key, err))
		}
	}
	return errors.Join(problems...)
}

// trash is the folder of a store for deleted sessions.
const trash = "trash"

// settle moves the content of folder from to folder to.
func settle(ctx context.Context, from, to string, now time.Time) error {
	if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
		if err := os.Rename(from, to); err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	for _, part := range []string{"sessions", trash} {
		if err := merge(ctx, from, to, part, now); err != nil {
			return err
		}
	}
	os.Remove(filepath.Join(from, "sessions", "index.cache")) // its sessions have moved
	os.RemoveAll(filepath.Join(from, "sessions", ".new"))     // sessions that were never completed
	for _, dir := range []string{trash, "sessions", ""} {
		os.Remove(filepath.Join(from, dir)) // a folder that is not empty stays for the next call
	}
	return nil
}

// merge moves the folders in from/part into to/part.
func merge(ctx context.Context, from, to, part string, now time.Time) error {
	entries, err := os.ReadDir(filepath.Join(from, part))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	if err := os.MkdirAll(filepath.Join(to, part), 0o750); err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || e.Name()[0] == '.' {
			continue
		}
		if err := moveSession(ctx, filepath.Join(from, part, e.Name()), filepath.Join(to, part, e.Name()), now); err != nil {
			return err
		}
	}
	return nil
}

// moveSession moves the folder of one session while no process writes to it.
func moveSession(ctx context.Context, from, to string, now time.Time) error {
	lock, err := durable.Acquire(ctx, filepath.Join(from, "lock"))
	if err != nil {
		return err
	}
	defer lock.Release()
	if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(from, to)
	}
	if isEmptySession(from) {
		return os.RemoveAll(from)
	}
	bin := filepath.Join(filepath.Dir(filepath.Dir(to)), trash)
	if err := os.MkdirAll(bin, 0o750); err != nil {
		return err
	}
	return os.Rename(from, filepath.Join(bin, filepath.Base(to)+"."+strconv.FormatInt(now.UnixNano(), 10)))
}

// isEmptySession reports whether a session's folder has no messages. A process that starts just after
// the move leaves such a folder.
func isEmptySession(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		switch e.Name() {
		case "lock", "feed.lock", "metadata.json", "feed.jsonl":
		default:
			if fi, err := e.Info(); err != nil || fi.IsDir() || fi.Size() > 0 {
				return false
			}
		}
	}
	return true
}
