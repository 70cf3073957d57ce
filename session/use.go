package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"entire/internal/durable"
	"entire/internal/retention"
)

// useName is the cache of the disk use of each session.
const useName = "use.cache"

// A usedFile is a file and its number of names.
type usedFile struct {
	retention.File
	links int64
	plain int64 // its uncompressed size
}

// FilesOnDisk lists the files of a session's folder; ErrNotFound if there is none.
func (s *Store) FilesOnDisk(_ context.Context, sessionID string) ([]retention.File, error) {
	_, dir, err := s.queue.existing(sessionID)
	if err != nil {
		return nil, fmt.Errorf("files of session %.100s: %w", sessionID, err)
	}
	list, err := filesBelow(dir)
	if err != nil {
		return nil, fmt.Errorf("files of session %.100s: %w", sessionID, err)
	}
	out := make([]retention.File, len(list))
	for i, f := range list {
		out[i] = f.File
	}
	return out, nil
}

// filesBelow lists the regular files below a folder. It skips a file that is deleted meanwhile.
func filesBelow(dir string) (list []usedFile, _ error) {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = e.Info(); err == nil {
				f := usedBy(info)
				f.plain = plainSize(dir, path, info.Size())
				list = append(list, f)
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return list, err
}

// plainSize returns the uncompressed size of a file of a session's folder.
func plainSize(dir, path string, size int64) int64 {
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return size
	}
	switch name = filepath.ToSlash(name); {
	case isPacked(name):
		return 0
	case isLog(name):
		if bytes, _, err := StatLog(path); err == nil {
			return bytes
		}
	}
	return size
}

// SizeOf returns how many bytes a session takes on the disk, and how many it would take
// uncompressed. A file with n names counts for 1/n.
func (s *Store) SizeOf(_ context.Context, sessionID string) (bytes, plain int64, err error) {
	_, dir, err := s.queue.existing(sessionID)
	if err != nil {
		return 0, 0, fmt.Errorf("size of session %.100s: %w", sessionID, err)
	}
	bytes, plain = sizesOf(dir)
	return bytes, plain, nil
}

// DiskUse says how much of the disk a project's conversations take.
type DiskUse struct {
	Sessions int
	Bytes    int64
	Plain    int64 // uncompressed size
	Partial  bool  // the time limit ended the measurement: there is more

	Trash      int
	TrashBytes int64
	Oldest     time.Time // when the oldest session in the trash was deleted; zero if it is empty
}

// measured is the cached size of one folder.
type measured struct {
	Stamp int64 `json:"at"` // when the session's metadata changed, in ns
	Bytes int64 `json:"b"`
	Plain int64 `json:"p"`
}

// DiskUse measures the stored sessions. It measures only what changed since the last call, and
// stops after limit; 0 is no limit. If forks share files, the result is approximate.
func (s *Store) DiskUse(ctx context.Context, limit time.Duration) (DiskUse, error) {
	use, err := s.queue.diskUse(ctx, limit)
	if err != nil {
		return use, fmt.Errorf("measure the session store: %w", err)
	}
	return use, nil
}

func (b *Base) diskUse(ctx context.Context, limit time.Duration) (use DiskUse, _ error) {
	if limit > 0 {
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ctx = limited
	}
	found, err := b.stampSessions()
	if err != nil {
		return use, err
	}
	path := filepath.Join(b.base, useName)
	old := readUse(path)
	now := make(map[string]measured, len(found))
	looked := 0
	measure := func(name, folder string, stamp int64) measured {
		m, known := old[name]
		if !known || m.Stamp != stamp {
			if ctx.Err() != nil {
				use.Partial = true
				return measured{}
			}
			m = measured{Stamp: stamp}
			m.Bytes, m.Plain = sizesOf(folder)
			looked++
		}
		now[name] = m
		return m
	}
	for _, l := range found {
		dir := filepath.Join(b.base, l.name)
		if l.stamp == (stamp{}) {
			if ok, _ := isSession(dir); !ok {
				continue
			}
		}
		use.Sessions++
		m := measure(l.name, dir, l.stamp.mtime)
		use.Bytes, use.Plain = use.Bytes+m.Bytes, use.Plain+m.Plain
	}
	entries, err := os.ReadDir(b.trash())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return use, err
	}
	for _, e := range entries {
		if _, at, ok := parseTrashed(e.Name()); ok && e.IsDir() {
			use.Trash++
			use.TrashBytes += measure("trash/"+e.Name(), filepath.Join(b.trash(), e.Name()), 0).Bytes
			if use.Oldest.IsZero() || at.Before(use.Oldest) {
				use.Oldest = at
			}
		}
	}
	if looked > 0 || len(old) > len(now)+rewriteAbove {
		writeUse(path, now)
	}
	return use, nil
}

func writeUse(path string, use map[string]measured) {
	if data, err := json.Marshal(use); err == nil {
		_ = durable.WriteCache(path, data, 0o600) // a missing cache only costs time
	}
}

func readUse(path string) map[string]measured {
	old := map[string]measured{}
	data, err := readRegular(path)
	if err != nil || json.Unmarshal(data, &old) != nil {
		return map[string]measured{}
	}
	return old
}
