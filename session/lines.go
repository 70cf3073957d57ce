package session

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

const readSize = 64 << 10

// BadLineError is a line of a session's file that is no record. It stays where
// it is.
type BadLineError struct {
	File   string // absolute path
	Offset int64  // of the line's first byte
	Line   []byte // the first 200 bytes
	Err    error  // what is wrong with it
}

func (e *BadLineError) Error() string {
	return fmt.Sprintf("%s: the line at byte %d is damaged: %v", e.File, e.Offset, e.Err)
}

func (e *BadLineError) Unwrap() error { return e.Err }

func badLine(file string, offset int64, line []byte, err error) *BadLineError {
	return &BadLineError{file, offset, bytes.Clone(line[:min(len(line), 200)]), err}
}

// A lineReader reads the complete lines of a section of a file, from the first.
// It holds one line at a time, however long.
type lineReader struct {
	in   *bufio.Reader
	long []byte // of a line longer than in's buffer
	at   int64  // where the next line begins
}

func newLineReader(f io.ReaderAt, from, to int64) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(io.NewSectionReader(f, from, to-from), readSize), at: from}
}

// next returns a line without its newline, and where it begins; it is valid
// until the next call. io.EOF where no complete line is left.
func (l *lineReader) next() (line []byte, at int64, err error) {
	at = l.at
	l.long = l.long[:0]
	for {
		piece, err := l.in.ReadSlice('\n')
		l.at += int64(len(piece))
		switch {
		case err == nil && len(l.long) == 0:
			return piece[:len(piece)-1], at, nil
		case err == nil:
			l.long = append(l.long, piece...)
			return l.long[:len(l.long)-1], at, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, at, err // a line without newline is not there yet
		}
		l.long = append(l.long, piece...)
	}
}

// A tailReader reads the complete lines of the first bytes of a file, from the
// last.
type tailReader struct {
	f    io.ReaderAt
	at   int64  // buf begins here in the file
	buf  []byte // what was read and not yet returned
	size int    // of the next piece to read
}

func newTailReader(f io.ReaderAt, size int64) (*tailReader, error) {
	t := &tailReader{f: f, at: size, size: readSize}
	for {
		if i := bytes.LastIndexByte(t.buf, '\n'); i >= 0 || t.at == 0 {
			t.buf = t.buf[:i+1]
			return t, nil
		}
		if err := t.more(); err != nil {
			return nil, err
		}
	}
}

// prev returns the line before, without its newline, and where it begins; it is
// valid until the next call. io.EOF where there is none.
func (t *tailReader) prev() (line []byte, at int64, err error) {
	for {
		if len(t.buf) == 0 && t.at == 0 {
			return nil, 0, io.EOF
		}
		end := len(t.buf) - 1 // its newline
		if i := bytes.LastIndexByte(t.buf[:max(end, 0)], '\n'); end >= 0 && (i >= 0 || t.at == 0) {
			line = t.buf[i+1 : end]
			t.buf = t.buf[:i+1]
			return line, t.at + int64(i+1), nil
		}
		if err := t.more(); err != nil {
			return nil, 0, err
		}
	}
}

// more puts the piece before it in front of buf. A line that does not fit makes
// the pieces grow.
func (t *tailReader) more() error {
	n := min(int64(t.size), t.at)
	buf := make([]byte, n, int(n)+len(t.buf))
	if _, err := t.f.ReadAt(buf, t.at-n); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	t.buf = append(buf, t.buf...)
	t.at -= n
	t.size = max(readSize, len(t.buf))
	return nil
}
