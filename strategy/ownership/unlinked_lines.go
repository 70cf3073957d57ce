package ownership

import (
	"context"
	"slices"
	"time"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/editcalls"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

const (
	// unlinkedLinesTime bounds how long an unlinked commit is searched for agents' lines; later lines are
	// not searched.
	unlinkedLinesTime = 150 * time.Millisecond
	// unlinkedLinesMax bounds the lines that a session remembers.
	unlinkedLinesMax = 4000
)

// NoteUnlinkedLines remembers lines of an unlinked commit that agents wrote in the steps on base, so
// that their owner is unknown. A line counts if the agent wrote it in the same file and it was
// thrown away (an editor's undo has brought it back), or if the agent wrote it in another file
// that no longer has it. Calls of open turns count as written in another file.
func NoteUnlinkedLines(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, base git.OID, sums []session.Summary) error {
	steps, err := step.BranchStepsFrom(ctx, s, worktree.ShadowRef(s, base), func(step.Step) bool { return false })
	if err != nil {
		return err
	}
	b := newUnlinkedLines(ctx, s)
	if err := b.addSteps(ctx, steps); err != nil {
		return err
	}
	b.addCalls(activeCalls(ctx, s, sums, nil))
	if len(b.byPrint) == 0 {
		return nil
	}
	found := map[id.SessionID]attribution.Prints{}
	for _, c := range cm.Changes {
		if !step.IsBlob(c.NewMode) {
			continue
		}
		lines, err := b.added(ctx, c)
		if err != nil {
			return err
		}
		for _, p := range lines {
			for _, l := range b.byPrint[p] {
				if l.path == c.Path && !l.uncertain || l.path != c.Path && !b.worktree.has(s, l.path, p) {
					found[l.session] = append(found[l.session], p)
					break
				}
			}
		}
	}
	for sid, lines := range found {
		if err := addUnlinkedLines(ctx, s, sid, lines); err != nil {
			return err
		}
	}
	return nil
}

// addUnlinkedLines adds lines to a session's unlinked lines, of which the latest are kept. A session
// that is gone is no error.
func addUnlinkedLines(ctx context.Context, s *sessionstate.Env, sid id.SessionID, lines attribution.Prints) error {
	o, err := s.OpenSession(ctx, sid)
	if err != nil {
		return err
	}
	defer o.Close()
	if o.IsNew { // the session was removed in between
		return nil
	}
	known := map[attribution.Print]bool{}
	for _, p := range o.Engine.UnlinkedLines {
		known[p] = true
	}
	if !slices.ContainsFunc(lines, func(p attribution.Print) bool { return !known[p] }) {
		return nil
	}
	rememberUnlinked(o, lines)
	return s.SaveSession(ctx, o)
}

// rememberUnlinked adds lines to those that the session remembers, the latest first.
func rememberUnlinked(o *sessionstate.LockedSession, lines attribution.Prints) {
	known := attribution.Union(lines, o.Engine.UnlinkedLines)
	o.Engine.UnlinkedLines = known[:min(len(known), unlinkedLinesMax)]
}

// unlinkedLines searches a commit for agents' lines.
type unlinkedLines struct {
	s        *sessionstate.Env
	timeUp   func() bool
	byPrint  map[attribution.Print][]lineSource
	worktree worktreeLines
	activity func(id.SessionID, int) transcript.TurnActivity
	calls    func(id.SessionID, string) editcalls.Index
	sessions []id.SessionID // of the steps
}

// newUnlinkedLines begins a search; its time limit runs from now on.
func newUnlinkedLines(ctx context.Context, s *sessionstate.Env) *unlinkedLines {
	return &unlinkedLines{s: s, timeUp: evidence.DeadlineIn(s, unlinkedLinesTime), byPrint: map[attribution.Print][]lineSource{}, worktree: worktreeLines{}, activity: lazyActivity(ctx, s, nil), calls: transcript.LazyCalls(ctx, s, nil)}
}

// lineSource is where a session wrote a line.
type lineSource struct {
	session id.SessionID
	path    string
	// uncertain is true if the line comes from a call that no step shows yet, or from a step that may
	// hold a person's lines: it carries a remainder forward, or ends a turn without a call for the
	// file. Such a line counts for other files only.
	uncertain bool
}

// addSteps adds the lines that agents' steps have added, from the newest step on, until the time is
// over.
func (b *unlinkedLines) addSteps(ctx context.Context, steps []step.Step) error {
	seen := map[[2]git.OID]bool{}
	for _, st := range steps {
		if !slices.Contains(b.sessions, st.Info.Session) {
			b.sessions = append(b.sessions, st.Info.Session)
		}
	}
	for _, st := range slices.Backward(steps) {
		if b.timeUp() {
			break
		}
		carried := st.Info.Kind == shadow.StepCarryForward
		if !step.IsListed(st) && !carried {
			continue
		}
		changes, err := evidence.StepChanges(ctx, b.s, st)
		if err != nil {
			return err
		}
		for _, c := range changes {
			pair := [2]git.OID{c.Old, c.New}
			if !step.IsBlob(c.NewMode) || seen[pair] {
				continue
			}
			seen[pair] = true
			did := b.activity(st.Info.Session, st.Info.Turn)
			may := carried || !did.CannotHaveWritten(c.Path)
			if !may && len(b.sessions) == 1 {
				continue // a person's change
			}
			lines, err := b.added(ctx, c)
			if err != nil {
				return err
			}
			for _, p := range lines {
				from := lineSource{st.Info.Session, c.Path, carried || did.NotInTurn(c.Path)}
				if other, called := b.caller(from, p); called {
					from = lineSource{other, c.Path, false}
				} else if !may {
					continue
				}
				if !slices.Contains(b.byPrint[p], from) {
					b.byPrint[p] = append(b.byPrint[p], from)
				}
			}
		}
	}
	return nil
}

// caller returns the session, other than the step's, whose calls wrote a line that the step shows: it was at work in that
// turn, too.
func (b *unlinkedLines) caller(from lineSource, p attribution.Print) (id.SessionID, bool) {
	if len(b.sessions) == 1 || len(b.calls(from.session, from.path).ByPrint[p]) > 0 {
		return from.session, false
	}
	for _, sid := range b.sessions {
		if sid != from.session && len(b.calls(sid, from.path).ByPrint[p]) > 0 {
			return sid, true
		}
	}
	return from.session, false
}

// addCalls adds the lines of calls that no step shows yet.
func (b *unlinkedLines) addCalls(calls map[id.SessionID][]sessionstate.EditCall) {
	for sid, calls := range calls {
		for _, call := range calls {
			path, ok := transcript.RepoPath(b.s, call.Path)
			if !ok || b.timeUp() {
				continue
			}
			for _, p := range call.Lines {
				b.byPrint[p] = append(b.byPrint[p], lineSource{sid, path, true})
			}
		}
	}
}

// added returns the distinctive lines that the new version of a file has and the old one lacks;
// none if the time is over.
func (b *unlinkedLines) added(ctx context.Context, c git.Change) (out attribution.Prints, err error) {
	if b.timeUp() {
		return nil, nil
	}
	was, is := step.BlobOf(c.OldMode, c.Old), c.New
	texts, err := transcript.BlobTexts(ctx, b.s, []git.OID{was, is})
	if err != nil || !attribution.Countable(texts[is]) {
		return nil, err
	}
	had := attribution.PrintSet(texts[was]) // a line that was only indented is not new
	for _, p := range attribution.DistinctivePrints(texts[is]) {
		if !had[p] {
			out = append(out, p)
		}
	}
	return out, nil
}

// worktreeLines holds the lines of files in the worktree, as far as they were asked for.
type worktreeLines map[string]map[attribution.Print]bool

// has reports whether the worktree's file has a line. A file that cannot be read has none.
func (w worktreeLines) has(s *sessionstate.Env, path string, p attribution.Print) bool {
	lines, known := w[path]
	if !known {
		if wt, err := s.Repo.OpenWorktree(); err == nil {
			defer wt.Close()
			if text, _, err := wt.Read(path); err == nil {
				lines = attribution.PrintSet(text)
			}
		}
		w[path] = lines
	}
	return lines[p]
}
