package strategy

import (
	"context"
	"maps"
	"slices"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/effects"
	"entire/internal/git"
	"entire/session"
)

// authors decides who made the changes from one step to the next, and from the last step to the
// commit.
type authors struct {
	steps []step
	turns []turnSpan
	now   []work // sessions whose turn is open when the commit is made
	// edits returns the paths that a session's edit tools have named.
	edits func(id.SessionID) map[string]bool
	// hand returns what a session is known to have done in a turn.
	hand func(sid id.SessionID, turn int) hand
	// calls returns a session's edit calls that wrote to a path.
	calls func(sid id.SessionID, path string) callIndex
	// agentShell is true if the process that commits runs in a shell that an agent has opened.
	agentShell bool
	// replays is true if a rebase, cherry-pick or revert makes the commit from commits that others
	// have made.
	replays bool
}

// turnSpan is a turn, or a part of a turn that ended in a step: the changes after step since, up
// to and including the change that made step until.
type turnSpan struct {
	session      id.SessionID
	since, until int
	number       int // of the session's turn; 0 if it is not known
}

// newAuthors prepares the decision for the changes of steps and of what follows them. The open
// sessions among concurrent count as active after the last step.
func (s *ManualCommitStrategy) newAuthors(ctx context.Context, steps []step, concurrent []*open) *authors {
	a := &authors{steps: steps, agentShell: s.AgentShell, replays: s.inSequence(), edits: s.editsOnDemand(ctx, concurrent), hand: s.handsOnDemand(ctx, concurrent), calls: s.callsOnDemand(ctx, concurrent)}
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
		if st.info.Kind != checkpoint.StepAgent && st.info.Kind != checkpoint.StepTask {
			continue
		}
		since := i - 1
		if !st.info.Since.IsZero() {
			since = min(since, index(st.info.Since))
		}
		a.turns = append(a.turns, turnSpan{st.info.Session, since, i, st.info.Turn})
	}
	for _, o := range concurrent {
		if o.state.Phase != session.PhaseActive || !o.side.Turn.Seen {
			continue
		}
		a.turns = append(a.turns, turnSpan{o.id, index(o.side.Turn.Step), len(steps), o.side.Turns})
		a.now = append(a.now, s.atWork(o))
	}
	return a
}

// atWork returns the work of a session in the middle of a turn, from the part of its transcript
// that was read and from the part that no event has read yet.
func (s *ManualCommitStrategy) atWork(o *open) work {
	w := work{session: o.id.String(), active: true}
	s.witness(o, &w)
	edited := map[string]bool{}
	for p := range w.edited {
		edited[p] = true
	}
	w.beside = o.side.Turn.Told && o.side.inBackground()
	if o.side.inForeground() {
		w.reach = w.reach.with(effects.Unknown().Files...)
	}
	if t := o.side.Capture.Talk; t != nil {
		for _, p := range s.ownEdits(o) {
			edited[p] = true
		}
		w.evidence = w.evidence || len(t.OpenCalls) > 0
	}
	w.edited, w.evidence = edited, w.evidence || len(edited) > 0
	return w
}

// editsOnDemand returns a function that reads a session's edited paths when they are first
// needed. Most commits do not need them.
func (s *ManualCommitStrategy) editsOnDemand(ctx context.Context, concurrent []*open) func(id.SessionID) map[string]bool {
	known := map[id.SessionID]map[string]bool{}
	return func(sid id.SessionID) map[string]bool {
		if paths, ok := known[sid]; ok {
			return paths
		}
		o := &open{id: sid}
		for _, other := range concurrent {
			if other.id == sid {
				o = other
			}
		}
		if o.state == nil {
			if err := s.readSession(ctx, o); err != nil {
				s.Log.Debug("session not read for attribution", "session_id", sid.String(), "err", err)
			}
		}
		paths := map[string]bool{}
		if t := o.side.Capture.Talk; t != nil {
			for _, p := range t.EditsSince(agent.Mark{}) {
				if rel, ok := s.relative(p); ok {
					paths[rel] = true
				}
			}
		}
		if o.state != nil && o.state.Phase == session.PhaseActive { // the part that no event has read yet
			var w work
			s.witness(o, &w)
			maps.Copy(paths, w.edited)
		}
		known[sid] = paths
		return paths
	}
}

