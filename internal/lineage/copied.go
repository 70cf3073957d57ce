package lineage

import (
	"context"

	"entire/internal/attribution"
	"entire/internal/pathtext"
)

// copiedMin is how many distinctive lines make a part of a file a copy: the first line of a function may be the same twice.
const copiedMin = 3

// fromCopied finds the lines of a new file in the file that it was copied from, if a commit without checkpoints added
// it: these lines have the owners that they have there. Git, too, takes a file for a copy if half of it is the same.
// Only files in which agents wrote one of the lines are looked at, because without a record all lines are a person's.
func (s *search) fromCopied(ctx context.Context) error {
	v := s.v
	if len(s.pending) == 0 || len(v.c.checkpoints) > 0 || len(v.c.Parents) == 0 || !v.r.blobs[v.parent].IsZero() {
		return nil
	}
	known, err := v.r.records.notPeoples(ctx)
	if err != nil {
		return err
	}
	asked := map[string]bool{v.key.path: true}
	for _, i := range s.pending {
		if !s.distinctive[i] {
			continue
		}
		for _, c := range known[s.prints[i]] {
			path := pathtext.Decode(c.file.Path)
			if asked[path] || len(asked) > namesMax {
				continue
			}
			asked[path] = true
			if done, err := s.fromCopyOf(ctx, versionKey{v.c.Parents[0], path}); err != nil || done {
				return err
			}
		}
	}
	return nil
}

// fromCopyOf assigns the lines that the version has from a file of its parent, and reports whether it is a copy of it.
func (s *search) fromCopyOf(ctx context.Context, key versionKey) (bool, error) {
	r := s.v.r
	if err := r.locate(ctx, []versionKey{key}); err != nil || r.blobs[key].IsZero() {
		return false, err
	}
	texts, err := r.texts(ctx, r.blobs[key])
	if err != nil || texts == nil {
		return false, err
	}
	was := attribution.PrintLines(texts[0])
	of := attribution.Match(was, s.prints, s.distinctive)
	all, same, other := 0, 0, 0
	for i, telling := range s.distinctive {
		if of[i] < 0 {
			other++
		}
		if telling {
			all++
			if of[i] >= 0 {
				same++
			}
		}
	}
	if same == 0 || 2*same < all || other > 0 && same < copiedMin {
		return false, nil
	}
	for _, i := range s.pending {
		if of[i] >= 0 {
			s.assign(i, source{at: key, line: int(of[i]) + 1})
		}
	}
	s.dropAssigned()
	return true, nil
}
