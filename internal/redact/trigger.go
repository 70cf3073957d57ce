package redact

import (
	"slices"
	"strings"
)

// triggerIndex finds the places in a text where a rule may match.
type triggerIndex struct {
	words *wordIndex
	uses  [][]use  // by word
	short []string // triggers of two bytes, in their own case
	pairs [][]use  // by short
}

// use is what a trigger may indicate.
type use struct {
	rule   int
	anchor int // index into the rule's anchors, or one of the values below
}

const (
	wholeText = -1 // search the text
	assigning = -2 // look for an operator and a value
	byFinder  = -3 // call a finder: rule is its index
)

func (e *engine) triggers() *triggerIndex {
	e.indexOnce.Do(func() {
		if e.own {
			e.finders = ownFinders()
		}
		e.index = newTriggerIndex(e.rules, e.finders)
	})
	return e.index
}

func newTriggerIndex(rules []rule, finders []finder) *triggerIndex {
	x := new(triggerIndex)
	var words []string
	at := make(map[string]int, 2*len(rules))
	add := func(w string, u use) {
		i, ok := at[w]
		if !ok {
			i = len(words)
			at[w] = i
			words = append(words, w)
			x.uses = append(x.uses, nil)
		}
		x.uses[i] = append(x.uses[i], u)
	}
	for i := range rules {
		r := &rules[i]
		for _, w := range r.words {
			add(w, use{i, wholeText})
		}
		for _, w := range r.assign {
			add(w, use{i, assigning})
		}
		for j := range r.anchors {
			if lit := r.anchors[j].lit; len(lit) > 2 {
				add(strings.ToLower(lit), use{i, j})
			} else {
				x.short = append(x.short, lit)
				x.pairs = append(x.pairs, []use{{i, j}})
			}
		}
	}
	for i := range finders {
		for _, w := range finders[i].words {
			add(w, use{i, byFinder})
		}
	}
	x.words = newWordIndex(words)
	return x
}

// hits are the places in a text where rules may match.
type hits struct {
	whole   []int // rules that must search the whole text
	windows []window
	own     *found   // results of finders; nil: none
	run     assigned // the last run of bytes after an operator
	folded  bool     // the text is a folded copy of the original
}

// window is the part of the text that contains any match of the rule at a trigger.
type window struct{ rule, lo, hi int }

func (h *hits) add(r int) {
	if !slices.Contains(h.whole, r) {
		h.whole = append(h.whole, r)
	}
}

// ruleSpans appends the secrets that the rules find in s.
func (e *engine) ruleSpans(s string, spans []Span) ([]Span, error) {
	x := e.triggers()
	var h hits
	if foldsToASCII(s) {
		h.folded = true
		e.findTriggers(x, foldToASCII(s), &h)
		h.folded = false
	}
	e.findTriggers(x, s, &h)
	if h.own != nil {
		spans = append(spans, h.own.spans...)
	}
	if len(h.whole) == 0 && len(h.windows) == 0 {
		return spans, nil
	}
	f := search{e: e, s: s}
	for _, i := range h.whole {
		if r := &e.rules[i]; r.present(s) {
			if err := f.run(r, 0, len(s)); err != nil {
				return nil, err
			}
		}
	}
	for _, w := range joinWindows(h.windows) {
		if err := f.run(&e.rules[w.rule], w.lo, w.hi); err != nil {
			return nil, err
		}
	}
	return everywhere(s, f.secrets, spans), nil
}

// present reports whether s contains the texts that the rule needs.
func (r *rule) present(s string) bool {
	if len(r.needs) == 0 {
		return true
	}
	s = strings.ToLower(s)
	for _, group := range r.needs {
		if !slices.ContainsFunc(group, func(w string) bool { return strings.Contains(s, w) }) {
			return false
		}
	}
	return true
}

func (e *engine) findTriggers(x *triggerIndex, s string, h *hits) {
	first, c := &x.words.first, uint32(0)
	for i := 0; i < len(s); i++ {
		c = (c<<5 | uint32(codes[s[i]])) & (1<<15 - 1)
		if first[c] == 0 || i < 2 {
			continue
		}
		for n := first[c]; n != 0; n = x.words.next[n-1] {
			if w := x.words.words[n-1]; hasFold(s[i-2:], w) {
				e.hit(x.uses[n-1], s, i-2, len(w), h)
			}
		}
	}
	for i, lit := range x.short {
		for at := 0; ; {
			j := strings.Index(s[at:], lit)
			if j < 0 {
				break
			}
			e.hit(x.pairs[i], s, at+j, len(lit), h)
			at += j + 1
		}
	}
}

// hit records what the trigger s[at:at+n] may indicate.
func (e *engine) hit(uses []use, s string, at, n int, h *hits) {
	var v assigned
	for _, u := range uses {
		if u.anchor == byFinder {
			if !h.folded {
				if h.own == nil {
					h.own = new(found)
				}
				had := len(h.own.spans)
				e.finders[u.rule].find(h.own, s, at, n)
				e.note(e.finders[u.rule].name, s, h.own.spans[had:])
			}
			continue
		}
		r := &e.rules[u.rule]
		switch u.anchor {
		case wholeText:
			h.add(u.rule)
		case assigning:
			if v.end == 0 {
				if v = assignedAfter(s, at+n, h.run); v.end > 0 {
					h.run = v
				}
			}
			switch {
			case h.folded && v.end-v.start >= r.min:
				h.add(u.rule)
			case !h.folded && v.fits(r, s):
				h.windows = append(h.windows, window{u.rule, max(0, at-assignReach), v.reach(r, s)})
			}
		default:
			switch a := &r.anchors[u.anchor]; {
			case !a.at(s, at, h.folded):
			case h.folded || r.reach == 0:
				h.add(u.rule)
			default:
				h.windows = append(h.windows, window{u.rule, max(0, at-r.reach), min(len(s), at+r.reach+2)})
			}
		}
	}
}

// foldsToASCII reports whether s contains a long s or a Kelvin sign. A case-insensitive regexp matches
// them as s and k, but the tables here do not.
func foldsToASCII(s string) bool {
	return strings.Contains(s, "\u017f") || strings.Contains(s, "\u212a")
}

func foldToASCII(s string) string {
	return strings.NewReplacer("\u017f", "s", "\u212a", "k").Replace(s)
}

// joinWindows joins overlapping windows of the same rule.
func joinWindows(ws []window) []window {
	if len(ws) < 2 {
		return ws
	}
	slices.SortFunc(ws, func(a, b window) int {
		if a.rule != b.rule {
			return a.rule - b.rule
		}
		return a.lo - b.lo
	})
	out := ws[:1]
	for _, w := range ws[1:] {
		if last := &out[len(out)-1]; w.rule == last.rule && w.lo <= last.hi {
			last.hi = max(last.hi, w.hi)
		} else {
			out = append(out, w)
		}
	}
	return out
}
