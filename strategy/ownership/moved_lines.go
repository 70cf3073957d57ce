package ownership

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// leftOutMax bounds the files left out of a commit that are searched for moved lines.
const leftOutMax = 100

// lostLine is a line that a file no longer has.
type lostLine struct {
	attribution.DroppedLine
	path string
	when interval // in which it was written
	gone interval // in which the file lost it; anyTime if that is not known
	plan *historyPlan
}

// writer returns who wrote the line, as the calls of the turns tell it.
func (l lostLine) writer() attribution.Owner {
	lines := []attribution.Line{{Owner: l.Owner}}
	l.plan.authors.splitAuthors(l.plan.chain.names(), l.Text, lines)
	return lines[0].Owner
}

// addMovedBetween claims the lines that another file lost since the last checkpoint, also a file that the commit
// leaves out, for their owner there: they were moved.
func (c *claims) addMovedBetween(left, lost []lostLine) {
	out := map[string]bool{} // files that the commit leaves out: the worktree says what they lost
	for _, l := range left {
		if _, twice := c.files[l.path]; !twice {
			out[l.path] = true
			lost = append(lost, l)
		}
	}
	for _, f := range c.files {
		lost = append(lost, f.lost...)
	}
	from := map[attribution.Print][]lostLine{}
	for _, l := range lost {
		from[l.Print] = append(from[l.Print], l)
	}
	texts := map[attribution.Print][]*lostText{}
	for path, f := range c.files {
		for i, l := range f.Lines {
			p := f.prints[i]
			if !l.Added || l.Moved || l.Owner.Class == attribution.Before || !f.strong[i] || len(from[p]) == 0 {
				continue
			}
			same, known := texts[p]
			if !known {
				same = c.joinLost(from[p], out)
				texts[p] = same
			}
			for _, t := range same {
				if others, gone := t.without(path); others > 0 {
					moved := !c.several && t.once && t.gone == f.written[i] && c.isOnly(path, i)
					k := t.claim
					k.alone = gone > 0 || moved
					c.add(path, i, k)
				}
			}
		}
	}
}

// lostText is a text that files lost, as one owner wrote it at one time.
type lostText struct {
	claim
	gone    interval        // as in lostLine
	once    bool            // no other line like it was lost
	files   map[string]bool // the files that lost it; true for a file that the worktree has no more
	missing int             // how many of the files the worktree has no more
}

// without returns how many other files than path lost the text, and how many of them the worktree has no more.
func (t *lostText) without(path string) (files, missing int) {
	files, missing = len(t.files), t.missing
	if gone, has := t.files[path]; has {
		files--
		if gone {
			missing--
		}
	}
	return files, missing
}

// joinLost joins what is known of lost lines with the same text. A line that the worktree still has in one of the files out
// was not lost.
func (c *claims) joinLost(lines []lostLine, out map[string]bool) (texts []*lostText) {
	for _, l := range lines {
		if out[l.path] && c.worktree.has(c.s, l.path, l.Print) {
			continue
		}
		k := claim{owner: l.writer(), when: l.when, older: l.Version == 0}
		i := slices.IndexFunc(texts, func(t *lostText) bool { return t.claim == k && t.gone == l.gone })
		if i < 0 {
			i = len(texts)
			texts = append(texts, &lostText{claim: k, gone: l.gone, once: len(lines) == 1, files: map[string]bool{}})
		}
		t := texts[i]
		if _, known := t.files[l.path]; !known {
			t.files[l.path] = c.isGone(l.path)
			if t.files[l.path] {
				t.missing++
			}
		}
	}
	return texts
}

// addOthers claims those lines of a person that an unlinked session wrote in its own steps. Those steps are on
// another base than the steps of the linked sessions, so the file histories do not include them.
func (c *claims) addOthers(ctx context.Context, cm githead.MadeCommit, linked []*sessionstate.LockedSession) error {
	b := newUnlinkedLines(ctx, c.s)
	touches := func(p string) bool { _, ok := c.files[sessionstate.DecodePath(p)]; return ok }
	for _, sum := range cm.Sessions {
		if slices.ContainsFunc(linked, func(o *sessionstate.LockedSession) bool { return o.ID == sum.ID }) || !sum.Touches(touches) {
			continue
		}
		base, err := worktree.ParseOptional([]byte(sum.BaseCommit))
		if err != nil {
			continue
		}
		steps, err := step.BranchStepsFrom(ctx, c.s, worktree.ShadowRef(c.s, base), func(step.Step) bool { return false })
		if err != nil {
			return err
		}
		if err := b.addSteps(ctx, steps); err != nil {
			return err
		}
	}
	for p, list := range b.byPrint {
		for _, from := range list {
			if !from.uncertain {
				c.addBrought(p, from.session, from.path)
			}
		}
	}
	return nil
}

