package view

import (
	"compress/flate"
	"strings"
)

// A Room bounds the text of a part of a page by what it takes on its way to the browser: program text gets four
// times the space of what does not compress.
type Room struct {
	zip     *flate.Writer
	used    int // by what the compressor has given out
	pending int // bytes that it was given since
	max     int
}

// Text is compressed in pieces. Until a piece is full, a third of it counts.
const (
	roomPiece = 2048
	roomRatio = 3
)

// NewRoom returns room for text that takes n bytes compressed.
func NewRoom(n int) *Room {
	r := &Room{max: n}
	r.zip, _ = flate.NewWriter(r, flate.BestSpeed) // the level is a known one
	return r
}

// Write counts what the compressor gives out.
func (r *Room) Write(p []byte) (int, error) {
	r.used += len(p)
	return len(p), nil
}

// Take takes the room that a text needs, and reports whether there was as much.
func (r *Room) Take(text string) bool {
	if r.Full() {
		return false
	}
	_, _ = r.zip.Write([]byte(text)) // Room.Write does not fail
	if r.pending += len(text); r.pending >= roomPiece {
		_ = r.zip.Flush()
		r.pending = 0
	}
	return r.used+r.pending/roomRatio <= r.max
}

// Full reports whether there is no room left.
func (r *Room) Full() bool { return r.used+r.pending/roomRatio >= r.max }

// Cut returns the beginning of a text for which there is room, at most n bytes.
func (r *Room) Cut(text string, n int) string {
	const piece = 512
	short := shortened(text, n)
	for at := 0; at < len(short); at += piece {
		if !r.Take(short[at:min(at+piece, len(short))]) {
			return shortened(text, at)
		}
	}
	return short
}

// A Text is as much of a text as a page has room for.
type Text struct {
	Text string
	Cut  int // bytes that are not shown
}

// CutTexts returns as much of each text as there is room for, at most n bytes.
func (r *Room) CutTexts(texts []string, n int) []Text {
	var out []Text
	for _, text := range texts {
		text = strings.TrimSpace(text)
		short := r.Cut(text, n)
		out = append(out, Text{short, len(text) - len(short)})
	}
	return out
}
