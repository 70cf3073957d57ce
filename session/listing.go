package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"entire/id"
	"entire/internal/durable"
)

// ListContext is [Store.List] with a context. It reads the directory once and makes one lstat
// for each session, whatever the sessions' sizes. It reads only what changed since the index
// was written; if that is much, it rewrites the index. A missing, damaged or unwritable
// index only costs time. It leaves out a session whose metadata cannot be read; Metadata
// returns that error.
func (s *Store) ListContext(ctx context.Context) ([]SessionMetadata, error) {
	err := s.queue.settle(ctx)
	var found []listed
	if err == nil {
		found, err = s.queue.list(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return newestFirst(found), nil
}

// newestFirst returns the known metadata, the last updated first.
func newestFirst(found []listed) []SessionMetadata {
	order := make([]*SessionMetadata, 0, len(found))
	for i := range found {
		if found[i].known {
			order = append(order, &found[i].meta)
		}
	}
	slices.SortFunc(order, func(a, b *SessionMetadata) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	list := make([]SessionMetadata, len(order))
	for i, meta := range order {
		list[i] = *meta
	}
	return list
}

// list returns every session, in ascending order of name.
func (b *Base) list(ctx context.Context) ([]listed, error) {
	var old listIndex
	var reading sync.WaitGroup
	reading.Go(func() { old = b.readList() })
	found, err := b.stampSessions()
	reading.Wait()
	if err != nil {
		return nil, err
	}
	stale := reuse(found, old)
	changed := len(stale)
	for name := range b.marked() {
		if i, ok := slices.BinarySearchFunc(found, name, func(l listed, n string) int { return cmp.Compare(l.name, n) }); ok {
			stale = append(stale, i)
		}
	}
	if changed <= rewriteAbove && len(found) >= len(old.sessions)-rewriteAbove {
		return b.readListed(ctx, found, stale)
	}
	// list reads the clock first: the index is not used for files that change after that.
	now, clockErr := durable.Clock(b.base)
	found, err = b.readListed(ctx, found, stale)
	if err != nil || clockErr != nil {
		return found, err
	}
	sweepBuilds(b.base, now)
	x := listIndex{begun: now.UnixNano(), sessions: found}
	_ = durable.WriteCache(filepath.Join(b.base, listName), x.encode(), 0o600) // a missing index only costs time
	return found, nil
}

// readList returns an empty index if the file is absent or damaged.
func (b *Base) readList() listIndex {
	data, err := readRegular(filepath.Join(b.base, listName))
	if err != nil {
		return listIndex{}
	}
	x, err := decodeList(data)
	if err != nil {
		return listIndex{}
	}
	return x
}

// stampSessions returns the sessions with their stamps, without metadata, in ascending order of
// name.
func (b *Base) stampSessions() ([]listed, error) {
	dir, err := os.Open(b.base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	list := make([]listed, 0, len(entries))
	for _, e := range entries {
		if _, err := id.ParseSessionID(e.Name()); err == nil && e.IsDir() {
			list = append(list, listed{name: e.Name()})
		}
	}
	slices.SortFunc(list, func(a, b listed) int { return cmp.Compare(a.name, b.name) })
	stampAll(dir, list)
	return list, nil
}

// stampAll reads the stamps of the sessions' metadata in parallel. readListed looks at those
// that have none.
func stampAll(dir *os.File, list []listed) {
	workers := min(runtime.GOMAXPROCS(0), 4)
	var all sync.WaitGroup
	for n := range workers {
		all.Go(func() {
			for i := n * len(list) / workers; i < (n+1)*len(list)/workers; i++ {
				if found, err := stampAt(dir, list[i].name+"/"+metadataName); err == nil {
					list[i].stamp = found
				}
			}
		})
	}
	all.Wait()
}

// reuse copies into found what the index knows, and returns the indexes of the others. It does
// not reuse metadata that could not be read, because it may be readable now.
func reuse(found []listed, old listIndex) (stale []int) {
	safe := old.begun - int64(racyWindow)
	for i := range found {
		l := &found[i]
		for len(old.sessions) > 0 && old.sessions[0].name < l.name {
			old.sessions = old.sessions[1:]
		}
		if len(old.sessions) == 0 || !l.same(&old.sessions[0]) || l.stamp.mtime > safe || l.stamp.ctime > safe {
			stale = append(stale, i)
			continue
		}
		*l = old.sessions[0]
	}
	return stale
}

func (l *listed) same(old *listed) bool {
	return l.name == old.name && l.stamp.regular && l.stamp == old.stamp && old.known
}

// readListed reads the metadata of the stale sessions. It removes from found what is not a
// session or no longer exists.
func (b *Base) readListed(ctx context.Context, found []listed, stale []int) ([]listed, error) {
	gone := 0
	for _, i := range stale {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l := &found[i]
		meta, err := b.metadata(ctx, l.name)
		if cerr := ctx.Err(); err != nil && cerr != nil {
			return nil, cerr
		}
		if errors.Is(err, ErrNotFound) {
			l.name = ""
			gone++
		}
		if l.known = err == nil; l.known {
			l.meta = meta
		}
	}
	if gone > 0 {
		found = slices.DeleteFunc(found, func(l listed) bool { return l.name == "" })
	}
	return found, nil
}

// sweepBuilds removes the folders that killed processes left unfinished, once they are an hour
// old.
func sweepBuilds(base string, now time.Time) {
	entries, _ := os.ReadDir(base)
	for _, e := range entries {
		if ok, _ := filepath.Match(buildPattern, e.Name()); !ok || !e.IsDir() {
			continue
		}
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > time.Hour {
			os.RemoveAll(filepath.Join(base, e.Name()))
		}
	}
}
