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

// Kinds of entries in an archive.
const (
	kindHead    = "sessions" // first entry: the export
	kindSession = "session"  // a session; its name is the ID
	kindFile    = "file"     // a file of the session with that number
	kindShared  = "shared"   // a file that is a prefix of another file
)

// head describes an export.
type head struct {
	Version int       `json:"version"` // 1
	Made    time.Time `json:"made_at"`
	By      string    `json:"by,omitempty"` // the program's version
}

// aboutSession describes a kindSession entry.
type aboutSession struct {
	Project string `json:"project"` // key
	Title   string `json:"title,omitempty"`
}

// aboutShared describes a kindShared entry: the first bytes of a file of an earlier session.
type aboutShared struct {
	Session int    `json:"session"`
	File    string `json:"file"`
	Bytes   int64  `json:"bytes"`
}

// Item is a session to export.
type Item struct {
	Project string // the project's key
	Store   *session.Store
	ID      string
}

// Written is an exported session.
type Written struct {
	Item
	Metadata session.SessionMetadata
	Files    int
	Bytes    int64
}

// Options describe an export.
type Options struct {
	Now      time.Time
	Version  string
	Progress func(bytes int64) // called with the number of bytes just processed; nil: not called
}

// Write writes sessions to an archive. A fork shares data with sessions written before it, so the
// archive is smallest if the oldest come first.
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
	logs     []written          // files that later forks may share
	blobs    map[string]written // by name, which is the hash of the content
}

// written is a file in the archive.
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
	if w, ok := e.sharedWith(f); ok {
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
	if err := e.w.Add(archive.Entry{Kind: kindFile, Name: f.Name, Of: n, Size: f.Size}, &progressReader{in, e.tell}); err != nil {
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

// sharedWith returns a file that was written already and begins with f.
func (e *exporting) sharedWith(f session.FolderFile) (written, bool) {
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

// progressReader reports how much was read.
type progressReader struct {
	r    io.Reader
	tell func(int64)
}

func (t *progressReader) Read(b []byte) (int, error) {
	n, err := t.r.Read(b)
	t.tell(int64(n))
	return n, err
}
