package index

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"entire/internal/durable"
	"entire/internal/retention"
	"entire/session/internal/layout"
	"entire/session/internal/log"
)

// SizesOf returns how many bytes a folder takes on the disk, and how many it would take
// uncompressed. A file with n names counts for 1/n.
func SizesOf(folder string) (bytes, plain int64) {
	list, _ := FilesBelow(folder)
	for _, f := range list {
		bytes += f.Bytes / max(1, f.Links)
		plain += f.plain / max(1, f.Links)
	}
	return bytes, plain
}

// UseName is the cache of the disk use of each session.
const UseName = "use.cache"

// A DiskFile is a file and its number of names.
type DiskFile struct {
	retention.File
	Links int64
	plain int64 // its uncompressed size
}

// FilesBelow lists the regular files below a folder. It skips a file that is deleted meanwhile.
func FilesBelow(dir string) (list []DiskFile, _ error) {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = e.Info(); err == nil {
				f := DiskFileOf(info)
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
	case log.IsPacked(name):
		return 0
	case layout.IsLog(name):
		if bytes, _, err := log.StatLog(path); err == nil {
			return bytes
		}
	}
	return size
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

// MeasureDiskUse measures the stored sessions and the trash, and stops after limit; 0 is no limit.
func MeasureDiskUse(ctx context.Context, b *layout.Base, limit time.Duration) (use DiskUse, _ error) {
	if limit > 0 {
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ctx = limited
	}
	found, err := StampSessions(b)
	if err != nil {
		return use, err
	}
	path := filepath.Join(b.Path, UseName)
	old := ReadUse(path)
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
			m.Bytes, m.Plain = SizesOf(folder)
			looked++
		}
		now[name] = m
		return m
	}
	for _, l := range found {
		dir := filepath.Join(b.Path, l.Name)
		if l.Stamp == (layout.Stamp{}) {
			if ok, _ := layout.IsSession(dir); !ok {
				continue
			}
		}
		use.Sessions++
		m := measure(l.Name, dir, l.Stamp.Mtime)
		use.Bytes, use.Plain = use.Bytes+m.Bytes, use.Plain+m.Plain
	}
	entries, err := os.ReadDir(b.Trash())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return use, err
	}
	for _, e := range entries {
		if _, at, ok := layout.ParseTrashed(e.Name()); ok && e.IsDir() {
			use.Trash++
			use.TrashBytes += measure("trash/"+e.Name(), filepath.Join(b.Trash(), e.Name()), 0).Bytes
			if use.Oldest.IsZero() || at.Before(use.Oldest) {
				use.Oldest = at
			}
		}
	}
	if looked > 0 || len(old) > len(now)+RewriteAbove {
		WriteUse(path, now)
	}
	return use, nil
}

// WriteUse writes the cache of disk use.
func WriteUse(path string, use map[string]measured) {
	if data, err := json.Marshal(use); err == nil {
		_ = durable.WriteCache(path, data, 0o600) // a missing cache only costs time
	}
}

// ReadUse returns an empty map if the cache is absent or damaged.
func ReadUse(path string) map[string]measured {
	old := map[string]measured{}
	data, err := layout.ReadRegular(path)
	if err != nil || json.Unmarshal(data, &old) != nil {
		return map[string]measured{}
	}
	return old
}
