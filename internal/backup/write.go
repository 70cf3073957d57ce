package backup

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"entire/internal/archive"
	"entire/session"
)

// Kinds of entries. They reach the disk.
const (
	kindHead    = "sessions" // first: about all
	kindSession = "session"  // begins one: its name is the ID, of its number
	kindFile    = "file"     // of the session of that number
	kindShared  = "shared"   // a file that is the beginning of another's
)

// head is about an export as a whole.
type head struct {
	Version int       `json:"version"` // 1
	Made    time.Time `json:"made_at"`
	By      string    `json:"by,omitempty"` // version of the program
}

// aboutSession is of a kindSession.
type aboutSession struct {
	Project string `json:"project"` // key
	Title   string `json:"title,omitempty"`
}

// aboutShared is of a kindShared: the first bytes of a file of a session before
// it.
type aboutShared struct {
	Session int    `json:"session"`
	File    string `json:"file"`
	Bytes   int64  `json:"bytes"`
}

// Item is a session to be written.
type Item struct {
	Project string // its key
	Store   *session.Store
	ID      string
}

// Written is a session that was written.
type Written struct {
	Item
	Metadata session.SessionMetadata
	Files    int
	Bytes    int64
}

// Options are what is noted of an export, and who is told of its progress.
type Options struct {
	Now      time.Time
	Version  string
	Progress func(bytes int64) // so many more are done; nil for nobody
}

// Write writes sessions into an archive. A fork shares with what was written
// before it: oldest first is shortest.
func Write(ctx context.Context, out io.Writer, items []Item, o Options) (list []Written, err error) {
	w, err := archive.NewWriter(out)
	if err != nil {
		return nil, err
	}
	e := &exporting{ctx: ctx, w: w, progress: o.Progress, blobs: map[string]written{}}
	data, err := json.Marshal(head{1, o.Now.UTC(), o.Version})
	if err == nil {
		err = w.AddBytes(archive.Entry{Kind: kindHead}, data)
	}
	if err != nil {
		return nil, err
	}
	for i, item := range items {
		done, err := e.session(i+1, item)
		if err != nil {
			return nil, err
		}
		list = append(list, done)
	}
	return list, w.Close()
}

type exporting struct {
	ctx      context.Context
	w        *archive.Writer
	progress func(int64)
	logs     []written          // what a later fork may share
	blobs    map[string]written // by name, which is that of the content
}

// written is a file that is in the archive.
type written struct {
	session int
	file    session.FolderFile
}

func (e *exporting) session(n int, item Item) (Written, error) {
	folder, err := item.Store.Folder(e.ctx, item.ID)
	if err != nil {
		return Written{}, err
	}
	defer folder.Close()
	about, err := json.Marshal(aboutSession{item.Project, folder.Metadata.Title})
	if err == nil {
		err = e.w.AddBytes(archive.Entry{Kind: kindSession, Name: item.ID, Of: n, About: about}, nil)
	}
	done := Written{Item: item, Metadata: folder.Metadata, Files: len(folder.Files), Bytes: folder.Bytes()}
	for _, f := range folder.Files {
		if err == nil {
			err = e.ctx.Err()
		}
		if err == nil {
			err = e.file(n, f)
		}
		if err != nil {
			return Written{}, fmt.Errorf("session %s: %w", item.ID, err)
		}
	}
	return done, nil
}

func (e *exporting) file(n int, f session.FolderFile) error {
	if w, ok := e.before(f); ok {
		about, err := json.Marshal(aboutShared{w.session, w.file.Name, f.Size})
		if err != nil {
			return err
		}
		e.tell(f.Size)
		return e.w.AddBytes(archive.Entry{Kind: kindShared, Name: f.Name, Of: n, About: about}, nil)
	}
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	if err := e.w.Add(archive.Entry{Kind: kindFile, Name: f.Name, Of: n, Size: f.Size}, &told{in, e.tell}); err != nil {
		return err
	}
	switch {
	case f.IsBlob():
		e.blobs[f.Name] = written{n, f}
	case f.IsLog():
		e.logs = append(e.logs, written{n, f})
	}
	return nil
}

// before is a file that was written and that f is the beginning of.
func (e *exporting) before(f session.FolderFile) (written, bool) {
	if !session.IsShared(f.Name) {
		return written{}, false
	}
	if f.IsBlob() {
		w, ok := e.blobs[f.Name]
		return w, ok && w.file.Size == f.Size
	}
	i := slices.IndexFunc(e.logs, func(w written) bool { return w.file.Size >= f.Size && w.file.Same(f) })
	if i < 0 {
		return written{}, false
	}
	return e.logs[i], true
}

func (e *exporting) tell(n int64) {
	if e.progress != nil {
		e.progress(n)
	}
}

// told tells how much was read.
type told struct {
	r    io.Reader
	tell func(int64)
}

func (t *told) Read(b []byte) (int, error) {
	n, err := t.r.Read(b)
	t.tell(int64(n))
	return n, err
}