// addCalled claims those lines of a person that a session's calls wrote: into another file that no longer has
// them, maybe without a step in between, or into this file in a turn that no hook could report, e.g. on a full
// disk. It asks the open sessions and all others in mid-turn.
func (c *claims) addCalled(ctx context.Context, open []*sessionstate.LockedSession, sums []session.Summary, authors []*Authors) {
	if len(c.people) == 0 {
		return
	}
	calls := activeCalls(ctx, c.s, sums, open)
	for _, o := range open {
		calls[o.ID] = append(calls[o.ID], o.Engine.Capture.Calls...)
	}
	owned, names := map[string]ownedPrints{}, map[string]string{} // what a file is called now
	for path, f := range c.files {
		for _, former := range f.former {
			names[former] = path
		}
	}
	for sid, calls := range calls {
		for _, call := range calls {
			from, ok := transcript.RepoPath(c.s, call.Path)
			if !ok {
				continue
			}
			k := claim{owner: agentOwner(sid.String()), when: turnInterval(authors, sid, call.Turn)}
			k.owner.Turn = call.Turn
			c.addCall(call, cmp.Or(names[from], from), k, owned)
		}
	}
}

// addCall adds a claim to those lines of a person that a call wrote to the file from.
func (c *claims) addCall(call sessionstate.EditCall, from string, k claim, owned map[string]ownedPrints) {
	wrote := map[attribution.Print]int{} // how often
	for _, p := range call.Lines {
		if len(c.people[p]) > 0 {
			wrote[p]++
		}
	}
	for p, times := range wrote {
		here := call.Exact && !c.writtenTwice(owned, from, k.when, p, times)
		elsewhere := !c.worktree.has(c.s, from, p)
		for _, l := range c.people[p] {
			if l.path == from && here || l.path != from && elsewhere {
				c.addFrom(from, l.path, l.at, k)
			}
		}
	}
}

// ownedPrints are the prints of a file's lines: those that the commit's parent had, and how many new ones are an agent's.
type ownedPrints struct {
	before map[attribution.Print]bool
	agents map[attribution.Print]int
}

// writtenTwice reports whether people wrote a line although an agent's call wrote it so many times to the same file, in
// the turn called: the file had it before that turn, or the agent's lines are all there.
func (c *claims) writtenTwice(owned map[string]ownedPrints, path string, called interval, p attribution.Print, times int) bool {
	f := c.files[path]
	has, known := owned[path]
	if !known {
		has = ownedPrints{attribution.PrintSet(f.parent), map[attribution.Print]int{}}
		for i, l := range f.Lines {
			if l.Added && l.Owner.Class == attribution.Agent {
				has.agents[f.prints[i]]++
			}
		}
		owned[path] = has
	}
	return has.before[p] || has.agents[p] >= times || !c.several && slices.ContainsFunc(c.people[p], func(l place) bool {
		return l.path == path && f.written[l.at].surelyBefore(called)
	})
}

// addConcurrent claims the lines of an agent's that none of its calls wrote, and that another session wrote into a file
// which no longer has them, in a turn at the same time: a command moved them.
func (c *claims) addConcurrent(ctx context.Context, authors []*Authors) {
	if len(authors) == 0 || c.several || !slices.ContainsFunc(authors[0].turns, func(t turnSpan) bool { return t.session != authors[0].turns[0].session }) {
		return
	}
	a := authors[0]
	for path, f := range c.files {
		for i, l := range f.Lines {
			if l.Owner.Class != attribution.Agent || !l.Added || l.Moved || !f.strong[i] || a.called(l.Owner, f.prints[i]) {
				continue
			}
			c.addMovedBy(ctx, a, path, i)
		}
	}
}

