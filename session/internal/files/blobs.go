package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"strings"

	"entire/internal/durable"
	"entire/session/internal/layout"
)

// ErrDamaged is returned for a stored content that does not have the hash in its name.
var ErrDamaged = errors.New("stored content is damaged")

// maxReread bounds the contents that are read again only to verify them.
const maxReread = 8 << 20

// keepBlob stores a content of known hash and size, once and durably.
func (w *fileOperation) keepBlob(sum string, size int64, r io.Reader) error {
	path := w.path(layout.BlobsName, sum)
	info, err := os.Lstat(path)
	if err == nil && info.Mode().IsRegular() && info.Size() == size && (size > maxReread || w.blobIsWhole(sum)) {
		return nil
	}
	fresh := errors.Is(err, fs.ErrNotExist)
	if err := durable.WriteStream(path, checked(r, sum, errChangedNow), 0o600, !w.noSync); err != nil {
		return err
	}
	if fresh {
		w.stored = append(w.stored, sum)
	}
	return nil
}

// blobIsWhole reads a stored content again and reports whether it is intact: a new checkpoint
// must not rely on one that was damaged since it was written.
func (m *CheckpointManager) blobIsWhole(sum string) bool {
	r, err := m.OpenBlob(sum, "")
	if err != nil {
		return false
	}
	defer r.Close()
	_, err = io.Copy(io.Discard, r)
	return err == nil
}

// OpenBlob opens the content of a checkpoint's file. Reading it to its end fails if it does not
// have its hash.
func (m *CheckpointManager) OpenBlob(sum, checkpointID string) (io.ReadCloser, error) {
	places := []string{m.path(layout.BlobsName, sum)}
	if checkpointID != "" {
		places = append(places, m.path(layout.CheckpointsName, checkpointID, layout.BlobsName, sum), m.path(layout.CheckpointsName, checkpointID, seedBlobsDir, sum))
	}
	for _, place := range places {
		f, err := durable.OpenPlain(place)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if errors.Is(err, durable.ErrNoFile) {
			err = errSpecial
		}
		if err != nil {
			return nil, fmt.Errorf("stored content %s: %w", sum, err)
		}
		return struct {
			io.Reader
			io.Closer
		}{checked(f, sum, fmt.Errorf("%w: %s", ErrDamaged, sum)), f}, nil
	}
	return nil, fmt.Errorf("stored content %s is missing", sum)
}

// checked returns a reader of r that returns bad instead of io.EOF if the content does not have
// the hash sum.
func checked(r io.Reader, sum string, bad error) io.Reader {
	return &checkedReader{r, sha256.New(), sum, bad}
}

type checkedReader struct {
	r   io.Reader
	sum hash.Hash
	is  string
	bad error
}

func (c *checkedReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.sum.Write(b[:n])
	if err == io.EOF && hex.EncodeToString(c.sum.Sum(nil)) != c.is {
		return n, c.bad
	}
	return n, err
}

// validHash reports whether s is a SHA-256 in 64 hex digits.
func validHash(s string) bool {
	return len(s) == 2*sha256.Size && strings.Trim(s, "0123456789abcdef") == ""
}
