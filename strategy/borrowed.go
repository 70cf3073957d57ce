package strategy

import (
	"bytes"
	"context"
	"slices"
	"time"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/session"
)

const (
	// borrowedTime bounds how long an unlinked commit is searched for agents' lines; later lines are
	// not searched.
	borrowedTime = 150 * time.Millisecond
	// borrowedMax bounds the lines that a session remembers.
	borrowedMax = 4000
)

// noteBorrowed remembers lines of an unlinked commit that agents wrote in the steps on base, so
// that their owner is unknown. A line counts if the agent wrote it in the same file and it was
// thrown away (an editor's undo has brought it back), or if the agent wrote it in another file
// that no longer has it. Calls of open turns count as written in another file.
func (s *ManualCommitStrategy) noteBorrowed(ctx context.Context, cm madeCommit, base git.OID, sums []session.Summary) error {
	steps, err := s.stepsDownTo(ctx, s.shadowRef(base), func(step) bool { return false })
	if err != nil {
		return err
	}
	b := s.newBorrowed(ctx)
	if err := b.learn(ctx, steps); err != nil {
		return err
	}
	b.hear(s.callsUnderWay(ctx, sums, nil))
	if len(b.by) == 0 {
		return nil
	}
	found := map[id.SessionID]attribution.Prints{}
	for _, c := range cm.changes {
		if !isBlob(c.NewMode) {
			continue
		}
		lines, err := b.added(ctx, c)
		if err != nil {
			return err
		}
		for _, p := range lines {
			for _, l := range b.by[p] {
				if l.path == c.Path && !l.carried || l.path != c.Path && !b.has(l.path, p) {
					found[l.session] = append(found[l.session], p)
					break
				}
			}
		}
	}
	for sid, lines := range found {
		if err := s.noteLines(ctx, sid, lines); err != nil {
			return err
		}
	}
	return nil
}

// noteLines adds lines to a session's unlinked lines, of which the latest are kept. A session
// that is gone is no error.
func (s *ManualCommitStrategy) noteLines(ctx context.Context, sid id.SessionID, lines attribution.Prints) error {
	o, err := s.openSession(ctx, sid)
	if err != nil {
		return err
	}
	defer o.close()
	if o.isNew { // the session was removed in between
		return nil
	}
	if !slices.ContainsFunc(lines, func(p attribution.Print) bool { return !slices.Contains(o.side.Borrowed, p) }) {
		return nil
	}
	known := attribution.Unite(lines, o.side.Borrowed)
	o.side.Borrowed = known[:min(len(known), borrowedMax)]
	return s.save(ctx, o)
}

// borrowed searches a commit for agents' lines.
type borrowed struct {
	s    *ManualCommitStrategy
	late func() bool
	by   map[attribution.Print][]stepLine
	now  map[string]map[attribution.Print]bool // the lines of files in the worktree
	hand func(id.SessionID, int) hand
}

// newBorrowed begins a search; its time limit runs from now on.
func (s *ManualCommitStrategy) newBorrowed(ctx context.Context) *borrowed {
	return &borrowed{s: s, late: s.in(borrowedTime), by: map[attribution.Print][]stepLine{}, now: map[string]map[attribution.Print]bool{}, hand: s.handsOnDemand(ctx, nil)}
}

// stepLine is where a session wrote a line.
type stepLine struct {
	session id.SessionID
	path    string
	// carried is true if the line comes from a step that carries a remainder forward, which may hold
	// a person's lines, or from a call that no step shows yet. It counts for other files only.
	carried bool
}

// learn adds the lines that agents' steps have added, from the newest step on, until the time is
// over.
func (b *borrowed) learn(ctx context.Context, steps []step) error {
	seen := map[[2]git.OID]bool{}
	for _, st := range slices.Backward(steps) {
		if b.late() {
			break
		}
		carried := st.info.Kind == checkpoint.StepCarryForward
		if !listed(st) && !carried {
			continue
		}
		changes, err := b.s.stepChanges(ctx, st)
		if err != nil {
			return err
		}
		for _, c := range changes {
			pair := [2]git.OID{c.Old, c.New}
			if !isBlob(c.NewMode) || seen[pair] {
				continue
			}
			seen[pair] = true
			if !carried && b.hand(st.info.Session, st.info.Turn).cannot(c.Path) {
				continue // a person's change
			}
			lines, err := b.added(ctx, c)
			if err != nil {
				return err
			}
			from := stepLine{st.info.Session, c.Path, carried}
			for _, p := range lines {
				if !slices.Contains(b.by[p], from) {
					b.by[p] = append(b.by[p], from)
				}
			}
		}
	}
	return nil
}

// hear adds the lines of calls that no step shows yet.
func (b *borrowed) hear(calls map[id.SessionID][]editCall) {
	for sid, calls := range calls {
		for _, call := range calls {
			path, ok := b.s.relative(call.Path)
			if !ok || b.late() {
				continue
			}
			for _, p := range call.Lines {
				b.by[p] = append(b.by[p], stepLine{sid, path, true})
			}
		}
	}
}

// added returns the distinctive lines that the new version of a file has and the old one lacks;
// none if the time is over.
func (b *borrowed) added(ctx context.Context, c git.Change) (out attribution.Prints, err error) {
	if b.late() {
		return nil, nil
	}
	was, is := blobOf(c.OldMode, c.Old), c.New
	texts, err := b.s.texts(ctx, []git.OID{was, is})
	if err != nil || !attribution.Countable(texts[is]) {
		return nil, err
	}
	had := map[string]bool{}
	for line := range bytes.Lines(texts[was]) {
		had[string(line)] = true
	}
	var added []byte
	for line := range bytes.Lines(texts[is]) {
		if !had[string(line)] && attribution.Strong(line) {
			added = append(added, line...)
		}
	}
	return attribution.PrintLines(added), nil
}

// has reports whether the worktree's file has a line.
func (b *borrowed) has(path string, p attribution.Print) bool {
	lines, known := b.now[path]
	if !known {
		lines = b.s.linesHere(path)
		b.now[path] = lines
	}
	return lines[p]
}

// linesHere returns the lines of a file in the worktree, none if it cannot be read.
func (s *ManualCommitStrategy) linesHere(path string) map[attribution.Print]bool {
	lines := map[attribution.Print]bool{}
	wt, err := s.repo.OpenWorktree()
	if err != nil {
		return lines
	}
	defer wt.Close()
	text, _, err := wt.Read(path)
	if err != nil {
		return lines
	}
	for _, p := range attribution.PrintLines(text) {
		lines[p] = true
	}
	return lines
}
