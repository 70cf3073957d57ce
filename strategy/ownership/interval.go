package ownership

import "entire/internal/attribution"

// interval is a time, in changes of a step chain, between two of which a line was written: after the change that
// made step first-1, and not after the one that made step last. A line that is older than the chain has first -1.
type interval struct{ first, last int }

// before reports whether a line of the interval is surely older than one of the other, and whether it may be. The
// same change may have moved a line.
func (t interval) before(other interval) (sure, may bool) {
	return t.last <= other.first, t.first <= other.last
}

// surelyBefore reports whether lines of the interval are older than those of the other, and not the other way round.
func (t interval) surelyBefore(other interval) bool {
	sure, _ := t.before(other)
	reverse, _ := other.before(t)
	return sure && !reverse
}

// when returns the interval in which the lines of a version were written.
func (p *historyPlan) when(version int) interval {
	if version < 1 || version > len(p.versions) {
		return interval{-1, -1}
	}
	v := p.versions[version-1]
	return interval{v.first, v.last}
}

// lostLines adds the path and the interval to lost lines.
func (p *historyPlan) lostLines(lines []attribution.DroppedLine) []lostLine {
	out := make([]lostLine, len(lines))
	for i, l := range lines {
		out[i] = lostLine{DroppedLine: l, path: p.chain.path, when: p.when(l.Version), gone: anyTime, plan: p}
		if l.Gone > 0 {
			out[i].gone = p.when(l.Gone)
		}
	}
	return out
}
