package lines

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

var (
	// ErrTooLong is returned for a line with more bytes than the limit.
	ErrTooLong = errors.New("the line is too long")
	// ErrTorn is returned, with the line, for a last line without a newline: its writer has not finished it,
	// or was killed. It is an io.EOF, at which whoever takes whole lines only ends.
	ErrTorn = fmt.Errorf("the last line has no end: %w", io.EOF)
)

// bufferSize is how many bytes are read at once.
const bufferSize = 64 << 10

// Reader reads lines, first to last. It holds one line at a time.
type Reader struct {
	At int64 // where the next line begins, if the first begins at 0

	in    *bufio.Reader
	limit int
	long  []byte // the line, if it is longer than in's buffer
	over  bool   // the rest of a line that is too long comes next
}

// NewReader returns a reader of lines of up to limit bytes, newlines apart. It reads 64 KiB at once, or
// as much as r buffers, if that is a bufio.Reader with more.
func NewReader(r io.Reader, limit int) *Reader {
	return &Reader{in: bufio.NewReaderSize(r, bufferSize), limit: limit}
}

// Next returns the next line without its newline; the line is valid until the next call. It returns
// io.EOF when no line is left, the line with [ErrTorn] if its newline is missing, and [ErrTooLong] as
// soon as a line exceeds the limit: the next call returns the line behind that one.
func (r *Reader) Next() ([]byte, error) {
	for r.over {
		if _, err := r.read(); err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
	r.long = r.long[:0]
	for {
		text, err := r.read()
		if err != nil || len(r.long) > 0 {
			r.long = append(r.long, text...)
			text = r.long
		}
		full := errors.Is(err, bufio.ErrBufferFull)
		switch {
		case err != nil && err != io.EOF && !full:
			return nil, err
		case len(text) > r.limit:
			r.over = err != nil
			return nil, ErrTooLong
		case err == io.EOF && len(text) > 0:
			return text, ErrTorn
		case !full:
			return text, err
		}
	}
}

// read returns the rest of a line without its newline, or with an error a part of it.
func (r *Reader) read() ([]byte, error) {
	part, err := r.in.ReadSlice('\n')
	r.At += int64(len(part))
	if err != nil {
		return part, err
	}
	r.over = false
	return part[:len(part)-1], nil
}
