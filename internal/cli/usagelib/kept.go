package usagelib

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
	"entire/internal/usage"
	"entire/session"
)

const (
	keptMax = 256 << 20 // bytes of a session's sums; larger ones are made again
	keptExt = ".sum"
)

// A keeper reads sessions, and keeps what it has read of each.
type keeper struct {
	l   *sessionlib.Library
	dir string // "" keeps nothing
}

func newKeeper(l *sessionlib.Library) keeper {
	k := keeper{l: l}
	if l.Wp != nil {
		k.dir = filepath.Join(l.Wp.Repo.CommonDir, "entire", "cache", "usage")
	} else if dir := workplace.CacheDir(l.Env); dir != "" {
		k.dir = filepath.Join(dir, "usage")
	}
	return k
}

// path returns the file for a session, "" for none. An ID that is no file name has none.
func (k keeper) path(s sessionlib.ListedSession) string {
	if k.dir == "" {
		return ""
	}
	if _, err := sessionlib.ParsedID(s); err != nil {
		return ""
	}
	return filepath.Join(k.dir, k.folder(s), s.ID+keptExt)
}

// folder returns the name of the folder with the sums of the session's project.
func (k keeper) folder(s sessionlib.ListedSession) string { return cmp.Or(s.Project, k.l.Ident.Key) }

// prune removes the sums of sessions that are gone from the projects of all. What cannot be removed stays.
func (k keeper) prune(all []sessionlib.ListedSession) {
	if k.dir == "" {
		return
	}
	names := map[string]map[string]bool{k.l.Ident.Key: {}}
	for _, s := range all {
		folder := k.folder(s)
		if names[folder] == nil {
			names[folder] = map[string]bool{}
		}
		names[folder][s.ID+keptExt] = true
	}
	for folder, known := range names {
		entries, _ := os.ReadDir(filepath.Join(k.dir, folder))
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), keptExt) && !known[e.Name()] {
				os.Remove(filepath.Join(k.dir, folder, e.Name()))
			}
		}
	}
}

func (k keeper) load(path string) *usage.Log {
	l := &usage.Log{}
	if path == "" {
		return l
	}
	data, err := durable.Read(path, keptMax)
	if err != nil || l.UnmarshalBinary(data) != nil {
		return &usage.Log{}
	}
	return l
}

// store keeps a log. A cache that cannot be written only costs time.
func (k keeper) store(path string, l *usage.Log) {
	if path == "" {
		return
	}
	data, err := l.MarshalBinary()
	if err != nil || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	_ = durable.WriteCache(path, data, 0o600)
}

// read returns the answers of a session. It reads again only what is new.
func (k keeper) read(ctx context.Context, s sessionlib.ListedSession) (*usage.Log, error) {
	if !s.AsGit && slices.Contains(s.Sources, sessionlib.InStore) {
		return k.readStored(ctx, s)
	}
	return k.readOther(ctx, s)
}

// readStored reads a session of the store, line by line.
func (k keeper) readStored(ctx context.Context, s sessionlib.ListedSession) (*usage.Log, error) {
	store := k.l.StoreOf(s.Project)
	size, err := store.LogSize(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	path := k.path(s)
	stamp := "store " + s.Project
	l := k.load(path)
	if l.Stamp != stamp || l.End > size {
		l = &usage.Log{}
	}
	if l.End == size {
		return l, nil
	}
	err = readLines(ctx, store, s.ID, l)
	if errors.Is(err, usage.ErrRewound) {
		l = &usage.Log{}
		err = readLines(ctx, store, s.ID, l)
	}
	if err != nil {
		return nil, err
	}
	l.Stamp = stamp
	k.store(path, l)
	return l, nil
}

func readLines(ctx context.Context, store *session.Store, id string, l *usage.Log) error {
	for line, err := range store.LogFrom(ctx, id, l.End) {
		if sessionlib.BadLine(err) != nil {
			continue
		}
		if err != nil {
			return err
		}
		if err := l.AddLine(line.Data, line.End, line.Rewound); err != nil {
			return err
		}
	}
	return nil
}

// readOther reads a session that only the metadata branch, or the agent itself, has. Of the former, its
// checkpoints say whether it was read.
func (k keeper) readOther(ctx context.Context, s sessionlib.ListedSession) (*usage.Log, error) {
	stamp, path := "", ""
	if n := len(s.Checkpoints); n > 0 && slices.Contains(s.Sources, sessionlib.InGit) {
		stamp = fmt.Sprintf("git, with subagents %d %s %d", n, s.Checkpoints[n-1].ID, s.Messages)
		path = k.path(s)
	}
	if l := k.load(path); path != "" && l.Stamp == stamp {
		return l, nil
	}
	l := &usage.Log{Stamp: stamp}
	for m, err := range k.l.Entries(ctx, s, true) {
		switch {
		case sessionlib.BadLine(err) != nil:
			continue
		case errors.Is(err, session.ErrNotFound):
			return l, nil // nothing is kept of it
		case err != nil:
			return nil, err
		}
		l.AddMessage(&m.Message, m.Rewound)
	}
	if stamp != "" {
		said, err := k.l.SaidBySubagents(ctx, s)
		if err != nil {
			return nil, err
		}
		for i := range said {
			l.AddMessage(&said[i], false)
		}
	}
	k.store(path, l)
	return l, nil
}
