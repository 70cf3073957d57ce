package usagelib

import (
	"cmp"
	"slices"

	"entire/internal/cli/sessionlib"
	"entire/internal/usage"
)

// turnAt returns when the turn of a time began, 0 if it was before the first.
func turnAt(turns []int64, at int64) int64 {
	i, found := slices.BinarySearch(turns, at)
	if !found {
		i--
	}
	if i < 0 {
		return 0
	}
	return turns[i]
}

// partOf returns the part of a session that took an answer: the first one made after it or, if there is none,
// the last one made in the answer's turn, because an agent goes on to speak after it has committed.
func partOf(parts []part, turns []int64, at int64) (part, bool) {
	if at == 0 && len(parts) > 0 { // when is not known
		return parts[len(parts)-1], true
	}
	i, _ := slices.BinarySearchFunc(parts, at, func(p part, at int64) int { return cmp.Compare(p.at, at) })
	if i < len(parts) {
		return parts[i], true
	}
	if start := turnAt(turns, at); i > 0 && parts[i-1].at >= start && start != 0 {
		return parts[i-1], true
	}
	return part{}, false
}

// judge says what became of the work of an answer, and which checkpoint has it.
func (p *past) judge(s sessionlib.ListedSession, l *usage.Log, a usage.Answer, here bool) (usage.Fate, part) {
	if !here {
		return usage.Elsewhere, part{}
	}
	took, ok := partOf(p.parts[s.ID], l.Turns, a.When)
	if ok && !p.backBefore(s.ID, a, took.at) {
		if _, named := p.commits[took.checkpoint]; named || p.more {
			return usage.Committed, took
		}
		return usage.Dropped, took
	}
	switch {
	case !slices.Contains(s.Sources, sessionlib.InState) && !slices.Contains(s.Sources, sessionlib.InGit) && !a.Rewound:
		return usage.Unrecorded, part{}
	case a.Rewound || ok || p.backBefore(s.ID, a, 1<<62):
		return usage.Rewound, part{}
	case s.State == sessionlib.StateActive || s.State == sessionlib.StateIdle || p.waiting[s.ID]:
		return usage.Open, part{}
	}
	return usage.Uncommitted, part{}
}

// backBefore reports whether a rewind before the time at took back what an answer did.
func (p *past) backBefore(session string, a usage.Answer, at int64) bool {
	if a.Rewound && a.RewoundAt != 0 && a.RewoundAt < at {
		return true
	}
	for _, r := range p.rewinds {
		if r.sessions[session] && r.from < a.When && a.When <= r.to && r.to < at {
			return true
		}
	}
	return false
}
