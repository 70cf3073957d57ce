package chunk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/document"
	"entire/checkpoint/trailer"
	"entire/internal/git"
	"entire/internal/redact"
)

// redacted removes the secrets from a file, by the format that its name implies.
func redacted(name string, data []byte) []byte {
	switch {
	case strings.HasSuffix(name, ".jsonl"), strings.HasSuffix(name, ".log"):
		return redact.Lines(data)
	case strings.HasSuffix(name, ".json"):
		return redact.JSON(data)
	}
	return []byte(redact.Text(string(data)))
}

// StoreTranscript redacts and stores a whole transcript. It cuts a transcript of lines into
// chunks, and keeps one JSON document in one piece unless it is huge.
func StoreTranscript(w ObjectWriter, kind agent.AgentType, raw []byte) (chunks []git.TreeEntry, contentHash string, err error) {
	if len(raw) == 0 {
		return nil, "", nil
	}
	if isDocument(kind, raw) {
		log, err := DocumentLog(w, redact.JSON(raw))
		return log.Entries(), log.ContentHash(), err
	}
	data := redact.Lines(raw)
	var log Log
	if data[len(data)-1] == '\n' {
		err = log.Append(w, nil, data)
		return log.Entries(), log.ContentHash(), err
	}
	// The last line stays without a newline, as it was.
	if err := log.grow(w, nil, append(bytes.Clone(data), '\n')); err != nil {
		return nil, "", err
	}
	log.tail = log.tail[:len(log.tail)-1]
	err = log.flush(w)
	return log.Entries(), HashOf(data), err
}

// isDocument reports whether a transcript is one JSON document over several lines, whatever
// agent wrote it.
func isDocument(kind agent.AgentType, raw []byte) bool {
	if agents.CountsMessages(kind) {
		return document.Is(raw) && json.Valid(raw)
	}
	return raw[0] == '{' && !json.Valid(trailer.FirstLine(raw)) && json.Valid(raw)
}

// Overlay collects redacted files for one folder of a tree.
type Overlay struct {
	Writer ObjectWriter
	Dir    string // relative to the root of the tree
	Edits  []git.Edit
}

func (o *Overlay) Add(name string, mode uint32, data []byte) error {
	oid, err := o.Writer.Blob(data)
	if err != nil {
		return fmt.Errorf("store %s: %w", name, err)
	}
	o.Edits = append(o.Edits, git.Edit{Path: path.Join(o.Dir, name), Mode: mode, OID: oid})
	return nil
}

// AddFile stores a redacted file.
func (o *Overlay) AddFile(name string, mode uint32, data []byte) error {
	return o.Add(name, mode, redacted(name, data))
}

// AddTranscript stores a redacted transcript in chunks and removes surplus chunks of the
// folder, whose entries are old.
func (o *Overlay) AddTranscript(kind agent.AgentType, raw []byte, old []git.TreeEntry) error {
	chunks, _, err := StoreTranscript(o.Writer, kind, raw)
	if err != nil {
		return err
	}
	for _, e := range old {
		if _, ok := Number(e.Name); ok && len(chunks) > 0 {
			o.Edits = append(o.Edits, git.Edit{Path: path.Join(o.Dir, e.Name)})
		}
	}
	for _, c := range chunks {
		o.Edits = append(o.Edits, git.Edit{Path: path.Join(o.Dir, c.Name), Mode: c.Mode, OID: c.OID})
	}
	return nil
}

// EachFile calls fn for the regular files below dir, not for links. name is relative to dir,
// with forward slashes.
func EachFile(dir string, fn func(name string, mode uint32, data []byte) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		data, err := root.ReadFile(name)
		if err != nil {
			return err
		}
		mode := git.ModeFile
		if fi.Mode()&0o111 != 0 {
			mode = git.ModeExec
		}
		return fn(filepath.ToSlash(name), mode, data)
	})
}