// of returns the owner of the i-th change of a path, with its turn: the change that made step i
// or, after the last step, the commit. An unknown owner carries i+1 as its turn, which tellApart
// needs.
func (a *authors) of(i int, path string) attribution.Owner {
	by := a.maker(i, path)
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

// maker returns the owner of the i-th change of a path, without its turn.
func (a *authors) maker(i int, path string) attribution.Owner {
	unknown := attribution.Owner{Class: attribution.Unknown}
	if i == len(a.steps) {
		return a.ofCommit(path)
	}
	busy := a.spans(i)
	switch info := a.steps[i].info; {
	case info.Kind == checkpoint.StepHuman && len(busy) == 0:
		return attribution.Owner{Class: attribution.Person}
	case info.Kind != checkpoint.StepAgent && info.Kind != checkpoint.StepTask, info.Why == checkpoint.WhyInterrupted:
		// A person may have changed the file, too, and no event tells when an interrupted turn ended.
		return unknown
	case len(busy) == 1:
		t := busy[0]
		if h := a.hand(t.session, t.number); h.cannot(path) {
			return attribution.Owner{Class: attribution.Person} // the agent cannot have written the file
		}
		return agentOwner(t.session.String())
	}
	return onlyHand(busy, func(t turnSpan) (did, may bool) {
		h := a.hand(t.session, t.number)
		return h.reach.wrote(path) || h.edited[path], !h.cannot(path)
	})
}

// spans returns the turns in which the i-th change was made, one for each session.
func (a *authors) spans(i int) []turnSpan {
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

// during returns the sessions in whose turns the i-th change was made.
func (a *authors) during(i int) []id.SessionID {
	var out []id.SessionID
	for _, t := range a.spans(i) {
		out = append(out, t.session)
	}
	return out
}

// ofCommit returns who changed a file between the last step and the commit, by what the calls of
// the open turns may have written. A terminal proves nothing about lines. The end of an
// interrupted turn is not known, so a command's file is certain only if a call that may make the
// commit is open, or subagents are known to be active.
func (a *authors) ofCommit(path string) attribution.Owner {
	var did, may []string
	for _, w := range a.now {
		if (w.commits || w.beside) && w.reach.wrote(path) {
			did = append(did, w.session)
		}
		if w.edited[path] || w.took || w.reach.may(path) || !w.heard {
			may = append(may, w.session)
		}
	}
	switch {
	case !a.replays && len(did) == 1 && slices.Equal(did, may):
		return agentOwner(did[0])
	case a.replays, len(may) > 0: // one of them or a person: the calls decide line by line
		return attribution.Owner{Class: attribution.Unknown}
	case a.agentShell && len(a.now) == 1 && !a.now[0].evidence: // the agent commits work that its transcript does not show yet
		return agentOwner(a.now[0].session)
	case a.agentShell && len(a.now) > 0:
		return attribution.Owner{Class: attribution.Unknown}
	}
	return attribution.Owner{Class: attribution.Person}
}

// onlyHand returns the one session that made the change, if no other session may have made it;
// otherwise the owner is unknown. judge says of a turn whether its session did make the change,
// and whether it may have.
func onlyHand(turns []turnSpan, judge func(turnSpan) (did, may bool)) attribution.Owner {
	unknown := attribution.Owner{Class: attribution.Unknown}
	owner, able := unknown, 0
	for _, t := range turns {
		did, may := judge(t)
		if did {
			owner = agentOwner(t.session.String())
		}
		if may {
			able++
		}
	}
	if able > 1 {
		return unknown
	}
	return owner
}

// onlyEditor returns the one session of which did is true, none if there is no such session, and
// unknown if there are several.
func onlyEditor(sessions []id.SessionID, did func(id.SessionID) bool, none attribution.Owner) attribution.Owner {
	owner := none
	for _, sid := range sessions {
		switch {
		case !did(sid):
		case owner == none:
			owner = agentOwner(sid.String())
		default:
			return attribution.Owner{Class: attribution.Unknown}
		}
	}
	return owner
}