// addMovedBy claims a line of a file for each turn whose calls wrote it into another file, which no longer has it.
func (c *claims) addMovedBy(ctx context.Context, a *Authors, path string, line int) {
	written := c.files[path].prints[line]
	for _, t := range a.turns {
		for _, call := range a.calls(t.session, "").ByPrint[written] {
			from, ok := transcript.RepoPath(c.s, call.Path)
			if ok && call.Turn == t.number && from != path && !c.worktree.has(c.s, from, written) && (call.Exact || c.isNewIn(ctx, a, t, from)) {
				by := attribution.Owner{Class: attribution.Agent, Session: t.session.String(), Turn: t.number}
				c.addFrom(from, path, line, claim{owner: by, when: interval{t.since + 1, t.until}})
			}
		}
	}
}

// isNewIn reports whether a file was not there when a turn began: who writes it as a whole repeats nothing.
func (c *claims) isNewIn(ctx context.Context, a *Authors, t turnSpan, path string) bool {
	if len(a.steps) == 0 {
		return false
	}
	var tree git.OID
	if t.since >= 0 {
		tree = a.steps[t.since].Tree
	} else if base, ok, err := c.s.Repo.Reader(ctx).CommitOf(a.steps[0].Info.Base.String()); err == nil && ok {
		tree = base.Tree
	}
	blobs, err := step.BlobsAt(ctx, c.s, []git.OID{tree}, []string{path})
	return err == nil && !tree.IsZero() && blobs[0][0].IsZero()
}

// activeCalls returns the calls of sessions in mid-turn: those that no event has read yet and,
// for sessions that are not open, also the others.
func activeCalls(ctx context.Context, s *sessionstate.Env, sums []session.Summary, opened []*sessionstate.LockedSession) map[id.SessionID][]sessionstate.EditCall {
	out := map[id.SessionID][]sessionstate.EditCall{}
	for _, sum := range sums {
		if sum.Phase != session.PhaseActive {
			continue
		}
		if i := slices.IndexFunc(opened, func(o *sessionstate.LockedSession) bool { return o.ID == sum.ID }); i >= 0 {
			out[sum.ID] = transcript.UnreadCalls(opened[i])
			continue
		}
		o := &sessionstate.LockedSession{ID: sum.ID}
		if err := s.ReadSession(ctx, o); err != nil || o.IsNew {
			continue
		}
		out[sum.ID] = append(transcript.UnreadCalls(o), o.Engine.Capture.Calls...)
	}
	return out
}

// markMoved marks the lines that the commit removed from one file and added to another. Such lines
// were not written by whoever moved them: they keep their history, as lines do that move within a
// file.
func markMoved(files map[string]attributedFile) {
	from := removedBy(files)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		files[path].markTaken(from, files)
	}
}

// removedBy returns the files that lost a line, by its print.
func removedBy(files map[string]attributedFile) map[attribution.Print][]string {
	from := map[attribution.Print][]string{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		for _, p := range files[path].gone {
			if list := from[p]; len(list) == 0 || list[len(list)-1] != path {
				from[p] = append(list, path)
			}
		}
	}
	return from
}

// markTaken marks as moved the added lines of a file that other files lost; from lists the files that lost a line, by
// its print.
func (f attributedFile) markTaken(from map[attribution.Print][]string, files map[string]attributedFile) {
	if len(from) == 0 {
		return
	}
	var at []int // lines that may come from another file
	sources := map[string]bool{}
	for i, l := range f.Lines {
		if !l.Added || l.Moved {
			continue
		}
		at = append(at, i)
		for _, source := range from[f.prints[i]] {
			sources[source] = sources[source] || f.strong[i]
		}
	}
	for _, source := range slices.Sorted(maps.Keys(sources)) {
		if sources[source] {
			at = f.markTakenFrom(files[source].gone, at)
		}
	}
}

// markTakenFrom marks those of the lines at the indexes at that the other file lost, and returns the
// indexes of the others.
func (f attributedFile) markTakenFrom(gone attribution.Prints, at []int) []int {
	now, strong := make(attribution.Prints, len(at)), make([]bool, len(at))
	for k, i := range at {
		now[k], strong[k] = f.prints[i], f.strong[i]
	}
	var rest []int
	for k, i := range attribution.Match(gone, now, strong) {
		if i < 0 {
			rest = append(rest, at[k])
			continue
		}
		f.Lines[at[k]].Moved = true
	}
	return rest
}
