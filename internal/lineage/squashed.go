package lineage

import (
	"slices"

	"entire/id"
	"entire/internal/attribution"
	"entire/internal/pathtext"
)

// hasSeveralRecords reports whether the commit names more than one checkpoint with a record: it was
// squashed, or cherry-picked while another session was active.
func (v *version) hasSeveralRecords() bool {
	n := 0
	for _, cp := range v.c.checkpoints {
		if v.r.records.loaded[cp] != nil {
			n++
		}
	}
	return n > 1
}

func (v *version) isAgent(g *attribution.Range) bool {
	return v.exactRec.Owners[g.Owner].Class == attribution.ClassAgent
}

// agentLinesOf assigns the lines that any of the checkpoints records as an agent's. The other
// checkpoints did not see the agent write them and record a person or unknown.
func (s *search) agentLinesOf(cps []id.CheckpointID) {
	for _, cp := range slices.Backward(cps) {
		rec := s.v.r.records.loaded[cp]
		if rec == nil {
			continue
		}
		f := exactFile(rec, s.v.key.path, s.v.blob)
		if f == nil {
			if f = rec.File(pathtext.Encode(s.v.key.path)); f != nil {
				s.agentLinesIn(rec, cp, f)
			}
			continue
		}
		for i := range s.v.origins {
			if g := f.At(i + 1); g != nil && !g.Moved && s.v.origins[i] == nil && rec.Owners[g.Owner].Class == attribution.ClassAgent {
				s.assign(i, source{Origin: s.v.r.records.origin(rec, cp, g, Recorded)})
			}
		}
		s.dropAssigned()
	}
}

// markDisputed marks as unknown the lines that the record of exactly this version gives to a
// person, if another checkpoint of the commit records the same version and the owner as
// unknown: that checkpoint saw something that this one did not.
func (s *search) markDisputed() {
	v := s.v
	for _, cp := range v.c.checkpoints {
		rec := v.r.records.loaded[cp]
		if rec == nil || cp == v.exactID {
			continue
		}
		f := exactFile(rec, v.key.path, v.blob)
		if f == nil {
			continue
		}
		for _, i := range s.pending {
			g, by := f.At(i+1), v.exact.At(i+1)
			if g != nil && by != nil && rec.Owners[g.Owner].Class == attribution.ClassUnknown && v.exactRec.Owners[by.Owner].Class == attribution.ClassHuman {
				s.assign(i, source{Origin: v.r.records.origin(rec, cp, g, Recorded)})
			}
		}
		s.dropAssigned()
	}
}

// agentLinesIn looks for the lines among those that a record of another version gives to
// agents.
func (s *search) agentLinesIn(rec *attribution.Record, cp id.CheckpointID, f *attribution.RecordFile) {
	was := attribution.WrittenLines(f)
	now, strong := s.lines()
	for k, i := range alignWritten(was, now, strong, false) {
		if i >= 0 && rec.Owners[was.Ranges[i].Owner].Class == attribution.ClassAgent {
			s.assign(s.pending[k], source{Origin: s.v.r.records.origin(rec, cp, was.Ranges[i], Aligned)})
		}
	}
	s.dropAssigned()
}
