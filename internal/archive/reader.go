package archive

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// windowSize is the most memory used for decompression.
const windowSize = 8 << 20

// Limits bound what a reader accepts. Zero means no limit.
type Limits struct {
	Entries int
	Entry   int64 // bytes of content of one entry
	Total   int64 // bytes of content of all entries
	// Ratio is the most bytes of content for each byte of the archive. The first ratioFrom bytes are
	// not counted.
	Ratio int64
}

// ratioFrom is how many bytes of content any archive may have, whatever its length.
const ratioFrom = 256 << 20

// Reader reads an archive.
type Reader struct {
	lim   Limits
	raw   *counted
	in    *bufio.Reader
	dec   *zstd.Decoder
	all   hash.Hash
	total total
	now   *content
	err   error
}

// counted counts the bytes read from the archive.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// NewReader reads the start of an archive.
func NewReader(r io.Reader, lim Limits) (*Reader, error) {
	raw := &counted{r: r}
	if err := readMagic(raw); err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(windowSize))
	if err != nil {
		return nil, damaged(err)
	}
	return &Reader{lim: lim, raw: raw, in: bufio.NewReaderSize(dec, 64<<10), dec: dec, all: sha256.New()}, nil
}

// Is reports whether a file that begins with head may be an archive.
func Is(head []byte) bool { return bytes.HasPrefix(head, []byte(magicStem)) }

func readMagic(r io.Reader) error {
	head := make([]byte, len(Magic))
	n, err := io.ReadFull(r, head)
	switch {
	case string(head[:n]) == Magic:
		return nil
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case strings.HasPrefix(Magic, string(head[:n])):
		return fmt.Errorf("%w: it ends in its first line", ErrDamaged)
	case strings.HasPrefix(string(head[:n]), magicStem):
		return ErrNewer
	}
	return ErrNot
}

// Close releases the reader's memory. It does not close the underlying reader.
func (r *Reader) Close() { r.dec.Close() }

// Digest returns the digest of all entries, once Next has returned io.EOF.
func (r *Reader) Digest() string { return r.total.SHA256 }

// Read returns the number of bytes read from the archive.
func (r *Reader) Read() int64 { return r.raw.n }

// Next checks the rest of the last entry and returns the next one. The content of an entry ends with
// io.EOF only if it is intact. Next returns io.EOF if the archive is complete and nothing follows it.
func (r *Reader) Next() (Entry, io.Reader, error) {
	if r.err != nil {
		return Entry{}, nil, r.err
	}
	e, err := r.next()
	if err != nil {
		r.err = err
		return Entry{}, nil, err
	}
	return e, r.now, nil
}

func (r *Reader) next() (Entry, error) {
	if r.now != nil {
		if _, err := io.Copy(io.Discard, r.now); err != nil {
			return Entry{}, err
		}
	}
	sum := sha256.New()
	mark, header, size, err := r.head(sum)
	if err != nil {
		return Entry{}, err
	}
	if mark == markEnd {
		return Entry{}, r.end(header, size, sum)
	}
	var e Entry
	if err := json.Unmarshal(header, &e); err != nil {
		return Entry{}, damaged(err)
	}
	e.Size = size
	if err := e.check(); err != nil {
		return Entry{}, damaged(err)
	}
	r.total.Entries++
	r.total.Bytes += size
	if err := r.within(size); err != nil {
		return Entry{}, err
	}
	r.now = &content{r: r, left: size, sum: sum}
	return e, nil
}

// head reads the header of an entry.
func (r *Reader) head(sum io.Writer) (mark byte, header []byte, size int64, err error) {
	in := io.TeeReader(r.in, sum)
	var lead [5]byte
	if _, err := io.ReadFull(in, lead[:]); err != nil {
		return 0, nil, 0, damaged(err)
	}
	n := binary.BigEndian.Uint32(lead[1:])
	if lead[0] != markEntry && lead[0] != markEnd || n > maxHeader {
		return 0, nil, 0, damaged(errors.New("there is no entry where one should begin"))
	}
	header = make([]byte, n)
	var length [8]byte
	if _, err := io.ReadFull(in, header); err != nil {
		return 0, nil, 0, damaged(err)
	}
	if _, err := io.ReadFull(in, length[:]); err != nil {
		return 0, nil, 0, damaged(err)
	}
	size = int64(binary.BigEndian.Uint64(length[:]))
	if size < 0 {
		return 0, nil, 0, damaged(errors.New("the length of an entry is negative"))
	}
	return lead[0], header, size, nil
}

// within refuses an archive as soon as a header exceeds the limits.
func (r *Reader) within(size int64) error {
	lim := r.lim
	switch {
	case lim.Entries > 0 && r.total.Entries > lim.Entries:
		return fmt.Errorf("%w: more than %d entries", errTooMuch, lim.Entries)
	case lim.Entry > 0 && size > lim.Entry:
		return fmt.Errorf("%w: an entry of %d bytes, at most %d are allowed", errTooMuch, size, lim.Entry)
	case r.total.Bytes < 0 || lim.Total > 0 && r.total.Bytes > lim.Total:
		return fmt.Errorf("%w: more than %d bytes", errTooMuch, lim.Total)
	}
	return nil
}

// end checks the last record, and that nothing follows it.
func (r *Reader) end(header []byte, size int64, sum hash.Hash) error {
	var t total
	if err := json.Unmarshal(header, &t); err != nil {
		return damaged(err)
	}
	var is [sha256.Size]byte
	if _, err := io.ReadFull(r.in, is[:]); err != nil {
		return damaged(err)
	}
	r.total.SHA256 = hex.EncodeToString(r.all.Sum(nil))
	if size != 0 || t != r.total || !bytes.Equal(is[:], sum.Sum(nil)) {
		return damaged(errors.New("the end does not fit what came before"))
	}
	if n, err := r.in.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return damaged(errors.New("something comes after the end"))
	}
	return io.EOF
}

// content is the content of the current entry.
type content struct {
	r    *Reader
	left int64
	sum  hash.Hash
	done error
}

func (c *content) Read(b []byte) (int, error) {
	if c.r.now != c {
		return 0, errors.New("read of an entry that was passed over")
	}
	if c.done != nil {
		return 0, c.done
	}
	if c.left == 0 {
		c.done = c.finish()
		return 0, c.done
	}
	n, err := c.r.in.Read(b[:min(int64(len(b)), c.left)])
	c.sum.Write(b[:n])
	c.left -= int64(n)
	if err != nil {
		c.done = damaged(err)
		return n, c.done
	}
	if lim := c.r.lim.Ratio; lim > 0 && c.r.total.Bytes-c.left > ratioFrom+lim*c.r.raw.n {
		c.done = fmt.Errorf("%w: it would grow to more than %d times its length", errTooMuch, lim)
		return 0, c.done
	}
	return n, nil
}

func (c *content) finish() error {
	var is [sha256.Size]byte
	if _, err := io.ReadFull(c.r.in, is[:]); err != nil {
		return damaged(err)
	}
	digest := c.sum.Sum(nil)
	if !bytes.Equal(is[:], digest) {
		return damaged(errors.New("the content of an entry is not what was written"))
	}
	c.r.all.Write(digest)
	return io.EOF
}

// damaged returns the error for a failed read. It also wraps the error of the underlying reader.
func damaged(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}
