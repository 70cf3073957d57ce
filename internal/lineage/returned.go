package lineage

import (
	"context"
	"slices"

	"entire/internal/attribution"
)

// markReturned marks as unknown the agents' lines, of those that were matched one by one with records of other
// commits, that an earlier version of the file had, but never beside a line that is beside them now: a person may have
// written the same words again. A line whose neighbour was matched, too, keeps its owner.
func (s *search) markReturned(ctx context.Context, matched map[int]bool) error {
	alone := map[attribution.Print][]int{}
	for i := range matched {
		if s.v.origins[i].Owner.Class == attribution.ClassAgent && !matched[i-1] && !matched[i+1] {
			alone[s.prints[i]] = append(alone[s.prints[i]], i)
		}
	}
	if len(alone) == 0 {
		return nil
	}
	past, err := s.v.r.pastVersions(ctx, s.v.key.path)
	if err != nil {
		return err
	}
	had, stood, err := s.placesIn(ctx, past, alone)
	for i := range had {
		if !stood[i] {
			s.assign(i, source{Origin: unknown(None)})
		}
	}
	return err
}

// placesIn returns which of the lines earlier versions had, and which of these stood there beside a line that is
// beside them now.
func (s *search) placesIn(ctx context.Context, past []pastVersion, lines map[attribution.Print][]int) (had, stood map[int]bool, _ error) {
	had, stood = map[int]bool{}, map[int]bool{}
	for _, p := range past {
		if p.commit == s.v.c.OID || p.time > s.v.c.Committer.When.Unix() {
			continue
		}
		texts, err := s.v.r.texts(ctx, p.new)
		if err != nil {
			return nil, nil, err
		}
		if texts == nil {
			continue
		}
		was := attribution.PrintLines(texts[0])
		for k, print := range was {
			for _, i := range lines[print] {
				had[i] = true
				stood[i] = stood[i] || s.stands(was, k, i)
			}
		}
	}
	return had, stood, nil
}

// stands reports whether line i of this version has the same distinctive line before or behind it as line k of an
// earlier one, or the same on both sides: lines that are not distinctive, or the beginning or the end of the file. For a
// distinctive line, the beginning or the end is enough.
func (s *search) stands(was attribution.Prints, k, i int) bool {
	before := k == 0 && i == 0 || s.sameAt(was, k-1, i-1)
	behind := k == len(was)-1 && i == len(s.prints)-1 || s.sameAt(was, k+1, i+1)
	strong := func(n int) bool { return s.distinctive[max(0, min(n, len(s.prints)-1))] }
	return before && behind || before && strong(i-1) || behind && strong(i+1)
}

func (s *search) sameAt(was attribution.Prints, k, i int) bool {
	return k >= 0 && k < len(was) && i >= 0 && i < len(s.prints) && was[k] == s.prints[i]
}

// besideNew reports whether a distinctive line beside line i is new in this version.
func (s *search) besideNew(i int) bool {
	return slices.ContainsFunc([]int{i - 1, i + 1}, func(k int) bool {
		return k >= 0 && k < len(s.prints) && s.v.trace[k] < 0 && s.distinctive[k] && !s.inParent[s.prints[k]]
	})
}
