package legible

import (
	"io"
	"strings"
	"sync"
)

// A Writer writes text to another writer as [Text] returns it. It holds back an incomplete
// end of a piece, such as half a character, until the next piece or Flush.
//
// It may be used by several goroutines.
type Writer struct {
	out io.Writer

	mu   sync.Mutex // guards the fields below, and keeps pieces whole
	c    cleaner
	held []byte
}

// NewWriter returns a Writer to out. Sequences that [Mark] has marked with mark pass,
// without the mark; if mark is "", none pass.
func NewWriter(out io.Writer, mark string) *Writer {
	return &Writer{out: out, c: cleaner{mark: markOf(mark)}}
}

// Redrawing returns a Writer to out that also allows a line to be redrawn: a carriage
// return passes, and sequences that clear a line.
func Redrawing(out io.Writer) *Writer {
	return &Writer{out: out, c: cleaner{redraw: true}}
}

// Mark marks the sequences that set colours in s, a text of this program; other people's
// text in it must have passed through [Text].
func Mark(s, mark string) string {
	if mark == "" {
		return s
	}
	return strings.ReplaceAll(s, "\x1b[", "\x1b["+markOf(mark))
}

// Marked is [Text] for text with sequences of this program.
func Marked(s, mark string) string {
	c := cleaner{mark: markOf(mark)}
	out, _ := c.clean(nil, []byte(s), true)
	return string(out)
}

func markOf(mark string) string {
	if mark == "" {
		return ""
	}
	return mark + ";"
}

// Write accepts all of p, or returns the error of the writer below.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	src := p
	if len(w.held) > 0 {
		src = append(w.held, p...)
	}
	out, rest := w.c.clean(make([]byte, 0, len(src)), src, false)
	w.held = append([]byte(nil), rest...)
	if len(out) == 0 {
		return len(p), nil
	}
	if _, err := w.out.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes what was held back, at the end of the text.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.held) == 0 {
		return nil
	}
	out, _ := w.c.clean(nil, w.held, true)
	w.held = nil
	_, err := w.out.Write(out)
	return err
}

// Unwrap returns the writer below, for content that is not text.
func (w *Writer) Unwrap() io.Writer { return w.out }
