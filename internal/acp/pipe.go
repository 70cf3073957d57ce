package acp

import (
	"bufio"
	"errors"
	"io"
)

// maxMessage bounds a message that is listened to, in bytes; a longer one is only passed on.
const maxMessage = 64 << 20

// Pipe copies r to w up to its end. It calls hear with each line, without its newline, before it
// passes the line on. The slice is valid only during the call.
func Pipe(w io.Writer, r io.Reader, hear func(line []byte)) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	passed := false // a part of the line was passed on: it is too long
	for {
		part, err := in.ReadSlice('\n')
		if len(part) > 0 {
			line = append(line, part...)
			whole := err == nil
			if whole && !passed {
				hear(line[:len(line)-1])
			}
			if whole || len(line) >= maxMessage {
				if _, err := w.Write(line); err != nil {
					return err
				}
				line, passed = line[:0], !whole
			}
		}
		switch {
		case err == nil, errors.Is(err, bufio.ErrBufferFull):
		default:
			if len(line) > 0 {
				if _, err := w.Write(line); err != nil {
					return err
				}
			}
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}
