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
				s.inRecord(rec, cp, []*attribution.RecordFile{f}, true)
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
