package checkpoint

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

// storeTranscript redacts and stores a whole transcript. It cuts a transcript of lines into
// chunks, and keeps one JSON document in one piece unless it is huge.
func storeTranscript(w ObjectWriter, kind agent.AgentType, raw []byte) (chunks []git.TreeEntry, contentHash string, err error) {
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
	return log.Entries(), hashOf(data), err
}

// isDocument reports whether a transcript is one JSON document over several lines, whatever
// agent wrote it.
func isDocument(kind agent.AgentType, raw []byte) bool {
	if kind == agent.AgentTypeGemini {
		return agent.IsDocument(raw) && json.Valid(raw)
	}
	return raw[0] == '{' && !json.Valid(firstLine(raw)) && json.Valid(raw)
}

// overlay collects redacted files for one folder of a tree.
type overlay struct {
	writer *git.Writer
	dir    string // relative to the root of the tree
	edits  []git.Edit
}

func (o *overlay) add(name string, mode uint32, data []byte) error {
	oid, err := o.writer.Blob(data)
	if err != nil {
		return fmt.Errorf("store %s: %w", name, err)
	}
	o.edits = append(o.edits, git.Edit{Path: path.Join(o.dir, name), Mode: mode, OID: oid})
	return nil
}

// addFile stores a redacted file.
func (o *overlay) addFile(name string, mode uint32, data []byte) error {
	return o.add(name, mode, redacted(name, data))
}

// addTranscript stores a redacted transcript in chunks and removes surplus chunks of the
// folder, whose entries are old.
func (o *overlay) addTranscript(kind agent.AgentType, raw []byte, old []git.TreeEntry) error {
	chunks, _, err := storeTranscript(o.writer, kind, raw)
	if err != nil {
		return err
	}
	for _, e := range old {
		if _, ok := chunkNumber(e.Name); ok && len(chunks) > 0 {
			o.edits = append(o.edits, git.Edit{Path: path.Join(o.dir, e.Name)})
		}
	}
	for _, c := range chunks {
		o.edits = append(o.edits, git.Edit{Path: path.Join(o.dir, c.Name), Mode: c.Mode, OID: c.OID})
	}
	return nil
}

// eachFile calls fn for the regular files below dir, not for links. name is relative to dir,
// with forward slashes.
func eachFile(dir string, fn func(name string, mode uint32, data []byte) error) error {
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
