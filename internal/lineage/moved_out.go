package lineage

import (
	"context"
	"slices"

	"entire/internal/attribution"
	"entire/internal/pathtext"
)

// assignMovedOut gives blocks of lines to the agent that wrote them in another file, which no longer contains them:
// one commit removed them there, and this one adds them. A single line may have been written twice, so it is
// unknown, as is a line that several agents wrote or an unknown author, and in a commit with checkpoints, a line that the other file
// still has: records of that file may be all that is known of a copy. So is a line of a commit that was made anew and is older than the
// record: who wrote the other file may have copied it.
func (s *search) assignMovedOut(ctx context.Context) error {
	v := s.v
	if len(s.pending) == 0 {
		return nil
	}
	known, err := v.r.records.notPeoples(ctx)
	if err != nil || len(known) == 0 {
		return err
	}
	origins := map[int]Origin{}
	has := map[string]map[attribution.Print]bool{} // by path; nil for a file that cannot be read
	for _, i := range s.pending {
		p := s.prints[i]
		if !s.distinctive[i] || s.inParent[p] {
			continue
		}
		var from []recordedLine
		doubtful := false // the commit may be older than the record, and was made anew since
		for _, c := range known[p] {
			path := pathtext.Decode(c.file.Path)
			lines, asked := has[path]
			if path == v.key.path || !asked && len(has) == namesMax {
				continue
			}
			if later, err := v.r.recordedAfter(ctx, c.rec, v.c); err != nil {
				return err
			} else if later {
				continue
			}
			if !asked {
				if lines, err = s.printsAt(ctx, path); err != nil {
					return err
				}
				has[path] = lines
			}
			if lines != nil && lines[p] && len(v.c.checkpoints) > 0 {
				origins[i] = unknown(None)
			}
			if lines != nil && !lines[p] {
				at := slices.Index(c.lines.Prints, p)
				from = append(from, recordedLine{c.cp, c.rec, &c.rec.Owners[c.lines.Ranges[at].Owner]})
				doubtful = doubtful || v.c.Author.When.Before(v.c.Committer.When) && v.c.Author.When.Unix() <= c.rec.Time
			}
		}
		if doubtful {
			origins[i] = unknown(None)
		} else if len(from) > 0 {
			origins[i] = agreed(from)
		}
	}
	s.assignBlocks(origins)
	return nil
}

// recordedMovedOut is assignMovedOut for the lines whose owner the commit's record does not know, and for those that it
// gives to a person in a new file: an earlier commit may have removed the file under its former name.
func (s *search) recordedMovedOut(ctx context.Context) error {
	recorded := map[int]*source{}
	for i, f := range s.v.origins {
		if f != nil && f.line == 0 && (f.Evidence == Recorded || f.Evidence == Aligned) && s.distinctive[i] &&
			(f.Owner.Class == attribution.ClassUnknown || f.Owner.Class == attribution.ClassHuman && s.v.isNew()) {
			recorded[i], s.pending = f, append(s.pending, i)
		}
	}
	err := s.assignMovedOut(ctx)
	moved := false
	for i := range recorded {
		moved = moved || s.v.origins[i].Owner.Class == attribution.ClassAgent
	}
	for i, f := range recorded { // a single line is doubtful only beside a block that was moved
		if now := s.v.origins[i]; now.Owner.Class == attribution.ClassUnknown && !(moved && f.Owner.Class == attribution.ClassHuman) {
			s.v.origins[i] = f
		}
	}
	s.pending = nil
	return err
}

// printsAt returns the lines of a file in the commit: none if the file is not there, nil if
// it cannot be read.
func (s *search) printsAt(ctx context.Context, path string) (map[attribution.Print]bool, error) {
	text, ok, err := s.v.r.textOf(ctx, versionKey{s.v.c.OID, path})
	if err != nil || !ok {
		return nil, err
	}
	return attribution.PrintSet(text), nil
}
