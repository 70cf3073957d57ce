package ownership

import (
	"context"
	"maps"
	"slices"

	"entire/agent/conversation"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/effects"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/editcalls"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
)

// Authors decides who made the changes from one step to the next, and from the last step to the
// commit.
type Authors struct {
	steps     []step.Step
	turns     []turnSpan
	openTurns []transcript.SessionWork // sessions whose turn is open when the commit is made
	// EditedPaths returns the paths that a session's edit tools have named.
	EditedPaths func(id.SessionID) map[string]bool
	// activity returns what a session is known to have done in a turn.
	activity func(sid id.SessionID, turn int) transcript.TurnActivity
	// calls returns a session's edit calls that wrote to a path.
	calls func(sid id.SessionID, path string) editcalls.Index
	// agentShell is true if the process that commits runs in a shell that an agent has opened.
	agentShell bool
	// originGone is true if git has removed the commit on which the first step was made: what that commit had and the
	// parent lacks seems to be of the first step.
	originGone bool
	// replays is true if a rebase, cherry-pick or revert makes the commit from commits that others
	// have made.
	replays bool
}

// The owners that name no session.
var unknownOwner, personOwner = attribution.Owner{Class: attribution.Unknown}, attribution.Owner{Class: attribution.Person}

// turnSpan is a turn, or a part of a turn that ended in a step: the changes after step since, up
// to and including the change that made step until.
type turnSpan struct {
	session      id.SessionID
	since, until int
	number       int  // of the session's turn; 0 if it is not known
	interrupted  bool // no event tells when it ended
}

// NewAuthors prepares the decision for the changes of steps and of what follows them. The open
// sessions among concurrent count as active after the last step.
func NewAuthors(ctx context.Context, s *sessionstate.Env, steps []step.Step, concurrent []*sessionstate.LockedSession) *Authors {
	a := &Authors{steps: steps, agentShell: s.AgentShell, replays: githead.InSequence(ctx, s), EditedPaths: lazyEdits(ctx, s, concurrent), activity: lazyActivity(ctx, s, concurrent), calls: transcript.LazyCalls(ctx, s, concurrent)}
	at := make(map[git.OID]int, len(steps))
	for i, st := range steps {
		at[st.OID] = i
	}
	index := func(oid git.OID) int {
		if i, ok := at[oid]; ok {
			return i
		}
		return -1
	}
	for i, st := range steps {
		if st.Info.Kind != shadow.StepAgent && st.Info.Kind != shadow.StepTask {
			continue
		}
		since := i - 1
		if !st.Info.Since.IsZero() {
			since = min(since, index(st.Info.Since))
		}
		a.turns = append(a.turns, turnSpan{st.Info.Session, since, i, st.Info.Turn, endUnknown(st.Info)})
	}
	for _, o := range concurrent {
		if o.State.Phase != session.PhaseActive || !o.Engine.TurnStart.Seen {
			continue
		}
		a.turns = append(a.turns, turnSpan{session: o.ID, since: index(o.Engine.TurnStart.Step), until: len(steps), number: o.Engine.TurnNumber})
		a.openTurns = append(a.openTurns, openTurnWork(s, o))
	}
	return a
}

// openTurnWork returns the work of a session in the middle of a turn, from the part of its transcript
// that was read and from the part that no event has read yet.
func openTurnWork(s *sessionstate.Env, o *sessionstate.LockedSession) transcript.SessionWork {
	w := transcript.SessionWork{Session: o.ID.String(), Active: true}
	evidence.ScanLiveTranscript(s, o, &w)
	edited := map[string]bool{}
	for p := range w.Edited {
		edited[p] = true
	}
	w.BackgroundAgents = o.Engine.TurnStart.EndReported && transcript.HasBackgroundTask(&o.Engine)
	if hasForegroundTask(&o.Engine) {
		w.Reach = w.Reach.With(effects.Unknown().Files...)
	}
	if t := o.Engine.Capture.Conversation; t != nil {
		for _, p := range evidence.OwnEdits(s, o) {
			edited[p] = true
		}
		w.HasToolCalls = w.HasToolCalls || len(t.OpenCalls) > 0
		w.ToldAtEnd = w.ToldAtEnd || slices.ContainsFunc(t.OpenCalls, func(c conversation.ToolCall) bool { return c.Starts }) // by its transcript
	}
	w.Edited, w.HasToolCalls = edited, w.HasToolCalls || len(edited) > 0
	return w
}

// lazyEdits returns a function that reads a session's edited paths when they are first
// needed. Most commits do not need them.
func lazyEdits(ctx context.Context, s *sessionstate.Env, concurrent []*sessionstate.LockedSession) func(id.SessionID) map[string]bool {
	known, sessions := map[id.SessionID]map[string]bool{}, transcript.LazySessions(ctx, s, concurrent)
	return func(sid id.SessionID) map[string]bool {
		if paths, ok := known[sid]; ok {
			return paths
		}
		o := sessions(sid)
		paths := map[string]bool{}
		if t := o.Engine.Capture.Conversation; t != nil {
			for _, p := range t.EditsSince(conversation.Mark{}) {
				if rel, ok := transcript.RepoPath(s, p); ok {
					paths[rel] = true
				}
			}
		}
		if o.State != nil && o.State.Phase == session.PhaseActive { // the part that no event has read yet
			var w transcript.SessionWork
			evidence.ScanLiveTranscript(s, o, &w)
			maps.Copy(paths, w.Edited)
		}
		known[sid] = paths
		return paths
	}
}

