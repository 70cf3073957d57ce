package strategy

import (
	"bytes"
	"slices"

	"entire/id"
	"entire/internal/attribution"
)

// tellApart finds out by the calls of editing tools whose lines are that fell into
// the turns of several sessions, or into one that was interrupted, or in which nothing
// but such calls was made: what they did not write is a person's who sat beside it, or
// a tool's. Unknown owners come with the change that wrote the line, and go without. Of
// the file's names the present one is the first.
func (a *authors) tellApart(names []string, text []byte, lines []attribution.Line) {
	suspects := map[attribution.Owner][]suspect{} // by what is known of the maker
	i := -1
	var prints []attribution.Print
	var weak []weakLine
	for line := range bytes.Lines(text) {
		if i++; i >= len(lines) {
			break
		}
		o := &lines[i].Owner
		by := *o
		switch {
		case by.Class == attribution.Unknown && by.Turn > 0:
			o.Turn = 0
		case by.Class != attribution.Agent || by.Settled:
			continue
		}
		if lines[i].Moved || a.calls == nil {
			continue
		}
		list, known := suspects[by]
		if !known {
			list = a.suspectsOf(by, names)
			suspects[by] = list
		}
		if len(list) == 0 {
			continue
		}
		if prints == nil {
			prints = make([]attribution.Print, len(lines))
		}
		prints[i] = attribution.PrintLines(line)[0]
		if attribution.Strong(line) {
			*o = writerOf(by, list, prints[i])
		} else {
			*o = attribution.Owner{Class: attribution.Unknown}
			weak = append(weak, weakLine{i, by})
		}
	}
	a.tellWeak(lines, prints, weak, suspects)
}

// A weakLine says too little to be known again; by is what is known of its maker.
type weakLine struct {
	at int
	by attribution.Owner
}

// tellWeak does it for braces and the like: they are whose call wrote them if no more of
// them are there than calls wrote, or what is around them is that session's, too.
func (a *authors) tellWeak(lines []attribution.Line, prints []attribution.Print, weak []weakLine, suspects map[attribution.Owner][]suspect) {
	type kind struct {
		by attribution.Owner
		p  attribution.Print
	}
	there := map[kind]int{}
	for _, w := range weak {
		there[kind{w.by, prints[w.at]}]++
	}
	for _, w := range weak {
		p := prints[w.at]
		o := writerOf(w.by, suspects[w.by], p)
		if o.Class != attribution.Agent {
			continue
		}
		if w.by.Class == attribution.Agent && there[kind{w.by, p}] <= suspects[w.by][0].calls.count(p) || besides(lines, w.at, o) {
			lines[w.at].Owner = o
		}
	}
}

// writerOf is the one of those who wrote a line: by itself, where that is a session.
func writerOf(by attribution.Owner, list []suspect, p attribution.Print) attribution.Owner {
	o := onlyWriter(list, p)
	if o.Class == attribution.Agent && by.Class == attribution.Agent {
		return by
	}
	return o
}

// suspectsOf are the sessions that may have written a line: those of the change that it
// came with, or the one that was alone at work then, where calls tell everything or where
// it may have brought what others wrote. None where there is nothing to tell apart.
func (a *authors) suspectsOf(by attribution.Owner, names []string) []suspect {
	path := names[0]
	if by.Class == attribution.Unknown {
		return a.suspects(by.Turn-1, path)
	}
	sid, err := id.ParseSessionID(by.Session)
	ours := func(t turnSpan) bool { return t.session == sid && (t.number == by.Turn || by.Turn == 0) }
	if err != nil || !slices.ContainsFunc(a.turns, ours) { // an earlier commit's, whose record tells
		return nil
	}
	h, calls := a.hand(sid, by.Turn), a.calls(sid, path)
	switch {
	case slices.ContainsFunc(names, h.reach.wrote) && !h.took,
		h.ever[path] && len(calls.turns) == 0,                   // what the calls wrote is not remembered
		h.fresh[path] && !slices.Contains(calls.turns, by.Turn): // or not yet
		return nil
	}
	return []suspect{{turnSpan: turnSpan{session: sid}, calls: calls, latest: by.Turn, elsewhere: func() callIndex { return a.calls(sid, "") }}}
}

// besides reports whether the next lines on both sides that are known are the
// owner's, too: a brace among them.
func besides(lines []attribution.Line, i int, o attribution.Owner) bool {
	found := false
	for _, dir := range []int{-1, 1} {
		for k := i + dir; k >= 0 && k < len(lines); k += dir {
			if lines[k].Owner.Class == attribution.Unknown {
				continue
			}
			if !lines[k].Owner.Is(o) {
				return false
			}
			found = true
			break
		}
	}
	return found
}

// suspect is a session that was at work when a change was made.
type suspect struct {
	turnSpan
	calls callIndex
	ran   bool // commands, too, or nobody knows what, or not yet

	latest int // the turn of the change, where the calls of all those before count; 0 for any
	// elsewhere are the calls for whatever path: files are renamed, and split. nil where
	// that is not to be asked.
	elsewhere func() callIndex
}

// made reports whether the session made a call when the change was, or before that if it
// may be of whatever turn: what a later one writes was there.
func (s suspect) made(call editCall) bool {
	if s.number > 0 {
		return call.Turn == s.number
	}
	return s.latest == 0 || call.Turn <= s.latest
}

// suspects are those of the i-th change.
func (a *authors) suspects(i int, path string) []suspect {
	var out []suspect
	for _, t := range a.spans(i) {
		h := a.hand(t.session, t.number)
		out = append(out, suspect{turnSpan: t, calls: a.calls(t.session, path), ran: !h.cannot(path) && (h.silent || h.fresh[path] || h.reach.may(path))})
	}
	return out
}

// onlyWriter is the one session whose calls in those turns wrote a line. A call that
// wrote a whole file may have written again what another's command had.
func onlyWriter(list []suspect, p attribution.Print) attribution.Owner {
	unknown := attribution.Owner{Class: attribution.Unknown}
	owner, sure, others := unknown, false, 0
	for _, s := range list {
		wrote := s.elsewhere != nil && len(s.calls.of[p]) == 0 && slices.ContainsFunc(s.elsewhere().of[p], s.made)
		for _, call := range s.calls.of[p] {
			if s.made(call) {
				wrote, sure = true, sure || call.Sure
			}
		}
		switch {
		case !wrote:
			if s.ran {
				others++
			}
		case owner != unknown:
			return unknown
		default:
			owner = agentOwner(s.session.String())
			owner.Turn = s.number
		}
	}
	if !sure && others > 0 {
		return unknown
	}
	return owner
}
