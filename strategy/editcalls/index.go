package editcalls

import (
	"maps"
	"slices"

	"entire/internal/attribution"
	"entire/strategy/sessionstate"
)

// Calls are a session's edit calls by the path that each wrote to, oldest first.
type Calls struct {
	session string
	byPath  map[string][]sessionstate.EditCall
	all     []sessionstate.EditCall
}

// Of returns a session's calls. place tells the path in the repository of a file that an agent named; calls that wrote
// elsewhere are found only among all.
func Of(session string, calls []sessionstate.EditCall, place func(named string) (string, bool)) Calls {
	out := Calls{session: session, byPath: map[string][]sessionstate.EditCall{}, all: calls}
	for _, call := range calls {
		if rel, ok := place(call.Path); ok {
			out.byPath[rel] = append(out.byPath[rel], call)
		}
	}
	return out
}

// To returns the calls that wrote to a path, which the caller may change.
func (c Calls) To(path string) []sessionstate.EditCall { return c.byPath[path] }

// Index finds the calls that wrote a line of a file.
type Index struct {
	Session string
	ByPrint map[attribution.Print][]sessionstate.EditCall // the calls for one path, oldest first
	Turns   []int                                         // turns of all these calls
}

// Index indexes the calls that wrote to a path, or all calls for "".
func (c Calls) Index(path string) Index {
	calls := c.byPath[path]
	if path == "" {
		calls = c.all
	}
	if len(calls) == 0 {
		return Index{Session: c.session}
	}
	ix := Index{Session: c.session, ByPrint: make(map[attribution.Print][]sessionstate.EditCall, len(calls[0].Lines))}
	for i, call := range calls {
		ix.Turns = append(ix.Turns, call.Turn)
		for _, p := range call.Lines {
			if had := ix.ByPrint[p]; len(had) == 0 {
				ix.ByPrint[p] = calls[i : i+1 : i+1]
			} else if last := had[len(had)-1]; last.ID != call.ID || last.Turn != call.Turn {
				ix.ByPrint[p] = append(had, call)
			}
		}
	}
	return ix
}

// With returns the index with the calls of another one, for a file that had another name.
func (ix Index) With(other Index) Index {
	if len(other.Turns) == 0 {
		return ix
	}
	both := Index{Session: ix.Session, ByPrint: maps.Clone(other.ByPrint), Turns: slices.Concat(other.Turns, ix.Turns)}
	for p, calls := range ix.ByPrint {
		both.ByPrint[p] = slices.Concat(both.ByPrint[p], calls)
	}
	return both
}

// Wrote reports whether a call of a turn wrote a line.
func (ix Index) Wrote(p attribution.Print, turn int) bool {
	return slices.ContainsFunc(ix.ByPrint[p], func(c sessionstate.EditCall) bool { return c.Turn == turn })
}

// RefineOwner adds to the owner of a line the first call that wrote it in the owner's turn, and the
// call's model. If the turn is not known, the first call in any turn is taken, and its turn too
// if all calls that wrote the line were made in one turn.
func (ix Index) RefineOwner(o attribution.RecordOwner, p attribution.Print) attribution.RecordOwner {
	calls := ix.ByPrint[p]
	for _, c := range calls {
		if c.Turn == o.Turn || o.Turn == 0 {
			if o.ToolUseID = c.ID; c.Model != "" {
				o.Model = c.Model
			}
			break
		}
	}
	if o.Turn == 0 && len(calls) > 0 && !slices.ContainsFunc(calls, func(c sessionstate.EditCall) bool { return c.Turn != calls[0].Turn }) {
		o.Turn = calls[0].Turn
	}
	return o
}

// RefineLines adds to each line of an agent the call that wrote it.
func RefineLines(lines []attribution.RecordLine, prints attribution.Prints, indexes []Index) {
	for i := range lines {
		l := &lines[i]
		if !l.Added || l.Moved || l.Owner.Class != attribution.ClassAgent {
			continue
		}
		for _, ix := range indexes {
			if ix.Session == l.Owner.SessionID {
				l.Owner = ix.RefineOwner(l.Owner, prints[i])
			}
		}
	}
}
