package transcript

import (
	"slices"

	"entire/internal/effects"
	"entire/strategy/sessionstate"
)

// CallEffects is which worktree files a session's calls may have written, apart from the files of its
// edit calls.
type CallEffects struct {
	Top   string
	Files []effects.Files
}

// Wrote reports whether the calls certainly wrote path, given that it changed while they ran.
func (r CallEffects) Wrote(path string) bool {
	return slices.ContainsFunc(r.Files, func(f effects.Files) bool { return !f.Possible && !f.Removes && f.Match(r.Top, path) })
}

// MayHaveWritten reports whether the calls wrote path or may have written it.
func (r CallEffects) MayHaveWritten(path string) bool {
	return slices.ContainsFunc(r.Files, func(f effects.Files) bool { return !f.Removes && f.Match(r.Top, path) })
}

// With returns the reach extended by more files.
func (r CallEffects) With(files ...effects.Files) CallEffects {
	r.Files = append(slices.Clip(r.Files), files...)
	return r
}

// turnPatternsMax bounds the patterns that are stored for a session.
const turnPatternsMax = 1000

// notePattern stores a pattern for a turn.
func notePattern(t *sessionstate.ActivityLog, f effects.Files, turn int) {
	if one := (sessionstate.TurnPattern{Files: f, Turn: turn}); !slices.Contains(t.Files, one) {
		t.Files = append(slices.Clip(t.Files), one)
		t.Files = t.Files[max(0, len(t.Files)-turnPatternsMax):]
	}
}

// PatternsIn returns the patterns of a turn; turn 0 stands for any. An older version stored only that a
// turn may have written anything, which counted as having written it.
func PatternsIn(t *sessionstate.ActivityLog, turn int) (out []effects.Files) {
	if In(&t.Writes, turn) {
		out = append(out, effects.Everything())
	}
	for _, f := range t.Files {
		if turn == 0 || f.Turn == turn {
			out = append(out, f.Files)
		}
	}
	if t.LastingFrom > 0 && (turn == 0 || turn >= t.LastingFrom) {
		out = append(out, effects.Unknown().Files...)
	}
	return out
}

// Unshown returns which files a session wrote by calls that its transcript does not show: a person may have written
// them, too. Of a session that never told what it wrote, everything that changed in its turns is its own, unless its
// agent writes a transcript that need not show it.
func Unshown(s *sessionstate.Env, o *sessionstate.LockedSession) effects.Files {
	t := o.Engine.Capture.Conversation
	told := t != nil && (t.Called > 0 || len(t.Edits) > 0)
	if told || !ShowsAllCalls(o.State.AgentType, t) && !s.KeepsTranscript(o) {
		return effects.Unknown().Files[0]
	}
	return effects.Everything()
}
