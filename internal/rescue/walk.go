package rescue

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"entire/agent"
)

// maxFiles bounds the files that are looked at in one place.
const maxFiles = 1_000_000

var errTooMany = errors.New("too many files: the rest is left out")

// look finds the conversations in one place.
func (s *search) look(a agent.Agent, place *agent.HistoryPlace) {
	if place.Database != nil {
		s.database(a, place)
		return
	}
	w := &walk{search: s, place: place, parts: map[string][]File{}, left: maxFiles}
	first := len(s.Conversations)
	w.found = func(rel string, of agent.HistoryFile, file File) {
		c := Conversation{Agent: a.Type(), Name: a.Name(), Path: file.Path, Files: []File{file}, Unread: place.Unread, place: place, rel: rel}
		c.Session = of.Session
		s.Conversations = append(s.Conversations, c)
	}
	w.folder("", 0)
	keeps := s.keeps(place)
	for i := first; i < len(s.Conversations); i++ {
		c := &s.Conversations[i]
		if c.Session != "" {
			c.Files = append(c.Files, w.parts[c.Session]...)
			delete(w.parts, c.Session)
		}
		for _, f := range c.Files {
			c.Size += f.Size
		}
		if keeps > 0 {
			c.Deletes = c.Files[0].Changed.Add(keeps)
		}
	}
	s.partsLater(first, w.parts)
}

// A walk is through the files of one place.
type walk struct {
	*search
	place *agent.HistoryPlace
	found func(rel string, of agent.HistoryFile, file File)
	parts map[string][]File // by session
	left  int
}

func (w *walk) folder(rel string, depth int) {
	path := filepath.Join(w.place.Root, filepath.FromSlash(rel))
	entries, err := os.ReadDir(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		w.problem(path, err)
	}
	for _, e := range entries {
		if w.left--; w.ctx.Err() != nil || w.left < 0 {
			if w.left == -1 {
				w.problem(path, errTooMany)
			}
			return
		}
		name := e.Name()
		if rel != "" {
			name = rel + "/" + name
		}
		switch {
		case e.IsDir() && depth < w.place.Depth:
			w.folder(name, depth+1)
		case e.Type().IsRegular():
			w.file(name, e)
		}
	}
}

func (w *walk) file(rel string, e fs.DirEntry) {
	of := w.place.File(rel)
	if of.Kind == "" {
		return
	}
	fi, err := e.Info()
	if err != nil {
		return // it was deleted meanwhile
	}
	file := File{Path: filepath.Join(w.place.Root, filepath.FromSlash(rel)), Kind: of.Kind, Size: fi.Size(), Changed: fi.ModTime()}
	switch {
	case of.Kind != agent.HistoryTranscript:
		w.parts[of.Session] = append(w.parts[of.Session], file)
	case fi.Size() > 0:
		w.found(rel, of, file)
	}
}
