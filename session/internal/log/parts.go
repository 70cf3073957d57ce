package log

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"entire/session/internal/layout"
)

// A Stream is one of the two logs of a session.
type Stream struct {
	own  string // the file that grows
	Base string // format of the names of shared files, from their number
}

// The two logs of a session.
var (
	MessageStream    = Stream{layout.MessagesName, "base-%03d.jsonl"}
	TranscriptStream = Stream{layout.TranscriptName, "base-t-%03d.jsonl"}
)

// BaseFile is base.json: the files that a fork shares with the sessions it came from, in order.
// It is written once. Each file is a hard link to a log that another session may append to, or
// a copy of its beginning; only its first bytes belong to the fork. The fork's own log
// continues them.
type BaseFile struct {
	Messages   []BasePart `json:"messages"`
	Transcript []BasePart `json:"transcript"`
}

// A BasePart is one shared file and how many of its bytes belong to the fork.
type BasePart struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
}

// ReadBase returns an empty BaseFile for a session that is no fork.
func ReadBase(dir string) (BaseFile, error) {
	path := filepath.Join(dir, layout.BaseName)
	data, err := layout.ReadRegular(path)
	if errors.Is(err, layout.ErrNotFound) {
		return BaseFile{}, nil
	}
	var b BaseFile
	if err == nil {
		err = json.Unmarshal(data, &b)
	}
	if err == nil {
		err = errors.Join(checkParts(b.Messages, MessageStream), checkParts(b.Transcript, TranscriptStream))
	}
	if err != nil {
		return BaseFile{}, fmt.Errorf("read %s: %w", path, err)
	}
	return b, nil
}

// checkParts refuses names that could lead out of the folder.
func checkParts(list []BasePart, of Stream) error {
	for i, p := range list {
		if p.File != fmt.Sprintf(of.Base, i) || p.Bytes < 0 {
			return fmt.Errorf("part %d is %.40q with %d bytes", i, p.File, p.Bytes)
		}
	}
	return nil
}

// A Part is a file whose first bytes belong to a session.
type Part struct {
	Path  string
	Bytes int64
	Own   bool
}

// Parts returns the files of one of a session's logs, in order. The last is the session's own,
// with its present size.
func Parts(dir string, of Stream) ([]Part, error) {
	b, err := ReadBase(dir)
	if err != nil {
		return nil, err
	}
	shared := b.Messages
	if of == TranscriptStream {
		shared = b.Transcript
	}
	var list []Part
	for _, p := range shared {
		list = append(list, Part{Path: filepath.Join(dir, p.File), Bytes: p.Bytes})
	}
	own := Part{Path: filepath.Join(dir, of.own), Own: true}
	if own.Bytes, _, err = StatLog(own.Path); errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	return append(list, own), err
}

// Open opens a part for reading. It fails if a shared file is shorter than base.json says.
func (p Part) Open() (*File, error) {
	f, err := OpenLog(p.Path)
	if err == nil && !p.Own && f.Size() < p.Bytes {
		err = errors.Join(fmt.Errorf("%s has %d of %d bytes", p.Path, f.Size(), p.Bytes), f.Close())
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}
