package strategy

import (
	"context"
	"iter"
	"slices"

	"entire/id"
	"entire/internal/attribution"
	"entire/session"
)

// leftMax bounds the files that a commit leaves out in which lines are looked for.
const leftMax = 100

// leave notes a file that a commit leaves out, as it was at the newest step, with lines
// that are in at.lines.
func (at *folding) leave(path string, text []byte) {
	if len(at.left) < leftMax {
		at.left = append(at.left, lostOf{path, attribution.Held(text, at.lines)})
	}
}

// lostLine is a line that a file had and has no longer, and whose it was.
type lostLine struct {
	path  string
	owner attribution.Owner
}

// lostOf are a file's lost lines.
type lostOf struct {
	path  string
	lines []attribution.Lost
}

// leaveMoved leaves lines to nobody that somebody else wrote in another file since the
// last checkpoint, and that this has no longer: whether they were moved or are written
// anew, too, nothing tells.
func (s *ManualCommitStrategy) leaveMoved(files map[string]foldedFile, left, lost []lostOf) {
	out := map[string]bool{}
	for _, f := range left {
		if _, twice := files[f.path]; !twice {
			out[f.path] = true
			lost = append(lost, f)
		}
	}
	from := map[attribution.Print][]lostLine{} // what files lost
	for path, f := range files {
		lost = append(lost, lostOf{path, f.lost})
	}
	for _, f := range lost {
		for _, l := range f.lines {
			from[l.Print] = append(from[l.Print], lostLine{f.path, l.Owner})
		}
	}
	if len(from) == 0 {
		return
	}
	here := map[string]map[attribution.Print]bool{}
	lacks := func(path string, p attribution.Print) bool {
		if !out[path] {
			return true
		}
		if here[path] == nil {
			here[path] = s.linesHere(path)
		}
		return !here[path][p]
	}
	for path, f := range files {
		for i, l := range f.Lines {
			if !l.Added || l.Moved || l.Owner.Class != attribution.Person && l.Owner.Class != attribution.Agent || !f.strong[i] {
				continue
			}
			for _, was := range from[f.prints[i]] {
				if was.path != path && !was.owner.Is(l.Owner) && lacks(was.path, f.prints[i]) {
					f.Lines[i].Owner = attribution.Owner{Class: attribution.Unknown}
					break
				}
			}
		}
	}
}

// leaveOthers leaves lines of a person's to nobody that another session wrote in its
// steps, which are on another commit than those of the linked sessions and so not among
// what was followed.
func (s *ManualCommitStrategy) leaveOthers(ctx context.Context, cm madeCommit, linked []*open, files map[string]foldedFile) error {
	b := s.newBorrowed(ctx)
	touches := func(p string) bool { _, ok := files[textPath(p)]; return ok }
	for _, sum := range cm.sums {
		if slices.ContainsFunc(linked, func(o *open) bool { return o.id == sum.ID }) || !sum.Touches(touches) {
			continue
		}
		base, err := parseOptional([]byte(sum.BaseCommit))
		if err != nil {
			continue
		}
		steps, err := s.stepsDownTo(ctx, s.shadowRef(base), func(step) bool { return false })
		if err != nil {
			return err
		}
		if err := b.learn(ctx, steps); err != nil {
			return err
		}
	}
	if len(b.by) == 0 {
		return nil
	}
	for path, f := range files {
		for i := range f.people() {
			if slices.ContainsFunc(b.by[f.prints[i]], func(from stepLine) bool { return from.path == path && !from.carried }) {
				f.Lines[i].Owner = attribution.Owner{Class: attribution.Unknown}
			}
		}
	}
	return nil
}

// people are the new lines of a person's that say enough to be known again.
func (f foldedFile) people() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, l := range f.Lines {
			if l.Added && !l.Moved && l.Owner.Class == attribution.Person && f.strong[i] && !yield(i) {
				return
			}
		}
	}
}

// byAgent reports that an agent has a line, wherever it stands.
func (f foldedFile) byAgent(p attribution.Print) bool {
	for i, l := range f.Lines {
		if l.Added && l.Owner.Class == attribution.Agent && f.prints[i] == p {
			return true
		}
	}
	return false
}

// leaveCalled leaves lines of a person's to nobody that a session's calls wrote: into
// another file which has them no longer, where no step may have seen them, or into this
// one in a turn of which no hook could tell, on a full disk for one. Asked are the sessions
// that are open, and the others in mid-turn.
func (s *ManualCommitStrategy) leaveCalled(ctx context.Context, open []*open, sums []session.Summary, files map[string]foldedFile) {
	type place struct {
		path string
		at   int
	}
	people := map[attribution.Print][]place{}
	for path, f := range files {
		for i := range f.people() {
			people[f.prints[i]] = append(people[f.prints[i]], place{path, i})
		}
	}
	if len(people) == 0 {
		return
	}
	here := map[string]map[attribution.Print]bool{}
	lacks := func(path string, p attribution.Print) bool {
		if here[path] == nil {
			here[path] = s.linesHere(path)
		}
		return !here[path][p]
	}
	calls := s.callsUnderWay(ctx, sums, open)
	for _, o := range open {
		calls[o.id] = append(calls[o.id], o.side.Capture.Calls...)
	}
	for _, calls := range calls {
		for _, call := range calls {
			from, ok := s.relative(call.Path)
			for _, p := range call.Lines {
				for _, l := range people[p] {
					if ok && (l.path != from && lacks(from, p) || l.path == from && call.Sure && !files[from].byAgent(p)) {
						files[l.path].Lines[l.at].Owner = attribution.Owner{Class: attribution.Unknown}
					}
				}
			}
		}
	}
}

// callsUnderWay are the calls of sessions in mid-turn: those that no event has read yet,
// and, of sessions that are not open, all the others.
func (s *ManualCommitStrategy) callsUnderWay(ctx context.Context, sums []session.Summary, opened []*open) map[id.SessionID][]editCall {
	out := map[id.SessionID][]editCall{}
	for _, sum := range sums {
		if sum.Phase != session.PhaseActive {
			continue
		}
		if i := slices.IndexFunc(opened, func(o *open) bool { return o.id == sum.ID }); i >= 0 {
			out[sum.ID] = unreadCalls(opened[i])
			continue
		}
		o := &open{id: sum.ID}
		if err := s.readSession(ctx, o); err != nil || o.isNew {
			continue
		}
		out[sum.ID] = append(unreadCalls(o), o.side.Capture.Calls...)
	}
	return out
}
