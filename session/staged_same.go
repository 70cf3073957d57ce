package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Relation says how a staged session relates to the stored session of the same ID.
type Relation int

// The relations.
const (
	RelationNew   Relation = iota // no session of that ID is stored
	RelationSame                  // the stored session has the same content
	RelationOlder                 // the stored session has all of it, and more
	RelationOther                 // it has something that the stored session does not have
)

// Compare returns how the staged session relates to the stored session of an ID. It compares
// the messages, the agent's stream, the kept files, and all other files but the metadata,
// whatever their layout on disk.
func (g *Staging) Compare(ctx context.Context, sessionID string) (Relation, error) {
	if err := g.store.settle(ctx); err != nil {
		return 0, err
	}
	_, dir, err := g.store.existing(sessionID)
	if errors.Is(err, ErrNotFound) {
		return RelationNew, nil
	}
	if err != nil {
		return 0, err
	}
	out := RelationSame
	for _, of := range []stream{messageStream, transcriptStream} {
		r, err := compareStreams(ctx, g.dir, dir, of)
		if err != nil {
			return 0, err
		}
		out = max(out, r)
	}
	if out == RelationOther {
		return out, nil
	}
	r, err := compareRest(ctx, g.dir, dir, out == RelationOlder)
	return max(out, r), err
}

// compareStreams compares one of the two logs of two sessions, including shared parts.
func compareStreams(ctx context.Context, mine, theirs string, of stream) (Relation, error) {
	a, err := openParts(mine, of)
	if err != nil {
		return 0, err
	}
	defer a.Close()
	b, err := openParts(theirs, of)
	if err != nil {
		return 0, err
	}
	defer b.Close()
	return compareReaders(ctx, a, b)
}

// compareReaders returns RelationOlder if b begins with a and is longer.
func compareReaders(ctx context.Context, a, b io.Reader) (Relation, error) {
	x, y := make([]byte, readSize), make([]byte, readSize)
	for {
		n, aerr := io.ReadFull(a, x)
		m, berr := io.ReadFull(b, y[:max(n, 1)]) // when a has ended, one byte shows that b continues
		for _, err := range []error{aerr, berr, ctx.Err()} {
			if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return 0, err
			}
		}
		switch {
		case n == 0 && m == 0:
			return RelationSame, nil
		case n == 0:
			return RelationOlder, nil
		case !bytes.Equal(x[:n], y[:m]):
			return RelationOther, nil
		}
	}
}

// partsReader reads the parts of a log one after the other.
type partsReader struct {
	list []part
	now  *LogFile
	in   io.Reader
}

func openParts(dir string, of stream) (*partsReader, error) {
	list, err := parts(dir, of)
	return &partsReader{list: list}, err
}

func (r *partsReader) Read(b []byte) (int, error) {
	for {
		if r.in == nil {
			if len(r.list) == 0 {
				return 0, io.EOF
			}
			f, err := r.list[0].open()
			if err != nil {
				return 0, err
			}
			r.now, r.in = f, io.NewSectionReader(f, 0, r.list[0].bytes)
			r.list = r.list[1:]
		}
		n, err := r.in.Read(b)
		if n > 0 || err != io.EOF {
			return n, err
		}
		r.in = nil
		if err := r.now.Close(); err != nil {
			return 0, err
		}
	}
}

func (r *partsReader) Close() error {
	if r.in == nil {
		return nil
	}
	return r.now.Close()
}

// compareRest compares the other files. grown says that the stored session is longer; a
// transcript that is one document may then differ.
func compareRest(ctx context.Context, mine, theirs string, grown bool) (Relation, error) {
	out := RelationSame
	err := filepath.WalkDir(mine, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return errors.Join(err, ctx.Err())
		}
		name, err := filepath.Rel(mine, path)
		if err != nil {
			return err
		}
		if told(filepath.ToSlash(name), grown) {
			return nil
		}
		r, err := compareFiles(ctx, path, filepath.Join(theirs, name))
		out = max(out, r)
		return err
	})
	return out, err
}

// told reports whether compareRest skips a file, because another comparison covers it or it is
// no content of the session.
func told(name string, grown bool) bool {
	switch {
	case leftBehind(filepath.Base(name)):
		return true
	case strings.Contains(name, "/"):
		return false
	case name == documentName:
		return grown
	}
	for _, stem := range []string{"metadata.", "messages.", "transcript.", "base.", "base-", "feed."} {
		if strings.HasPrefix(name, stem) {
			return true
		}
	}
	return false
}

func compareFiles(ctx context.Context, mine, theirs string) (Relation, error) {
	size, err := fileThere(theirs)
	if err != nil || size < 0 {
		return RelationOther, err
	}
	a, err := openFile(mine, os.O_RDONLY)
	if err != nil {
		return 0, err
	}
	defer a.Close()
	b, err := openFile(theirs, os.O_RDONLY)
	if err != nil {
		return 0, err
	}
	defer b.Close()
	return compareReaders(ctx, a, b)
}

// Fingerprint returns a short hash of the messages and the agent's stream, whatever their
// layout.
func (g *Staging) Fingerprint(ctx context.Context) (string, error) {
	sum := sha256.New()
	for _, of := range []stream{messageStream, transcriptStream} {
		r, err := openParts(g.dir, of)
		if err != nil {
			return "", err
		}
		n, err := io.Copy(sum, r)
		if err := errors.Join(err, r.Close(), ctx.Err()); err != nil {
			return "", err
		}
		sum.Write(binary.BigEndian.AppendUint64(nil, uint64(n)))
	}
	if doc, err := readDocument(filepath.Join(g.dir, documentName)); err == nil {
		sum.Write(doc)
	}
	return hex.EncodeToString(sum.Sum(nil)[:4]), nil
}
