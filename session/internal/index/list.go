package index

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"entire/id"
	"entire/internal/durable"
	"entire/session/internal/conversation"
	"entire/session/internal/layout"
)

// NewestFirst returns the known metadata, the last updated first.
func NewestFirst(found []ListEntry) []conversation.SessionMetadata {
	order := make([]*conversation.SessionMetadata, 0, len(found))
	for i := range found {
		if found[i].Known {
			order = append(order, &found[i].Meta)
		}
	}
	slices.SortFunc(order, func(a, b *conversation.SessionMetadata) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	list := make([]conversation.SessionMetadata, len(order))
	for i, meta := range order {
		list[i] = *meta
	}
	return list
}

// List returns every session, in ascending order of name.
func List(ctx context.Context, b *layout.Base) ([]ListEntry, error) {
	var old ListIndex
	var reading sync.WaitGroup
	reading.Go(func() { old = ReadList(b) })
	found, err := StampSessions(b)
	reading.Wait()
	if err != nil {
		return nil, err
	}
	stale := reuse(found, old)
	changed := len(stale)
	for name := range b.MarkedBehind() {
		if i, ok := slices.BinarySearchFunc(found, name, func(l ListEntry, n string) int { return cmp.Compare(l.Name, n) }); ok {
			stale = append(stale, i)
		}
	}
	if changed <= RewriteAbove && len(found) >= len(old.Sessions)-RewriteAbove {
		return ReadListed(ctx, b, found, stale)
	}
	// list reads the clock first: the index is not used for files that change after that.
	now, clockErr := durable.Clock(b.Path)
	found, err = ReadListed(ctx, b, found, stale)
	if err != nil || clockErr != nil {
		return found, err
	}
	RemoveStaleBuilds(b.Path, now)
	x := ListIndex{Begun: now.UnixNano(), Sessions: found}
	_ = durable.WriteCache(filepath.Join(b.Path, layout.ListName), x.Encode(), 0o600) // a missing index only costs time
	return found, nil
}

// ReadList returns an empty index if the file is absent or damaged.
func ReadList(b *layout.Base) ListIndex {
	data, err := layout.ReadRegular(filepath.Join(b.Path, layout.ListName))
	if err != nil {
		return ListIndex{}
	}
	x, err := DecodeList(data)
	if err != nil {
		return ListIndex{}
	}
	return x
}

// StampSessions returns the sessions with their stamps, without metadata, in ascending order of
// name.
func StampSessions(b *layout.Base) ([]ListEntry, error) {
	dir, err := os.Open(b.Path)
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
	list := make([]ListEntry, 0, len(entries))
	for _, e := range entries {
		if _, err := id.ParseSessionID(e.Name()); err == nil && e.IsDir() {
			list = append(list, ListEntry{Name: e.Name()})
		}
	}
	slices.SortFunc(list, func(a, b ListEntry) int { return cmp.Compare(a.Name, b.Name) })
	StampAll(dir, list)
	return list, nil
}

// StampAll reads the stamps of the sessions' metadata in parallel. ReadListed looks at those
// that have none.
func StampAll(dir *os.File, list []ListEntry) {
	workers := min(runtime.GOMAXPROCS(0), 4)
	var all sync.WaitGroup
	for n := range workers {
		all.Go(func() {
			for i := n * len(list) / workers; i < (n+1)*len(list)/workers; i++ {
				if found, err := layout.StampAt(dir, list[i].Name+"/"+layout.MetadataName); err == nil {
					list[i].Stamp = found
				}
			}
		})
	}
	all.Wait()
}

// reuse copies into found what the index knows, and returns the indexes of the others. It does
// not reuse metadata that could not be read, because it may be readable now.
func reuse(found []ListEntry, old ListIndex) (stale []int) {
	safe := old.Begun - int64(RacyWindow)
	for i := range found {
		l := &found[i]
		for len(old.Sessions) > 0 && old.Sessions[0].Name < l.Name {
			old.Sessions = old.Sessions[1:]
		}
		if len(old.Sessions) == 0 || !l.same(&old.Sessions[0]) || l.Stamp.Mtime > safe || l.Stamp.Ctime > safe {
			stale = append(stale, i)
			continue
		}
		*l = old.Sessions[0]
	}
	return stale
}

func (l *ListEntry) same(old *ListEntry) bool {
	return l.Name == old.Name && l.Stamp.Regular && l.Stamp == old.Stamp && old.Known
}

// ReadListed reads the metadata of the stale sessions. It removes from found what is not a
// session or no longer exists.
func ReadListed(ctx context.Context, b *layout.Base, found []ListEntry, stale []int) ([]ListEntry, error) {
	gone := 0
	for _, i := range stale {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l := &found[i]
		meta, err := conversation.Metadata(ctx, b, l.Name)
		if cerr := ctx.Err(); err != nil && cerr != nil {
			return nil, cerr
		}
		if errors.Is(err, layout.ErrNotFound) {
			l.Name = ""
			gone++
		}
		if l.Known = err == nil; l.Known {
			l.Meta = meta
		}
	}
	if gone > 0 {
		found = slices.DeleteFunc(found, func(l ListEntry) bool { return l.Name == "" })
	}
	return found, nil
}

// RemoveStaleBuilds removes the folders that killed processes left unfinished, once they are an hour
// old.
func RemoveStaleBuilds(base string, now time.Time) {
	entries, _ := os.ReadDir(base)
	for _, e := range entries {
		if ok, _ := filepath.Match(layout.BuildPattern, e.Name()); !ok || !e.IsDir() {
			continue
		}
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > time.Hour {
			os.RemoveAll(filepath.Join(base, e.Name()))
		}
	}
}
