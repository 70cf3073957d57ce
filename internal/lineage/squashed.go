package lineage

import (
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/pathtext"
)

// hasSeveralRecords reports whether the commit names more than one checkpoint with a record: it was
// squashed, or cherry-picked while another session was active.
func (v *version) hasSeveralRecords() bool {
	n := 0
	for range v.c.records() {
		n++
	}
	return n > 1
}

func (v *version) isAgent(g *attribution.Range) bool {
	return v.exactRec.Owners[g.Owner].Class == attribution.ClassAgent
}

// fromSeveral assigns the lines that any of the commit's checkpoints records as an agent's, then those that any records
// as unknown. The other checkpoints record a person for these lines only because they did not see who wrote them.
func (s *search) fromSeveral() {
	for _, class := range []string{attribution.ClassAgent, attribution.ClassUnknown} {
		for cp, rec := range s.v.c.records() {
			if f := exactFile(rec, s.v.key.path, s.v.blob); f != nil {
				s.inVersion(rec, cp, f, class)
			} else if f = rec.File(pathtext.Encode(s.v.key.path)); f != nil {
				s.inRecord(rec, cp, []*attribution.RecordFile{f}, class)
			}
		}
	}
}

// fromSame assigns the lines if the commit's checkpoints have together exactly the lines that the version wrote: a rebase
// or a squash changed only what is around them. Then a line need not be distinctive.
func (s *search) fromSame() {
	var was []attribution.Written
	var cps []id.CheckpointID
	for cp, rec := range s.v.c.records() {
		if f := rec.File(pathtext.Encode(s.v.key.path)); f != nil {
			was, cps = append(was, attribution.WrittenLines(rec, f)), append(cps, cp)
		}
	}
	now, _ := s.lines()
	for k, at := range attribution.SameLines(now, was) {
		if at.Range != nil {
			s.assign(s.pending[k], source{Origin: s.v.r.records.origin(s.v.c.loaded[cps[at.Record]], cps[at.Record], at.Range, Aligned)})
		}
	}
	s.dropAssigned()
}
