package staging

import (
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

	"entire/session/internal/layout"
	"entire/session/internal/log"
)

// Compare returns how the staged session relates to the stored session of an ID. It compares
// the messages, the agent's stream, the kept files, and all other files but the metadata,
// whatever their layout on disk.
func (g *Staging) Compare(ctx context.Context, sessionID string) (log.Relation, error) {
	if err := g.store.AwaitWrites(ctx); err != nil {
		return 0, err
	}
	_, dir, err := g.store.Existing(sessionID)
	if errors.Is(err, layout.ErrNotFound) {
		return log.RelationNew, nil
	}
	if err != nil {
		return 0, err
	}
	out := log.RelationSame
	for _, of := range []log.Stream{log.MessageStream, log.TranscriptStream} {
		r, err := compareStreams(ctx, g.dir, dir, of)
		if err != nil {
			return 0, err
		}
		out = max(out, r)
	}
	if out == log.RelationOther {
		return out, nil
	}
	r, err := compareOtherFiles(ctx, g.dir, dir, out == log.RelationOlder)
	return max(out, r), err
}

// compareStreams compares one of the two logs of two sessions, including shared parts.
func compareStreams(ctx context.Context, mine, theirs string, of log.Stream) (log.Relation, error) {
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
	return log.CompareReaders(ctx, a, b)
}

// partsReader reads the parts of a log one after the other.
type partsReader struct {
	list []log.Part
	now  *log.File
	in   io.Reader
}

func openParts(dir string, of log.Stream) (*partsReader, error) {
	list, err := log.Parts(dir, of)
	return &partsReader{list: list}, err
}

func (r *partsReader) Read(b []byte) (int, error) {
	for {
		if r.in == nil {
			if len(r.list) == 0 {
				return 0, io.EOF
			}
			f, err := r.list[0].Open()
			if err != nil {
				return 0, err
			}
			r.now, r.in = f, io.NewSectionReader(f, 0, r.list[0].Bytes)
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

// compareOtherFiles compares the other files. grown says that the stored session is longer; a
// transcript that is one document may then differ.
func compareOtherFiles(ctx context.Context, mine, theirs string, grown bool) (log.Relation, error) {
	out := log.RelationSame
	err := filepath.WalkDir(mine, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return errors.Join(err, ctx.Err())
		}
		name, err := filepath.Rel(mine, path)
		if err != nil {
			return err
		}
		if isComparedElsewhere(filepath.ToSlash(name), grown) {
			return nil
		}
		r, err := compareFiles(ctx, path, filepath.Join(theirs, name))
		out = max(out, r)
		return err
	})
	return out, err
}

// isComparedElsewhere reports whether compareOtherFiles skips a file, because another comparison covers it or it is
// no content of the session.
func isComparedElsewhere(name string, grown bool) bool {
	switch {
	case isTransient(filepath.Base(name)):
		return true
	case strings.Contains(name, "/"):
		return false
	case name == layout.DocumentName:
		return grown
	}
	for _, stem := range []string{"metadata.", "messages.", "transcript.", "base.", "base-", "feed."} {
		if strings.HasPrefix(name, stem) {
			return true
		}
	}
	return false
}

func compareFiles(ctx context.Context, mine, theirs string) (log.Relation, error) {
	size, err := fileSizeOrMissing(theirs)
	if err != nil || size < 0 {
		return log.RelationOther, err
	}
	a, err := layout.OpenFile(mine, os.O_RDONLY)
	if err != nil {
		return 0, err
	}
	defer a.Close()
	b, err := layout.OpenFile(theirs, os.O_RDONLY)
	if err != nil {
		return 0, err
	}
	defer b.Close()
	return log.CompareReaders(ctx, a, b)
}

// Fingerprint returns a short hash of the messages and the agent's stream, whatever their
// layout.
func (g *Staging) Fingerprint(ctx context.Context) (string, error) {
	sum := sha256.New()
	for _, of := range []log.Stream{log.MessageStream, log.TranscriptStream} {
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
	if doc, err := layout.ReadDocument(filepath.Join(g.dir, layout.DocumentName)); err == nil {
		sum.Write(doc)
	}
	return hex.EncodeToString(sum.Sum(nil)[:4]), nil
}
