package lineage

import (
	"context"

	"entire/internal/attribution"
	"entire/internal/git"
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
	list := s.named()
	for _, c := range list {
		was = append(was, attribution.WrittenLines(c.rec, c.file))
	}
	now, _ := s.lines()
	for k, at := range attribution.SameLines(now, was) {
		if at.Range != nil {
			s.assign(s.pending[k], source{Origin: s.v.r.records.origin(list[at.Record].rec, list[at.Record].cp, at.Range, Aligned)})
		}
	}
	s.dropAssigned()
}

// tracedMax bounds the recorded versions of a file that one version is compared with.
const tracedMax = 50

// inRecordedVersions assigns the lines that differ from those of recorded versions only in what formatters change, and
// returns them: the recorded commits were squashed with one that formatted them. A version that git no longer has is
// passed over.
func (s *search) inRecordedVersions(ctx context.Context, list []candidate, e Evidence) (assigned []int, err error) {
	var traces [][]int32
	for _, c := range list[:min(len(list), tracedMax)] {
		var trace []int32
		if blob, err := git.ParseOID(c.file.Blob); err == nil && blob != s.v.blob && len(s.pending) > 0 {
			texts, err := s.v.r.texts(ctx, blob)
			if err != nil {
				return nil, err
			}
			if texts != nil {
				trace = s.v.r.compared.Trace(texts[0], s.v.text)
			}
		}
		traces = append(traces, trace)
	}
	for _, class := range []string{attribution.ClassAgent, attribution.ClassUnknown, attribution.ClassHuman} {
		for k, trace := range traces {
			for _, i := range s.pending {
				if trace == nil || s.v.origins[i] != nil {
					continue
				}
				if g := list[k].file.At(int(trace[i]) + 1); g != nil && !g.Moved && list[k].rec.Owners[g.Owner].Class == class {
					s.assign(i, source{Origin: s.v.r.records.origin(list[k].rec, list[k].cp, g, e)})
					assigned = append(assigned, i)
				}
			}
		}
	}
	s.dropAssigned()
	return assigned, nil
}

// named returns the records of the file in the commit's checkpoints.
func (s *search) named() (list []candidate) {
	for cp, rec := range s.v.c.records() {
		if f := rec.File(pathtext.Encode(s.v.key.path)); f != nil {
			list = append(list, candidate{cp: cp, rec: rec, file: f})
		}
	}
	return list
}
