package strategy

import (
	"slices"

	"entire/internal/effects"
)

// reach is which files of the worktree a session's calls may have written, apart from
// those that editing tools named.
type reach struct {
	top   string
	files []effects.Files
}

// wrote reports a file that they have written if it changed beside them.
func (r reach) wrote(path string) bool {
	return slices.ContainsFunc(r.files, func(f effects.Files) bool { return !f.May && f.Match(r.top, path) })
}

// may reports a file that they have written, or may have.
func (r reach) may(path string) bool {
	return slices.ContainsFunc(r.files, func(f effects.Files) bool { return f.Match(r.top, path) })
}

// with is the reach with more files.
func (r reach) with(files ...effects.Files) reach {
	r.files = append(slices.Clip(r.files), files...)
	return r
}

// filesMax bounds the patterns that are remembered of a session.
const filesMax = 1000

// turnFiles is a pattern for files that calls of a turn may have written.
type turnFiles struct {
	effects.Files
	Turn int `json:"turn"`
}

// touched notes a pattern of a turn's.
func (t *turnsOf) touched(f effects.Files, turn int) {
	if one := (turnFiles{f, turn}); !slices.Contains(t.Files, one) {
		t.Files = append(slices.Clip(t.Files), one)
		t.Files = t.Files[max(0, len(t.Files)-filesMax):]
	}
}

// in are the patterns of a turn; turn 0 stands for any. What an older version remembered
// of the turn is that it may have written anything, and counted for it.
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
