package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// A stream is one of the two logs of a session.
type stream struct {
	own  string // the file that grows
	base string // format of the names of shared files, from their number
}

var (
	messageStream    = stream{messagesName, "base-%03d.jsonl"}
	transcriptStream = stream{transcriptName, "base-t-%03d.jsonl"}
)

// baseFile is base.json: the files that a fork shares with the sessions it came from, in order.
// It is written once. Each file is a hard link to a log that another session may append to, or
// a copy of its beginning; only its first bytes belong to the fork. The fork's own log
// continues them.
type baseFile struct {
	Messages   []basePart `json:"messages"`
	Transcript []basePart `json:"transcript"`
}

type basePart struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
}

// readBase returns an empty baseFile for a session that is no fork.
func readBase(dir string) (baseFile, error) {
	path := filepath.Join(dir, baseName)
	data, err := readRegular(path)
	if errors.Is(err, ErrNotFound) {
		return baseFile{}, nil
	}
	var b baseFile
	if err == nil {
		err = json.Unmarshal(data, &b)
	}
	if err == nil {
		err = errors.Join(checkParts(b.Messages, messageStream), checkParts(b.Transcript, transcriptStream))
	}
	if err != nil {
		return baseFile{}, fmt.Errorf("read %s: %w", path, err)
	}
	return b, nil
}

// checkParts refuses names that could lead out of the folder.
func checkParts(list []basePart, of stream) error {
	for i, p := range list {
		if p.File != fmt.Sprintf(of.base, i) || p.Bytes < 0 {
			return fmt.Errorf("part %d is %.40q with %d bytes", i, p.File, p.Bytes)
		}
	}
	return nil
}

// A part is a file whose first bytes belong to a session.
type part struct {
	path  string
	bytes int64
	own   bool
}

// parts returns the files of one of a session's logs, in order. The last is the session's own,
// with its present size.
func parts(dir string, of stream) ([]part, error) {
	b, err := readBase(dir)
	if err != nil {
		return nil, err
	}
	shared := b.Messages
	if of == transcriptStream {
		shared = b.Transcript
	}
	var list []part
	for _, p := range shared {
		list = append(list, part{path: filepath.Join(dir, p.File), bytes: p.Bytes})
	}
	own := part{path: filepath.Join(dir, of.own), own: true}
	if own.bytes, _, err = StatLog(own.path); errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	return append(list, own), err
}

// open opens a part for reading. It fails if a shared file is shorter than base.json says.
func (p part) open() (*LogFile, error) {
	f, err := OpenLog(p.path)
	if err == nil && !p.own && f.Size() < p.bytes {
		err = errors.Join(fmt.Errorf("%s has %d of %d bytes", p.path, f.Size(), p.bytes), f.Close())
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}
