package ownership

import (
	"maps"
	"slices"
	"time"

	"entire/id"
	"entire/internal/attribution"
	"entire/strategy/sessionstate"
)

// waitingMax bounds the runs of lines that a session keeps waiting for the end of a turn.
const waitingMax = 500

// turnEndLines are the lines of a commit's file that an open turn may have written, by their index. They are the
// owner's if the agent reports the end of the turn. A person may have interrupted the turn and written them, and no
// event tells so before the next one: until then they are unknown. ifCalled says that the turn's calls are not told
// before, so that a line is the owner's only if one of them wrote it.
type turnEndLines struct {
	lines    []int
	owner    attribution.Owner
	ifCalled bool
}

// waitingLines returns the lines of a commit's file that wait for the end of an open turn.
func (a *Authors) waitingLines(path string, lines []attribution.Line) (w turnEndLines) {
	byCommit := attribution.Owner{Class: attribution.Unknown, Turn: len(a.steps) + 1} // see Authors.owner
	for i, l := range lines {
		if l.Added && !l.Moved && l.Owner == byCommit {
			w.lines = append(w.lines, i)
		}
	}
	if len(w.lines) > 0 {
		w.owner, w.ifCalled = a.ownerAtTurnEnd(path)
	}
	return w
}

// noteWaiting stores, in the sessions, the lines of a checkpoint that wait for the end of their turn.
func noteWaiting(cp id.CheckpointID, now time.Time, open []*sessionstate.LockedSession, files map[string]attributedFile) {
	for _, path := range slices.Sorted(maps.Keys(files)) {
		f := files[path]
		k := slices.IndexFunc(open, func(o *sessionstate.LockedSession) bool { return o.ID.String() == f.waiting.owner.Session })
		if k < 0 {
			continue
		}
		w := sessionstate.WaitingLines{Checkpoint: cp, Path: sessionstate.EncodePath(path), Turn: f.waiting.owner.Turn, Noted: now.UnixMilli(), IfCalled: f.waiting.ifCalled}
		for _, i := range f.waiting.lines {
			if f.Lines[i].Owner.Class == attribution.Unknown { // no call has written it
				w.Add(i + 1)
			}
		}
		if e := &open[k].Engine; len(w.Runs) > 0 && e.WaitingRuns()+len(w.Runs) <= waitingMax {
			e.WaitingLines = append(e.WaitingLines, w)
		}
	}
}

// waitingIn returns the lines of a checkpoint's file that wait for the end of the session's turn, counted
// from 1, with what they wait for.
func waitingIn(o *sessionstate.LockedSession, cp id.CheckpointID, path string) map[int]sessionstate.WaitingLines {
	out := map[int]sessionstate.WaitingLines{}
	for _, w := range o.Engine.WaitingLines {
		if w.Checkpoint == cp && w.Path == path {
			for _, run := range w.Runs {
				for k := range run.Count {
					out[run.Start+k] = w
				}
			}
		}
	}
	return out
}