// owner returns the owner of the i-th change of a path, with its turn: the change that made step i
// or, after the last step, the commit. next is the next change of the path. An unknown owner carries
// i+1 as its turn, which splitAuthors needs.
func (a *Authors) owner(i, next int, path string) attribution.Owner {
	by := a.stepOwner(i, next, path)
	for _, t := range a.turns {
		if by.Class == attribution.Agent && t.session.String() == by.Session && t.since < i && i <= t.until {
			by.Turn = t.number
			break
		}
	}
	if by.Class == attribution.Unknown {
		by.Turn = i + 1
	}
	return by
}

// stepOwner returns the owner of the i-th change of a path, without its turn.
func (a *Authors) stepOwner(i, next int, path string) attribution.Owner {
	if i == len(a.steps) {
		return a.commitOwner(path)
	}
	busy := a.turnsAt(i)
	able := slices.ContainsFunc(busy, func(t turnSpan) bool { return !a.activity(t.session, t.number).CannotHaveWritten(path) })
	switch info := a.steps[i].Info; {
	case i == 0 && a.originGone:
		return unknownOwner
	case info.Kind == shadow.StepHuman && len(busy) == 0, endUnknown(info) && !able:
		return personOwner
	case info.Kind != shadow.StepAgent && info.Kind != shadow.StepTask, endUnknown(info):
		// A person may have changed the file, too, and no event tells when an interrupted turn ended.
		return unknownOwner
	case len(busy) == 1 && able:
		return agentOwner(busy[0].session.String())
	}
	return soleWriter(busy, func(t turnSpan) (did, may bool) {
		h := a.activity(t.session, t.number) // a command made one of the turn's changes of the file: the only one
		if h.Reach.Wrote(path) && !h.NoCallShown && !t.interrupted {
			return t.until < next, true
		}
		return h.Edited[path], !h.CannotHaveWritten(path)
	})
}

// endUnknown reports whether a step may hold what a person changed after a turn that was interrupted.
func endUnknown(info shadow.StepInfo) bool { return info.Why == shadow.WhyInterrupted && !info.AtWork }

// turnsAt returns the turns in which the i-th change was made, one for each session.
func (a *Authors) turnsAt(i int) []turnSpan {
	var out []turnSpan
	seen := map[id.SessionID]bool{}
	for _, t := range a.turns {
		if t.since < i && i <= t.until && !seen[t.session] {
			seen[t.session] = true
			out = append(out, t)
		}
	}
	return out
}

// SessionsAt returns the sessions in whose turns the i-th change was made.
func (a *Authors) SessionsAt(i int) []id.SessionID {
	var out []id.SessionID
	for _, t := range a.turnsAt(i) {
		out = append(out, t.session)
	}
	return out
}

// commitOwner returns who changed a file between the last step and the commit, by what the calls of
// the open turns may have written. A terminal proves nothing about lines. The end of an
// interrupted turn is not known, so a command's file is certain only if a call that may make the
// commit is open, or subagents are known to be active; see also [Authors.ownerAtTurnEnd].
func (a *Authors) commitOwner(path string) attribution.Owner {
	may := a.openWriters(path)
	switch {
	case !a.replays && len(may) == 1 && may[0].Reach.Wrote(path) && (may[0].CallMayCommit || may[0].BackgroundAgents):
		return agentOwner(may[0].Session)
	case a.replays, len(may) > 0: // one of them or a person: the calls decide line by line
		return unknownOwner
	case a.agentShell && len(a.openTurns) == 1 && !a.openTurns[0].HasToolCalls: // the agent commits work that its transcript does not show yet
		return agentOwner(a.openTurns[0].Session)
	case a.agentShell && len(a.openTurns) > 0:
		return unknownOwner
	}
	return personOwner
}

// openWriters returns the open turns whose calls may have written a file.
func (a *Authors) openWriters(path string) (out []transcript.SessionWork) {
	for _, w := range a.openTurns {
		if w.Edited[path] || w.ImportedContent || w.Reach.MayHaveWritten(path) || !w.TranscriptReadable {
			out = append(out, w)
		}
	}
	return out
}

// ownerAtTurnEnd returns the owner of what an open turn wrote to a file before the commit, which holds if
// the agent reports the end of the turn and, with ifCalled, a call of the turn wrote it; the zero owner if
// there is none.
func (a *Authors) ownerAtTurnEnd(path string) (o attribution.Owner, ifCalled bool) {
	may := a.openWriters(path)
	if a.replays || len(may) != 1 || may[0].ImportedContent {
		return attribution.Owner{}, false
	}
	if ifCalled = !may[0].Reach.Wrote(path); ifCalled && !may[0].ToldAtEnd {
		return attribution.Owner{}, false
	}
	o = agentOwner(may[0].Session)
	for _, t := range a.turns {
		if t.session.String() == o.Session && t.until == len(a.steps) {
			o.Turn = t.number
		}
	}
	return o, ifCalled
}

// soleWriter returns the one session that made the change, if no other session may have made it, and
// a person if no session may have; otherwise the owner is unknown. judge says of a turn whether its
// session did make the change, and whether it may have.
func soleWriter(turns []turnSpan, judge func(turnSpan) (did, may bool)) attribution.Owner {
	owner, able := unknownOwner, 0
	for _, t := range turns {
		did, may := judge(t)
		if did {
			owner = agentOwner(t.session.String())
		}
		if may {
			able++
		}
	}
	switch able {
	case 0:
		return personOwner
	case 1:
		return owner
	}
	return unknownOwner
}

// SoleEditor returns the only session for which did is true, none if there is no such session, and
// unknown if there are several.
func SoleEditor(sessions []id.SessionID, did func(id.SessionID) bool, none attribution.Owner) attribution.Owner {
	owner := none
	for _, sid := range sessions {
		switch {
		case !did(sid):
		case owner == none:
			owner = agentOwner(sid.String())
		default:
			return unknownOwner
		}
	}
	return owner
}
