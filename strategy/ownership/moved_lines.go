package ownership

import (
	"context"
	"iter"
	"maps"
	"slices"

	"entire/id"
	"entire/internal/attribution"
	"entire/session"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// leftOutMax bounds the files left out of a commit that are searched for moved lines.
const leftOutMax = 100

// noteLeftOut records a file that the commit leaves out, with its text at the newest step and the owners
// in at.lines.
func (at *attributionBuffers) noteLeftOut(path string, text []byte) {
	if len(at.leftOut) < leftOutMax {
		at.leftOut = append(at.leftOut, lostLines{path, attribution.DistinctiveLines(text, at.lines)})
	}
}

// lostLine is a line that a file no longer has, and its owner.
type lostLine struct {
	path  string
	owner attribution.Owner
}

// lostLines holds the lines that a file no longer has.
type lostLines struct {
	path  string
	lines []attribution.DroppedLine
}

// markUnknownMoved marks as unknown the lines that have another owner in another file, which lost them
// since the last checkpoint. Nothing shows whether they were moved or written a second time.
func markUnknownMoved(s *sessionstate.Env, files map[string]attributedFile, left, lost []lostLines) {
	out := map[string]bool{}
	for _, f := range left {
		if _, twice := files[f.path]; !twice {
			out[f.path] = true
			lost = append(lost, f)
		}
	}
	from := map[attribution.Print][]lostLine{} // lines that files lost
	for path, f := range files {
		lost = append(lost, lostLines{path, f.lost})
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
			present[path] = worktreeLines(s, path)
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

// markUnknownOthers marks as unknown those lines of a person that an unlinked session wrote in its own
// steps. Those steps are on another base than the steps of the linked sessions, so the file
// histories do not include them.
func markUnknownOthers(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, linked []*sessionstate.LockedSession, files map[string]attributedFile) error {
	b := newUnlinkedLines(ctx, s)
	touches := func(p string) bool { _, ok := files[sessionstate.DecodePath(p)]; return ok }
	for _, sum := range cm.Sessions {
		if slices.ContainsFunc(linked, func(o *sessionstate.LockedSession) bool { return o.ID == sum.ID }) || !sum.Touches(touches) {
			continue
		}
		base, err := worktree.ParseOptional([]byte(sum.BaseCommit))
		if err != nil {
			continue
		}
		steps, err := step.BranchStepsFrom(ctx, s, worktree.ShadowRef(s, base), func(step.Step) bool { return false })
		if err != nil {
			return err
		}
		if err := b.addSteps(ctx, steps); err != nil {
			return err
		}
	}
	if len(b.byPrint) == 0 {
		return nil
	}
	for path, f := range files {
		for i := range f.personLines() {
			if slices.ContainsFunc(b.byPrint[f.prints[i]], func(from lineSource) bool { return from.path == path && !from.carried }) {
				f.Lines[i].Owner = attribution.Owner{Class: attribution.Unknown}
			}
		}
	}
	return nil
}

// personLines yields the indexes of new lines owned by a person that are distinctive enough to be
// recognised.
func (f attributedFile) personLines() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, l := range f.Lines {
			if l.Added && !l.Moved && l.Owner.Class == attribution.Person && f.strong[i] && !yield(i) {
				return
			}
		}
	}
}

// hasAgentLine reports whether an agent owns a line with this print anywhere in the file.
func (f attributedFile) hasAgentLine(p attribution.Print) bool {
	for i, l := range f.Lines {
		if l.Added && l.Owner.Class == attribution.Agent && f.prints[i] == p {
			return true
		}
	}
	return false
}

// markUnknownCalled marks as unknown those lines of a person that a session's calls wrote: into another
// file that no longer has them, maybe without a step in between, or into this file in a turn that
// no hook could report, e.g. on a full disk. It asks the open sessions and all others in mid-turn.
func markUnknownCalled(ctx context.Context, s *sessionstate.Env, open []*sessionstate.LockedSession, sums []session.Summary, files map[string]attributedFile) {
	type place struct {
		path string
		at   int
	}
	people := map[attribution.Print][]place{}
	for path, f := range files {
		for i := range f.personLines() {
			people[f.prints[i]] = append(people[f.prints[i]], place{path, i})
		}
	}
	if len(people) == 0 {
		return
	}
	present := map[string]map[attribution.Print]bool{}
	lacks := func(path string, p attribution.Print) bool {
		if present[path] == nil {
			present[path] = worktreeLines(s, path)
		}
		return !present[path][p]
	}
	calls := activeCalls(ctx, s, sums, open)
	for _, o := range open {
		calls[o.ID] = append(calls[o.ID], o.Engine.Capture.Calls...)
	}
	for _, calls := range calls {
		for _, call := range calls {
			from, ok := transcript.RepoPath(s, call.Path)
			for _, p := range call.Lines {
				for _, l := range people[p] {
					if ok && (l.path != from && lacks(from, p) || l.path == from && call.Exact && !files[from].hasAgentLine(p)) {
						files[l.path].Lines[l.at].Owner = attribution.Owner{Class: attribution.Unknown}
					}
				}
			}
		}
	}
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
	from := map[attribution.Print][]string{} // the files that lost a line
	paths := slices.Sorted(maps.Keys(files))
	for _, path := range paths {
		for _, p := range files[path].gone {
			if list := from[p]; len(list) == 0 || list[len(list)-1] != path {
				from[p] = append(list, path)
			}
		}
	}
	if len(from) == 0 {
		return
	}
	for _, path := range paths {
		f := files[path]
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
