package chunk

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"

	"entire/internal/git"
)

// ObjectWriter stores blobs; *git.Writer is one.
type ObjectWriter interface {
	Blob(data []byte) (git.OID, error)
}

// Chunk is one stored piece of a transcript.
type Chunk struct {
	OID  git.OID `json:"oid"`
	Size int64   `json:"size"` // including the final newline, even if that is not stored
}

// Log is a stored transcript, as blobs of whole lines: only the last chunk is ever written
// again. The chunks depend on the bytes alone and not on how they arrived, so the same
// transcript gives the same chunks everywhere.
//
// The zero Log is an empty transcript. A Log is kept as JSON between processes; it is not safe
// for concurrent use.
type Log struct {
	Closed Chunks `json:"closed,omitempty"` // full chunks, stored without their final newline
	Tail   Chunk  `json:"tail"`             // the chunk that still grows; zero if there is none
	Bytes  int64  `json:"bytes"`
	Lines  int64  `json:"lines"`
	Hash   []byte `json:"hash,omitempty"`  // state of a SHA-256 of all bytes
	Limit  int    `json:"limit,omitempty"` // the most bytes that a chunk of several lines holds; 0 is Size

	tail   []byte // the tail's content
	loaded bool   // tail holds Tail.Size bytes
}

// ErrTornLine is returned by Log.Append for text that does not end in a newline.
var ErrTornLine = errors.New("transcript text does not end in a newline")

// Append adds complete lines and stores the changed chunks. read returns a stored blob; it is
// called at most once, for a tail that an earlier process stored. After an error the Log is
// unchanged.
func (l *Log) Append(w ObjectWriter, read func(git.OID) ([]byte, error), lines []byte) error {
	next := l.clone()
	if err := next.grow(w, read, lines); err != nil {
		return err
	}
	if err := next.flush(w); err != nil {
		return err
	}
	*l = next
	return nil
}

// Grow is Append without storing the tail, for one part of many: call Flush before the Log is
// stored or its Entries are used. Full chunks are stored at once, so memory holds one chunk and
// lines.
func (l *Log) Grow(w ObjectWriter, read func(git.OID) ([]byte, error), lines []byte) error {
	next := l.clone()
	if err := next.grow(w, read, lines); err != nil {
		return err
	}
	*l = next
	return nil
}

// Flush stores the tail.
func (l *Log) Flush(w ObjectWriter) error { return l.flush(w) }

// clone returns a copy that can grow without changing l.
func (l *Log) clone() Log {
	next := *l
	next.Closed = l.Closed[:len(l.Closed):len(l.Closed)]
	next.tail = l.tail[:len(l.tail):len(l.tail)]
	return next
}

// grow appends whole lines to the last chunk, and closes it when the next line does not fit.
func (l *Log) grow(w ObjectWriter, read func(git.OID) ([]byte, error), lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	if lines[len(lines)-1] != '\n' {
		return ErrTornLine
	}
	if err := l.load(read); err != nil {
		return err
	}
	if err := l.count(lines); err != nil {
		return err
	}
	limit := cmp.Or(l.Limit, Size)
	for len(lines) > 0 {
		n := bytes.IndexByte(lines, '\n') + 1
		if len(l.tail) > 0 && len(l.tail)+n > limit {
			if err := l.closeTail(w); err != nil {
				return err
			}
		}
		l.tail = append(l.tail, lines[:n]...)
		lines = lines[n:]
	}
	l.Tail = Chunk{Size: int64(len(l.tail))}
	return nil
}

// load reads the tail that an earlier process stored.
func (l *Log) load(read func(git.OID) ([]byte, error)) error {
	if l.loaded || l.Tail.Size == 0 {
		l.loaded = true
		return nil
	}
	tail, err := read(l.Tail.OID)
	if err != nil {
		return fmt.Errorf("read transcript tail %s: %w", l.Tail.OID.Short(), err)
	}
	if int64(len(tail)) != l.Tail.Size {
		return fmt.Errorf("read transcript tail %s: has %d bytes, want %d", l.Tail.OID.Short(), len(tail), l.Tail.Size)
	}
	l.tail, l.loaded = bytes.Clone(tail), true
	return nil
}

