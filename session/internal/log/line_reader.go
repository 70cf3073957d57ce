package log

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"entire/internal/lines"
)

// ReadSize is how many bytes of a log are read at once.
const ReadSize = 64 << 10

// BadLineError reports a line of a session's file that is not a record. The line stays in the
// file.
type BadLineError struct {
	File   string // absolute path
	Offset int64  // of the line's first byte
	Line   []byte // the first 200 bytes
	Err    error  // why it is not a record
}

func (e *BadLineError) Error() string {
	return fmt.Sprintf("%s: the line at byte %d is damaged: %v", e.File, e.Offset, e.Err)
}

func (e *BadLineError) Unwrap() error { return e.Err }

// BadLine returns the error for a damaged line.
func BadLine(file string, offset int64, line []byte, err error) *BadLineError {
	return &BadLineError{file, offset, bytes.Clone(line[:min(len(line), 200)]), err}
}

// NewLineReader reads the complete lines between two offsets of a file, however long they are.
func NewLineReader(f io.ReaderAt, from, to int64) *lines.Reader {
	r := lines.NewReader(io.NewSectionReader(f, from, to-from), math.MaxInt)
	r.At = from
	return r
}

// A tailReader reads the complete lines of the first bytes of a file, last to first.
type tailReader struct {
	f    io.ReaderAt
	At   int64  // the offset of buf in the file
	Buf  []byte // the bytes read and not yet returned
	size int    // how many bytes to read next
}

// NewTailReader reads the lines of the first size bytes of a file, last to first.
func NewTailReader(f io.ReaderAt, size int64) (*tailReader, error) {
	t := &tailReader{f: f, At: size, size: ReadSize}
	for {
		if i := bytes.LastIndexByte(t.Buf, '\n'); i >= 0 || t.At == 0 {
			t.Buf = t.Buf[:i+1]
			return t, nil
		}
		if err := t.more(); err != nil {
			return nil, err
		}
	}
}

// Prev returns the previous line, without its newline, and where it begins. The line is valid
// until the next call. It returns io.EOF when there is none.
func (t *tailReader) Prev() (line []byte, at int64, err error) {
	for {
		if len(t.Buf) == 0 && t.At == 0 {
			return nil, 0, io.EOF
		}
		end := len(t.Buf) - 1 // its newline
		if i := bytes.LastIndexByte(t.Buf[:max(end, 0)], '\n'); end >= 0 && (i >= 0 || t.At == 0) {
			line = t.Buf[i+1 : end]
			t.Buf = t.Buf[:i+1]
			return line, t.At + int64(i+1), nil
		}
		if err := t.more(); err != nil {
			return nil, 0, err
		}
	}
}

// more reads the bytes before buf into its front. It reads larger pieces when a line does not
// fit.
func (t *tailReader) more() error {
	n := min(int64(t.size), t.At)
	buf := make([]byte, n, int(n)+len(t.Buf))
	if _, err := t.f.ReadAt(buf, t.At-n); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	t.Buf = append(buf, t.Buf...)
	t.At -= n
	t.size = max(ReadSize, len(t.Buf))
	return nil
}
