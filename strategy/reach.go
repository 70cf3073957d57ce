package strategy

import (
	"slices"

	"entire/internal/effects"
)

// reach is which worktree files a session's calls may have written, apart from the files of its
// edit calls.
type reach struct {
	top   string
	files []effects.Files
}

// wrote reports whether the calls certainly wrote path, given that it changed while they ran.
func (r reach) wrote(path string) bool {
	return slices.ContainsFunc(r.files, func(f effects.Files) bool { return !f.May && f.Match(r.top, path) })
}

// may reports whether the calls wrote path or may have written it.
func (r reach) may(path string) bool {
	return slices.ContainsFunc(r.files, func(f effects.Files) bool { return f.Match(r.top, path) })
}

// with returns the reach extended by more files.
func (r reach) with(files ...effects.Files) reach {
	r.files = append(slices.Clip(r.files), files...)
	return r
}

// filesMax bounds the patterns that are stored for a session.
const filesMax = 1000

// turnFiles is a pattern for files that calls of a turn may have written.
type turnFiles struct {
	effects.Files
	Turn int `json:"turn"`
}

// touched stores a pattern for a turn.
func (t *turnsOf) touched(f effects.Files, turn int) {
	if one := (turnFiles{f, turn}); !slices.Contains(t.Files, one) {
		t.Files = append(slices.Clip(t.Files), one)
		t.Files = t.Files[max(0, len(t.Files)-filesMax):]
	}
}

// in returns the patterns of a turn; turn 0 stands for any. An older version stored only that a
// turn may have written anything, which counted as having written it.
func (t *turnsOf) in(turn int) (out []effects.Files) {
	if t.Writes.in(turn) {
		out = append(out, effects.Everything())
	}
	for _, f := range t.Files {
		if turn == 0 || f.Turn == turn {
			out = append(out, f.Files)
		}
	}
	if t.Stays > 0 && (turn == 0 || turn >= t.Stays) {
		out = append(out, effects.Unknown().Files...)
	}
	return out
}
