package legible

import (
	"io"
	"strings"
	"sync"
)

// A Writer writes text to another writer as [Text] makes it. What a piece leaves
// undecided, such as half a character, waits for the next one, or for Flush.
//
// It may be used by several goroutines.
type Writer struct {
	out io.Writer

	mu   sync.Mutex // guards what follows, and keeps pieces whole
	c    cleaner
	held []byte
}

// NewWriter returns a Writer to out. Sequences that [Mark] has marked with mark
// pass, without the mark; where it is "" none do.
func NewWriter(out io.Writer, mark string) *Writer {
	return &Writer{out: out, c: cleaner{mark: markOf(mark)}}
}

// Redrawing returns a Writer to out that also lets a line be written again: a
// carriage return passes, and what clears a line.
func Redrawing(out io.Writer) *Writer {
	return &Writer{out: out, c: cleaner{redraw: true}}
}

// Mark marks the sequences that set colours in s, which is ours: text of others in
// it has gone through [Text].
func Mark(s, mark string) string {
	if mark == "" {
		return s
	}
	return strings.ReplaceAll(s, "\x1b[", "\x1b["+markOf(mark))
}

// Marked is [Text] for text that has sequences of ours in it.
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

// Write takes all of p, or fails as the writer below does.
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

// Flush writes what waits for a next piece: there will be none.
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

// Unwrap returns the writer below, for what is not text.
func (w *Writer) Unwrap() io.Writer { return w.out }
