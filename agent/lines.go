package agent

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// ErrLineTooLong is returned by Lines when a line exceeds 64 MiB.
var ErrLineTooLong = errors.New("transcript line too long")

// maxLine bounds the length of a line for Lines, in bytes.
const maxLine = 64 << 20

// FirstBuffer is the size of the first buffer; most transcripts have no longer line.
const FirstBuffer = 256 << 10

// Lines calls fn with each complete line of r, without its newline, and returns how many
// bytes of r those lines took, including the newlines. It ignores what follows the last
// newline, because the agent is still writing it. The slice passed to fn is valid only
// during the call. Memory is bounded by the longest line. If fn fails, Lines stops with
// its error and does not count that line.
func Lines(r io.Reader, fn func(line []byte) error) (consumed int64, err error) {
	buf := make([]byte, FirstBuffer)
	held := 0 // bytes at the start of buf that are part of an unfinished line
	for {
		n, readErr := r.Read(buf[held:])
		fresh := held
		held += n
		used, err := eachLine(buf[:held], fresh, fn)
		consumed += int64(used)
		if err != nil {
			return consumed, err
		}
		held = copy(buf, buf[used:held])
		switch {
		case readErr == io.EOF:
			return consumed, nil
		case readErr != nil:
			return consumed, fmt.Errorf("read transcript after %d bytes: %w", consumed, readErr)
		case held == maxLine:
			return consumed, fmt.Errorf("%w: over %d bytes", ErrLineTooLong, maxLine)
		case held == len(buf):
			buf = append(make([]byte, 0, min(2*len(buf), maxLine)), buf...)
			buf = buf[:cap(buf)]
		}
	}
}

// eachLine calls fn with the complete lines in buf and returns how many bytes they took.
// The bytes before fresh are known to hold no newline.
func eachLine(buf []byte, fresh int, fn func(line []byte) error) (used int, err error) {
	for {
		end := bytes.IndexByte(buf[fresh:], '\n')
		if end < 0 {
			return used, nil
		}
		end += fresh
		if err := fn(buf[used:end]); err != nil {
			return used, err
		}
		used = end + 1
		fresh = used
	}
}

// EachFinalLine calls fn with each line of a complete transcript, whose last line counts even
// without a newline.
func EachFinalLine(transcript []byte, fn func(line []byte)) {
	for line := range bytes.Lines(transcript) {
		fn(bytes.TrimSuffix(line, []byte("\n")))
	}
}
