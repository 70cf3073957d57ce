package ownership

import (
	"maps"
	"slices"

	"entire/id"
	"entire/internal/attribution"
	"entire/strategy/sessionstate"
)

// waitingMax bounds the runs of lines that a session keeps waiting for the end of a turn.
const waitingMax = 500

// waitingLines returns the lines of a commit's file that an open turn may have written, by their index, and
// who owns them if the agent reports the end of that turn. A person may have interrupted the turn and written
// them, and no event tells so before the next one: until then the owner is unknown. ifCalled says that the
// turn's calls are not told before, so that a line is the agent's only if one of them wrote it.
func (a *Authors) waitingLines(path string, lines []attribution.Line) (waiting []int, atTurnEnd attribution.Owner, ifCalled bool) {
	byCommit := attribution.Owner{Class: attribution.Unknown, Turn: len(a.steps) + 1} // see Authors.owner
	for i, l := range lines {
		if l.Added && !l.Moved && l.Owner == byCommit {
			waiting = append(waiting, i)
		}
	}
	if len(waiting) > 0 {
		atTurnEnd, ifCalled = a.ownerAtTurnEnd(path)
	}
	return waiting, atTurnEnd, ifCalled
}

// noteWaiting stores, in the sessions, the lines of a checkpoint that wait for the end of their turn.
func noteWaiting(cp id.CheckpointID, open []*sessionstate.LockedSession, files map[string]attributedFile) {
	for _, path := range slices.Sorted(maps.Keys(files)) {
		f := files[path]
		k := slices.IndexFunc(open, func(o *sessionstate.LockedSession) bool { return o.ID.String() == f.atTurnEnd.Session })
		if k < 0 {
			continue
		}
		w := sessionstate.WaitingLines{Checkpoint: cp, Path: sessionstate.EncodePath(path), Turn: f.atTurnEnd.Turn, IfCalled: f.ifCalled}
		for _, i := range f.waiting {
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
