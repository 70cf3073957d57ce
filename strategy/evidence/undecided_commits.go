package evidence

import (
	"context"
	"maps"
	"slices"

	"entire/internal/git"
	"entire/session"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
)

// undecidedMax bounds the commits that wait in a session for its transcript.
const undecidedMax = 20

// NoteUndecided notes a commit in a session that is in a turn, before the session follows it. steps is the tip of the
// session's shadow branch, zero for none.
func NoteUndecided(s *sessionstate.Env, o *sessionstate.LockedSession, cm githead.MadeCommit, steps git.OID) {
	if !step.InTurn(o) || len(cm.Changes) == 0 {
		return
	}
	e := &o.Engine
	u := sessionstate.UndecidedCommit{Commit: cm.OID, Made: s.Now(), Turn: e.TurnNumber, Base: step.BaseOf(o), Steps: steps, Start: e.TurnStart}
	replaces := func(c sessionstate.UndecidedCommit) bool { return c.Commit == u.Base && u.Base != cm.Parent }
	if i := slices.IndexFunc(e.UndecidedCommits, replaces); i >= 0 {
		was := e.UndecidedCommits[i]
		u.Base, u.Steps, u.Start = was.Base, was.Steps, was.Start
		e.UndecidedCommits = slices.Delete(e.UndecidedCommits, i, i+1)
	}
	e.UndecidedCommits = append(e.UndecidedCommits, u)
	if n := len(e.UndecidedCommits); n > undecidedMax {
		e.UndecidedCommits = e.UndecidedCommits[n-undecidedMax:]
	}
}

// DropUndecided removes the commits of turns before the last one: no transcript tells so late.
func DropUndecided(o *sessionstate.LockedSession) {
	o.Engine.UndecidedCommits = slices.DeleteFunc(o.Engine.UndecidedCommits, func(c sessionstate.UndecidedCommit) bool { return c.Turn < o.Engine.TurnNumber })
}

// AsOf returns the session as it was when an undecided commit was made, with what its transcript shows by now of the
// time before. What is read into it stays unread in o.
func AsOf(s *sessionstate.Env, o *sessionstate.LockedSession, c sessionstate.UndecidedCommit) *sessionstate.LockedSession {
	was, st := *o, *o.State
	st.Phase, st.BaseCommit = session.PhaseActive, c.Base.String()
	st.TranscriptPath = s.TranscriptOf(o)
	was.State, was.AsOf = &st, c.Made
	was.Engine.TurnStart, was.Engine.TurnNumber = c.Start, c.Turn
	was.Engine.Subagents, was.Engine.Capture.Calls = maps.Clone(o.Engine.Subagents), slices.Clone(o.Engine.Capture.Calls)
	return &was
}

// ShowsLate reports whether the transcript shows calls from the time before an undecided commit that it did not show
// when it was last asked. shown is what c.Shown is now, if they prove nothing.
func ShowsLate(s *sessionstate.Env, o *sessionstate.LockedSession, c sessionstate.UndecidedCommit) (shows bool, shown int64) {
	unread := AsOf(s, o, c)
	unread.Engine.Capture.Conversation, unread.Engine.Capture.Calls = nil, nil
	unread.Engine.TurnStart.TranscriptSize = max(c.Start.TranscriptSize, c.Shown)
	var w transcript.SessionWork
	ScanLiveTranscript(s, unread, &w)
	return w.HasToolCalls, max(c.Shown, unread.AsOfEnd)
}

// DecideLate returns the files of an undecided commit that are the work of the session's turn, as its transcript shows
// by now; none if it shows nothing of them.
func DecideLate(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, c sessionstate.UndecidedCommit, changes []git.Change, strict transcript.MatchMode) ([]string, error) {
	was := AsOf(s, o, c)
	w := NewSessionWork(was)
	w.Matching = strict
	if err := addOpenTurn(ctx, s, was, &w); err != nil {
		return nil, err
	}
	if err := AddTurnStart(ctx, s, &w, changes); err != nil {
		return nil, err
	}
	if !provenByTranscript(w, changes) {
		return nil, nil
	}
	var files []string
	for _, ch := range changes {
		if DidInTurn(w, ch, Committer{}) {
			files = append(files, sessionstate.EncodePath(ch.Path))
		}
	}
	return files, nil
}