func (l *Log) count(lines []byte) error {
	h, err := l.hash()
	if err != nil {
		return err
	}
	h.Write(lines)
	if l.Hash, err = h.(encoding.BinaryMarshaler).MarshalBinary(); err != nil {
		return fmt.Errorf("save transcript hash: %w", err)
	}
	l.Bytes += int64(len(lines))
	l.Lines += int64(bytes.Count(lines, []byte("\n")))
	return nil
}

func (l *Log) hash() (hash.Hash, error) {
	h := sha256.New()
	if len(l.Hash) == 0 {
		return h, nil
	}
	if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(l.Hash); err != nil {
		return nil, fmt.Errorf("resume transcript hash: %w", err)
	}
	return h, nil
}

func (l *Log) closeTail(w ObjectWriter) error {
	oid, err := w.Blob(l.tail[:len(l.tail)-1])
	if err != nil {
		return fmt.Errorf("store transcript chunk %d: %w", len(l.Closed), err)
	}
	l.Closed = append(l.Closed, Chunk{OID: oid, Size: int64(len(l.tail))})
	l.tail = nil
	return nil
}

func (l *Log) flush(w ObjectWriter) error {
	if len(l.tail) == 0 || !l.Tail.OID.IsZero() {
		return nil
	}
	oid, err := w.Blob(l.tail)
	if err != nil {
		return fmt.Errorf("store transcript tail: %w", err)
	}
	l.Tail.OID = oid
	return nil
}

// Entries returns the chunks as entries of the folder that holds them.
func (l *Log) Entries() []git.TreeEntry {
	entries := make([]git.TreeEntry, 0, len(l.Closed)+1)
	for i, c := range l.Closed {
		entries = append(entries, git.TreeEntry{Mode: git.ModeFile, Name: Name(i), OID: c.OID})
	}
	if l.Tail.Size > 0 {
		entries = append(entries, git.TreeEntry{Mode: git.ModeFile, Name: Name(len(l.Closed)), OID: l.Tail.OID})
	}
	return entries
}

// TailText returns the content of the last chunk if this process has it in memory, nil
// otherwise. It must not be changed.
func (l *Log) TailText() []byte {
	if l.Tail.Size == 0 || int64(len(l.tail)) != l.Tail.Size {
		return nil
	}
	return l.tail[:len(l.tail):len(l.tail)]
}

// Blobs returns the chunks in order.
func (l *Log) Blobs() []git.OID {
	entries := l.Entries()
	blobs := make([]git.OID, len(entries))
	for i, e := range entries {
		blobs[i] = e.OID
	}
	return blobs
}

// ContentHash returns the content of content_hash.txt, sha256: and 64 hex digits; "" for an
// empty transcript or a damaged hash state.
func (l *Log) ContentHash() string {
	h, err := l.hash()
	if err != nil || l.Bytes == 0 {
		return ""
	}
	return HashPrefix + hex.EncodeToString(h.Sum(nil))
}

const HashPrefix = "sha256:"

// HashOf returns the content hash of a whole transcript.
func HashOf(transcript []byte) string {
	sum := sha256.Sum256(transcript)
	return HashPrefix + hex.EncodeToString(sum[:])
}

// RestoreLog returns the Log of a transcript that is already stored in chunks, reading one
// after the other; folder has the files of its folder. Chunks that a Log would cut differently
// stay as they are.
func RestoreLog(read func(git.OID) ([]byte, error), folder []git.TreeEntry) (*Log, error) {
	chunks, missing := Entries(folder)
	if len(missing) > 0 {
		return nil, &MissingChunkError{Names: missing}
	}
	l := &Log{}
	for i, e := range chunks {
		data, err := read(e.OID)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", e.Name, err)
		}
		last := i == len(chunks)-1
		if !last {
			data = append(data[:len(data):len(data)], '\n')
		}
		if len(data) == 0 || data[len(data)-1] != '\n' {
			return nil, fmt.Errorf("restore %s: %w", e.Name, ErrTornLine)
		}
		if err := l.count(data); err != nil {
			return nil, err
		}
		if last {
			l.Tail, l.tail, l.loaded = Chunk{OID: e.OID, Size: int64(len(data))}, data, true
		} else {
			l.Closed = append(l.Closed, Chunk{OID: e.OID, Size: int64(len(data))})
		}
	}
	return l, nil
}
