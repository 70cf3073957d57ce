package ownership

import (
	"bytes"
	"slices"

	"entire/id"
	"entire/internal/attribution"
	"entire/strategy/editcalls"
	"entire/strategy/sessionstate"
)

// splitAuthors uses the recorded edit calls to find the authors of lines that were changed while
// several sessions were active, or in a turn that was interrupted or made only edit calls: a
// line that no call wrote comes from a person or a tool. The Turn of an unknown owner is the
// number of the change that wrote the line; splitAuthors clears it. names are the file's names, the
// present one first.
func (a *Authors) splitAuthors(names []string, text []byte, lines []attribution.Line) {
	candidates := map[attribution.Owner][]candidate{} // by the owner known before
	i := -1
	var prints []attribution.Print
	var weak []weakLine
	var pieces []int // of the line that the one above is a piece of, too
	for line := range bytes.Lines(text) {
		if i++; i >= len(lines) {
			break
		}
		o := &lines[i].Owner
		by := *o
		switch {
		case by.Class == attribution.Unknown && by.Turn > 0:
			o.Turn = 0
		case by.Class != attribution.Agent || by.Remembered:
			continue
		}
		if lines[i].Moved || a.calls == nil {
			continue
		}
		list, known := candidates[by]
		if !known {
			list = a.candidatesOfLine(by, names)
			candidates[by] = list
		}
		if len(list) == 0 {
			continue
		}
		if of := lines[i].Written; of != 0 && i > 0 && lines[i-1].Written == of {
			pieces = append(pieces, i)
			continue
		}
		if prints == nil {
			prints = make([]attribution.Print, len(lines))
		}
		if prints[i] = lines[i].Written; prints[i] == 0 {
			prints[i] = attribution.PrintLine(line)
		}
		if attribution.Distinctive(line) {
			*o = writerOf(by, list, prints[i])
		} else {
			*o = unknownOwner
			weak = append(weak, weakLine{i, by, len(bytes.Trim(line, "()[]{};, \t\r\n")) == 0})
		}
	}
	a.splitWeakLines(lines, prints, weak, candidates)
	for _, i := range pieces {
		lines[i].Owner = lines[i-1].Owner
	}
}

// weakLine is a line too common to identify its author; known is the owner known before.
type weakLine struct {
	index   int
	known   attribution.Owner
	bracket bool // it has only brackets, commas and semicolons
}

// splitWeakLines assigns weak lines, such as braces. A weak line belongs to the session whose call
// wrote it if no other session can have written one and the change has no more such lines than its calls
// wrote, or if the known lines around it belong to that session. A line of brackets, which a formatter may have
// put there, belongs to the only session that was active if the line above does, and no known line around it is another's.
func (a *Authors) splitWeakLines(lines []attribution.Line, prints []attribution.Print, weak []weakLine, candidates map[attribution.Owner][]candidate) {
	type kind struct {
		by attribution.Owner
		p  attribution.Print
	}
	there := map[kind]int{}
	for _, w := range weak {
		there[kind{w.known, prints[w.index]}]++
	}
	for _, w := range weak {
		p := prints[w.index]
		list := candidates[w.known]
		o := writerOf(w.known, list, p)
		called := o.Class == attribution.Agent
		if !called {
			if !w.bracket || w.index == 0 || len(list) != 1 {
				continue
			}
			if o = lines[w.index-1].Owner; !o.Is(agentOwner(list[0].session.String())) {
				continue
			}
		}
		if called && wroteAll(list, p, there[kind{w.known, p}]) || isSurroundedBy(lines, w.index, o) {
			lines[w.index].Owner = o
		}
	}
}

// wroteAll reports whether the calls of one session wrote a line at least n times, and no other one can have written it.
func wroteAll(list []candidate, p attribution.Print, n int) bool {
	writers := 0
	for _, s := range list {
		wrote := s.count(p)
		if wrote == 0 && s.mayHaveWritten || wrote > 0 && wrote < n {
			return false
		}
		writers += min(wrote, 1)
	}
	return writers == 1
}

// writerOf returns the only candidate whose calls wrote the line; if by already names an agent,
// it returns by.
func writerOf(by attribution.Owner, list []candidate, p attribution.Print) attribution.Owner {
	o := onlyWriter(list, p)
	if o.Class == attribution.Agent && by.Class == attribution.Agent {
		return by
	}
	return o
}

