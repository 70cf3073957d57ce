package blameserve

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"entire/internal/cli/workplace"
	"entire/internal/git"
)

// changedNotice tells that owners may have changed: of one file, or of all.
type changedNotice struct {
	Notice string `json:"notice"` // changed
	Path   string `json:"path,omitempty"`
	What   string `json:"what"`           // file, head or records
	Head   string `json:"head,omitempty"` // the commit now, for head
}

// fileState is what shows that a file was written.
type fileState struct {
	size int64
	time time.Time
	mode fs.FileMode
}

func stateOfFile(top, path string) fileState {
	fi, err := os.Lstat(filepath.Join(top, filepath.FromSlash(path)))
	if err != nil {
		return fileState{}
	}
	return fileState{fi.Size(), fi.ModTime(), fi.Mode()}
}

// lookAtFiles tells the editor which open files have changed on disk, each once until it asks again.
func (s *Server) lookAtFiles() error {
	for path, was := range s.disk {
		if s.noticed[path] || stateOfFile(s.place.Repo.Top, path) == was {
			continue
		}
		s.noticed[path] = true
		if err := s.out.Encode(changedNotice{Notice: "changed", Path: path, What: "file"}); err != nil {
			return err
		}
	}
	return nil
}

// state is what owners depend on beside the files.
type state struct {
	head    git.OID
	records uint64 // what shows that sessions or checkpoints have changed
}

// lookAtRepository tells the editor that HEAD or what Entire records has changed, once until it asks again.
func (s *Server) lookAtRepository() {
	if s.stateTold || s.state == (state{}) {
		return
	}
	s.jobs.add(&job{do: func(ctx context.Context) func() error {
		now := stateOf(ctx, s.place)
		return func() error { return s.tellState(ctx, now) }
	}, fail: func(*failure) error { return nil }})
}

func (s *Server) tellState(ctx context.Context, now state) error {
	was := s.state
	if ctx.Err() != nil && now.head.IsZero() || s.stateTold || now == was {
		return nil
	}
	s.stateTold = true
	if now.head != was.head {
		return s.out.Encode(changedNotice{Notice: "changed", What: "head", Head: now.head.String()})
	}
	return s.out.Encode(changedNotice{Notice: "changed", What: "records"})
}

// maxLooked bounds the files of a folder that are looked at.
const maxLooked = 10_000

// stateOf returns the state of the repository. It starts no git.
func stateOf(ctx context.Context, wp *workplace.Workplace) state {
	var out state
	if c, ok, err := wp.Repo.Reader(ctx).CommitOf("HEAD"); err == nil && ok {
		out.head = c.OID
	}
	common, n := wp.Repo.CommonDir, 0
	for _, name := range []string{"entire-sessions", "entire/sessions", "refs/heads/entire", "refs/entire", "reftable/tables.list"} {
		_ = filepath.WalkDir(filepath.Join(common, filepath.FromSlash(name)), func(path string, d fs.DirEntry, err error) error {
			if n++; err != nil || d.IsDir() {
				return nil
			} else if n > maxLooked {
				return filepath.SkipAll
			}
			if fi, err := d.Info(); err == nil {
				out.records = mix(out.records, path, fi.Size(), fi.ModTime().UnixNano())
			}
			return nil
		})
	}
	return out
}

// mix adds a file to a sum over files.
func mix(sum uint64, path string, size, when int64) uint64 {
	const prime = 1099511628211 // of FNV
	for _, b := range []byte(path) {
		sum = (sum ^ uint64(b)) * prime
	}
	return (sum^uint64(size))*prime ^ uint64(when)
}
