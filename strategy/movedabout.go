package strategy

import (
	"context"
	"iter"
	"slices"

	"entire/id"
	"entire/internal/attribution"
	"entire/session"
)

// leftMax bounds the files left out of a commit that are searched for moved lines.
const leftMax = 100

// leave records a file that the commit leaves out, with its text at the newest step and the owners
// in at.lines.
func (at *folding) leave(path string, text []byte) {
	if len(at.left) < leftMax {
		at.left = append(at.left, lostOf{path, attribution.Held(text, at.lines)})
	}
}

// lostLine is a line that a file no longer has, and its owner.
type lostLine struct {
	path  string
	owner attribution.Owner
}

// lostOf holds the lines that a file no longer has.
type lostOf struct {
	path  string
	lines []attribution.Lost
}

// leaveMoved marks as unknown the lines that have another owner in another file, which lost them
// since the last checkpoint. Nothing shows whether they were moved or written a second time.
func (s *ManualCommitStrategy) leaveMoved(files map[string]foldedFile, left, lost []lostOf) {
	out := map[string]bool{}
	for _, f := range left {
		if _, twice := files[f.path]; !twice {
			out[f.path] = true
			lost = append(lost, f)
		}
	}
	from := map[attribution.Print][]lostLine{} // lines that files lost
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
	present := map[string]map[attribution.Print]bool{}
	lacks := func(path string, p attribution.Print) bool {
		if !out[path] {
			return true
		}
		if present[path] == nil {
			present[path] = s.linesHere(path)
		}
		return !present[path][p]
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

// leaveOthers marks as unknown those lines of a person that an unlinked session wrote in its own
// steps. Those steps are on another base than the steps of the linked sessions, so the file
// histories do not include them.
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

// people yields the indexes of new lines owned by a person that are distinctive enough to be
// recognised.
func (f foldedFile) people() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, l := range f.Lines {
			if l.Added && !l.Moved && l.Owner.Class == attribution.Person && f.strong[i] && !yield(i) {
				return
			}
		}
	}
}

// byAgent reports whether an agent owns a line with this print anywhere in the file.
func (f foldedFile) byAgent(p attribution.Print) bool {
	for i, l := range f.Lines {
		if l.Added && l.Owner.Class == attribution.Agent && f.prints[i] == p {
			return true
		}
	}
	return false
}

// leaveCalled marks as unknown those lines of a person that a session's calls wrote: into another
// file that no longer has them, maybe without a step in between, or into this file in a turn that
// no hook could report, e.g. on a full disk. It asks the open sessions and all others in mid-turn.
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
	present := map[string]map[attribution.Print]bool{}
	lacks := func(path string, p attribution.Print) bool {
		if present[path] == nil {
			present[path] = s.linesHere(path)
		}
		return !present[path][p]
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

// callsUnderWay returns the calls of sessions in mid-turn: those that no event has read yet and,
// for sessions that are not open, also the others.
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