// candidatesOfLine returns the candidates for a line: the sessions active at the change that wrote it,
// or the only active one if its calls are all recorded or it may have imported content. It
// returns nil if the owner is certain or the calls prove nothing.
func (a *Authors) candidatesOfLine(by attribution.Owner, names []string) []candidate {
	path := names[0]
	if by.Class == attribution.Unknown {
		return a.candidatesOfChange(by.Turn-1, names)
	}
	sid, err := id.ParseSessionID(by.Session)
	ours := func(t turnSpan) bool { return t.session == sid && (t.number == by.Turn || by.Turn == 0) }
	if err != nil || !slices.ContainsFunc(a.turns, ours) { // the line comes from an earlier commit, whose record names its owner
		return nil
	}
	h, calls := a.activity(sid, by.Turn), a.callsTo(sid, names)
	switch {
	case slices.ContainsFunc(names, h.Reach.Wrote) && !h.ImportedContent,
		h.EditedEver[path] && len(calls.Turns) == 0,                        // the text that the calls wrote is not recorded
		h.EditedInOpenTurn[path] && !slices.Contains(calls.Turns, by.Turn): // or not read yet
		return nil
	}
	return []candidate{{turnSpan: turnSpan{session: sid}, calls: calls, lastTurn: by.Turn, callsAnywhere: func() editcalls.Index { return a.calls(sid, "") }}}
}

// called reports whether calls of an agent wrote a line to any file.
func (a *Authors) called(by attribution.Owner, p attribution.Print) bool {
	sid, err := id.ParseSessionID(by.Session)
	return err == nil && a.calls != nil && len(a.calls(sid, "").ByPrint[p]) > 0
}

// isSurroundedBy reports whether the nearest lines above and below with a known owner all belong to o. An
// older line ends the search on its side.
func isSurroundedBy(lines []attribution.Line, i int, o attribution.Owner) bool {
	found := false
	for _, dir := range []int{-1, 1} {
		for k := i + dir; k >= 0 && k < len(lines); k += dir {
			by := lines[k].Owner
			if by.Class == attribution.Unknown {
				continue
			}
			if by.Class != attribution.Before && !by.Is(o) {
				return false
			}
			found = found || by.Is(o)
			break
		}
	}
	return found
}

// candidate is a session that may have made a change.
type candidate struct {
	turnSpan
	calls          editcalls.Index
	mayHaveWritten bool // also commands, calls that are not known or not read yet

	lastTurn int // of the change, if the calls of this and all earlier turns count; 0 if all count
	// callsAnywhere returns the calls for all paths, because files are renamed and split; nil if only
	// this path's calls count.
	callsAnywhere func() editcalls.Index
}

// made reports whether a call was made in the turn of the change. If the turn is unknown, calls
// up to turn latest count, because a later call wrote the line again.
func (s candidate) made(call sessionstate.EditCall) bool {
	if s.number > 0 {
		return call.Turn == s.number
	}
	return s.lastTurn == 0 || call.Turn <= s.lastTurn
}

// count returns how often the calls that [candidate.made] counts wrote a line to the path.
func (s candidate) count(p attribution.Print) (n int) {
	for _, call := range s.calls.ByPrint[p] {
		for _, line := range call.Lines {
			if line == p && s.made(call) {
				n++
			}
		}
	}
	return n
}

// callsTo returns a session's calls that wrote to a file, under any of its names.
func (a *Authors) callsTo(sid id.SessionID, names []string) editcalls.Index {
	ix := a.calls(sid, names[0])
	for _, name := range names[1:] {
		ix = ix.With(a.calls(sid, name))
	}
	return ix
}

// candidatesOfChange returns the candidates for the i-th change of a file with these names.
func (a *Authors) candidatesOfChange(i int, names []string) []candidate {
	var out []candidate
	path := names[0]
	for _, t := range a.turnsAt(i) {
		h := a.activity(t.session, t.number)
		out = append(out, candidate{turnSpan: t, calls: a.callsTo(t.session, names), mayHaveWritten: !h.CannotHaveWritten(path) && (h.NoEvidence || h.EditedInOpenTurn[path] || h.Reach.MayHaveWritten(path))})
	}
	return out
}

// onlyWriter returns the only session whose calls wrote a line, unknown if there are several. A
// call that wrote a whole file may have repeated what another session's command had written.
func onlyWriter(list []candidate, p attribution.Print) attribution.Owner {
	owner, sure, others := unknownOwner, false, 0
	for _, s := range list {
		wrote := s.callsAnywhere != nil && len(s.calls.ByPrint[p]) == 0 && slices.ContainsFunc(s.callsAnywhere().ByPrint[p], s.made)
		for _, call := range s.calls.ByPrint[p] {
			if s.made(call) {
				wrote, sure = true, sure || call.Exact
			}
		}
		switch {
		case !wrote:
			if s.mayHaveWritten {
				others++
			}
		case owner != unknownOwner:
			return unknownOwner
		default:
			owner = agentOwner(s.session.String())
			owner.Turn = s.number
		}
	}
	if !sure && others > 0 {
		return unknownOwner
	}
	return owner
}
