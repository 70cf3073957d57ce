package agent

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"entire/internal/lines"
)

// ErrLineTooLong is returned by Lines when a line exceeds 64 MiB.
var ErrLineTooLong = errors.New("transcript line too long")

// maxLine bounds the length of a line for Lines, in bytes.
const maxLine = 64 << 20

// FirstBuffer is how many bytes are read at once; most transcripts have no longer line.
const FirstBuffer = 256 << 10

// Lines calls fn with each complete line of r, without its newline, and returns how many
// bytes of r those lines took, including the newlines. It ignores what follows the last
// newline, because the agent is still writing it. The slice passed to fn is valid only
// during the call. Memory is bounded by the longest line. If fn fails, Lines stops with
// its error and does not count that line.
func Lines(r io.Reader, fn func(line []byte) error) (consumed int64, err error) {
	for in := lines.NewReader(bufio.NewReaderSize(r, FirstBuffer), maxLine); ; consumed = in.At {
		line, err := in.Next()
		switch {
		case err == nil:
			err = fn(line)
		case errors.Is(err, io.EOF):
			return consumed, nil
		case errors.Is(err, lines.ErrTooLong):
			err = fmt.Errorf("%w: over %d bytes", ErrLineTooLong, maxLine)
		default:
			err = fmt.Errorf("read transcript after %d bytes: %w", consumed, err)
		}
		if err != nil {
			return consumed, err
		}
	}
}

// EachFinalLine calls fn with each line of a complete transcript, whose last line counts even
// without a newline.
func EachFinalLine(transcript []byte, fn func(line []byte)) {
	for line := range bytes.Lines(transcript) {
		fn(bytes.TrimSuffix(line, []byte("\n")))
	}
}
