package strategy

import (
	"bytes"

	"entire/internal/attribution"
)

// tellApart finds out by the calls of editing tools whose lines are that fell into
// the turns of several sessions, or into one that was interrupted. Unknown owners
// come with the change that wrote the line, and go without.
func (a *authors) tellApart(path string, text []byte, lines []attribution.Line) {
	suspects := map[int][]suspect{} // by change
	i := -1
	var prints []attribution.Print
	var weak []int
	for line := range bytes.Lines(text) {
		if i++; i >= len(lines) || lines[i].Owner.Class != attribution.Unknown {
			continue
		}
		o := &lines[i].Owner
		change := o.Turn
		if o.Turn = 0; change == 0 || lines[i].Moved || a.calls == nil {
			continue
		}
		list, known := suspects[change]
		if !known {
			list = a.suspects(change-1, path)
			suspects[change] = list
		}
		if len(list) == 0 {
			continue
		}
		if prints == nil {
			prints = make([]attribution.Print, len(lines))
		}
		prints[i] = attribution.PrintLines(line)[0]
		if attribution.Strong(line) {
			*o = onlyWriter(list, prints[i])
		} else {
			o.Turn = change
			weak = append(weak, i)
		}
	}
	for _, i := range weak {
		change := lines[i].Owner.Turn
		lines[i].Owner.Turn = 0
		if o := onlyWriter(suspects[change], prints[i]); o.Class == attribution.Agent && besides(lines, i, o) {
			lines[i].Owner = o
		}
	}
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
}

// suspects are those of the i-th change.
func (a *authors) suspects(i int, path string) []suspect {
	var out []suspect
	for _, t := range a.spans(i) {
		h := a.hand(t.session, t.number)
		out = append(out, suspect{t, a.calls(t.session, path), h.ran || h.silent || h.fresh[path]})
	}
	return out
}

// onlyWriter is the one session whose calls in those turns wrote a line. A call that
// wrote a whole file may have written again what another's command had.
func onlyWriter(list []suspect, p attribution.Print) attribution.Owner {
	unknown := attribution.Owner{Class: attribution.Unknown}
	owner, sure, others := unknown, false, 0
	for _, s := range list {
		wrote := false
		for _, call := range s.calls.of[p] {
			if call.Turn == s.number || s.number == 0 {
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
