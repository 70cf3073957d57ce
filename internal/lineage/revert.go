package lineage

import (
	"context"
	"strings"

	"entire/internal/attribution"
	"entire/internal/git"
)

// revertMark precedes the reverted commit's name in the message that git writes for a
// revert.
const revertMark = "This reverts commit "

// reverted returns the commit that a message says it reverts; zero for none.
func reverted(message string) git.OID {
	_, rest, ok := strings.Cut(message, revertMark)
	if !ok {
		return git.OID{}
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') })
	if end >= 0 {
		rest = rest[:end]
	}
	oid, err := git.ParseOID(rest)
	if err != nil {
		return git.OID{}
	}
	return oid
}

// byRevert follows the lines that a revert brings back to the version before they were
// removed.
func (s *search) byRevert(ctx context.Context) error {
	r := s.v.r
	undone := reverted(s.v.c.Message)
	if undone.IsZero() || len(s.pending) == 0 {
		return nil
	}
	if err := r.load(ctx, []git.OID{undone}); err != nil {
		return err
	}
	c := r.commits[undone]
	if c == nil || len(c.Parents) == 0 {
		return nil
	}
	if err := r.load(ctx, c.Parents[:1]); err != nil {
		return err
	}
	was, is := versionKey{c.Parents[0], s.v.key.path}, versionKey{undone, s.v.key.path}
	if err := r.locate(ctx, []versionKey{was, is}); err != nil {
		return err
	}
	texts, err := r.texts(ctx, r.blobs[was], r.blobs[is])
	if err != nil || texts == nil || r.blobs[was].IsZero() {
		return err
	}
	_, removed := attribution.Diff(texts[0], texts[1])
	var gone attribution.Prints
	var at []int
	for i, p := range attribution.PrintLines(texts[0]) {
		if removed[i] {
			gone, at = append(gone, p), append(at, i)
		}
	}
	now, strong := s.lines()
	for k, i := range align(gone, now, strong, true) {
		if i >= 0 {
			s.assign(s.pending[k], source{at: was, line: at[i] + 1})
		}
	}
	s.dropAssigned()
	return nil
}
