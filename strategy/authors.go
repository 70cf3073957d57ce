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

// authors says who made the change from one step to the next, and from the last
// to the commit.
type authors struct {
	steps []step
	turns []turnSpan
	now   []work // sessions whose turn is open as the commit is made
	// edits are the paths that a session's edit tools have named.
	edits func(id.SessionID) map[string]bool
	// hand is what a session is known to have done in a turn.
	hand func(sid id.SessionID, turn int) hand
	// calls are a session's calls that wrote to a path.
	calls func(sid id.SessionID, path string) callIndex
	// agentShell: whoever commits sits in a shell that an agent has opened.
	agentShell bool
	// replays: the commit is made by a rebase, cherry-pick or revert, of what others
	// have committed.
	replays bool
}

// turnSpan is a turn, or a part of it that ended in a step: the changes after
// step since, up to and with the one that made step until.
type turnSpan struct {
	session      id.SessionID
	since, until int
	number       int // of the session's turn; 0 where it is not known
}

func (s *ManualCommitStrategy) newAuthors(ctx context.Context, steps []step, beside []*open) *authors {
	a := &authors{steps: steps, agentShell: s.AgentShell, replays: s.inSequence(), edits: s.editsOnDemand(ctx, beside), hand: s.handsOnDemand(ctx, beside), calls: s.callsOnDemand(ctx, beside)}
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
	for _, o := range beside {
		if o.state.Phase != session.PhaseActive || !o.side.Turn.Seen {
			continue
		}
		a.turns = append(a.turns, turnSpan{o.id, index(o.side.Turn.Step), len(steps), o.side.Turns})
		a.now = append(a.now, s.atWork(o))
	}
	return a
}

// atWork is what a session in mid-turn is seen to do: by what was read of its
// transcript, and by what was not.
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

// editsOnDemand reads a session's edits when they are asked for: most commits
// have no need of them.
func (s *ManualCommitStrategy) editsOnDemand(ctx context.Context, beside []*open) func(id.SessionID) map[string]bool {
	known := map[id.SessionID]map[string]bool{}
	return func(sid id.SessionID) map[string]bool {
		if paths, ok := known[sid]; ok {
			return paths
		}
		o := &open{id: sid}
		for _, other := range beside {
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
		if o.state != nil && o.state.Phase == session.PhaseActive { // what no event has read yet
			var w work
			s.witness(o, &w)
			maps.Copy(paths, w.edited)
		}
		known[sid] = paths
		return paths
	}
}

// of names the maker of the i-th change: that which made step i or, after the
// last step, the commit.
func (a *authors) of(i int, path string) attribution.Owner {
	by := a.maker(i, path)
	for _, t := range a.turns {
		if by.Class == attribution.Agent && t.session.String() == by.Session && t.since < i && i <= t.until {
			by.Turn = t.number
			break
		}
	}
	if by.Class == attribution.Unknown {
		by.Turn = i + 1 // for tellApart
	}
	return by
}

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
		// A person may have had a hand in it, and nobody knows when an interrupted turn was
		// over: what the calls did not write may be a person's.
		return unknown
	case len(busy) == 1:
		t := busy[0]
		if h := a.hand(t.session, t.number); h.cannot(path) {
			return attribution.Owner{Class: attribution.Person} // who sits beside it
		}
		return agentOwner(t.session.String())
	}
	return onlyHand(busy, func(t turnSpan) (did, may bool) {
		h := a.hand(t.session, t.number)
		return h.reach.wrote(path) || h.edited[path], !h.cannot(path)
	})
}

// spans are the turns, one of each session, in which the i-th change was made.
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

// during are the sessions in whose turns the i-th change was made.
func (a *authors) during(i int) []id.SessionID {
	var out []id.SessionID
	for _, t := range a.spans(i) {
		out = append(out, t.session)
	}
	return out
}

// ofCommit is who changed a file between the last step and the commit: by what the calls
// of the open turns may have written. Who sits at which terminal tells nothing of lines.
// Nobody says when an interrupted turn was over: what a command wrote is certain only
// where a call that may make the commit is open, or subagents are known to be at work.
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
	case a.replays, len(may) > 0: // one of them, or a person beside it: its calls tell, line by line
		return attribution.Owner{Class: attribution.Unknown}
	case a.agentShell && len(a.now) == 1 && !a.now[0].evidence: // it commits what it has not told of yet
		return agentOwner(a.now[0].session)
	case a.agentShell && len(a.now) > 0:
		return attribution.Owner{Class: attribution.Unknown}
	}
	return attribution.Owner{Class: attribution.Person}
}

// onlyHand is the one session that did it by all that is known, and that no other one
// may have done; else unknown.
func onlyHand(turns []turnSpan, hand func(turnSpan) (did, may bool)) attribution.Owner {
	unknown := attribution.Owner{Class: attribution.Unknown}
	owner, able := unknown, 0
	for _, t := range turns {
		did, may := hand(t)
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

// onlyEditor is the one session that did it; unknown if there were several, and
// otherwise when there was none.
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
