package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Writer writes an archive. It is unusable after an error.
type Writer struct {
	out   *zstd.Encoder
	all   hash.Hash
	total total
	err   error
}

// NewWriter begins an archive on w.
func NewWriter(w io.Writer) (*Writer, error) {
	if _, err := io.WriteString(w, Magic); err != nil {
		return nil, err
	}
	enc, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(windowSize))
	if err != nil {
		return nil, err
	}
	return &Writer{out: enc, all: sha256.New()}, nil
}

// Add writes an entry with exactly e.Size bytes of r. It is an error if r has fewer; further bytes are
// not read.
func (w *Writer) Add(e Entry, r io.Reader) error {
	if w.err == nil {
		w.err = w.add(e, r)
	}
	return w.err
}

// AddBytes writes an entry with data as its content.
func (w *Writer) AddBytes(e Entry, data []byte) error {
	e.Size = int64(len(data))
	return w.Add(e, bytes.NewReader(data))
}

func (w *Writer) add(e Entry, r io.Reader) error {
	if err := e.check(); err != nil {
		return err
	}
	sum := sha256.New()
	if err := w.head(markEntry, e, e.Size, sum); err != nil {
		return err
	}
	n, err := io.Copy(io.MultiWriter(w.out, sum), io.LimitReader(r, e.Size))
	if err == nil && n < e.Size {
		err = fmt.Errorf("%s %.80q has %d of %d bytes", e.Kind, e.Name, n, e.Size)
	}
	if err != nil {
		return err
	}
	digest := sum.Sum(nil)
	w.all.Write(digest)
	w.total.Entries++
	w.total.Bytes += e.Size
	_, err = w.out.Write(digest)
	return err
}

// head writes the header of an entry.
func (w *Writer) head(mark byte, header any, size int64, sum io.Writer) error {
	data, err := json.Marshal(header)
	if err != nil {
		return err
	}
	if len(data) > maxHeader {
		return fmt.Errorf("write the header of an entry: it has %d bytes, at most %d are allowed", len(data), maxHeader)
	}
	head := append([]byte{mark}, binary.BigEndian.AppendUint32(nil, uint32(len(data)))...)
	head = append(head, data...)
	head = binary.BigEndian.AppendUint64(head, uint64(size))
	sum.Write(head)
	_, err = w.out.Write(head)
	return err
}

// Close writes the end, without which the archive is incomplete. It does not close the underlying
// writer.
func (w *Writer) Close() error {
	if w.err != nil {
		return errors.Join(w.err, w.out.Close())
	}
	w.total.SHA256 = hex.EncodeToString(w.all.Sum(nil))
	sum := sha256.New()
	err := w.head(markEnd, w.total, 0, sum)
	if err == nil {
		_, err = w.out.Write(sum.Sum(nil))
	}
	w.err = errors.New("archive is closed")
	return errors.Join(err, w.out.Close())
}
