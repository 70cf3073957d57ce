package lineage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/internal/lineage/places"
)

// baselineCommit returns the commit that added the tool's settings, or its parent if the commit
// itself is recorded; nil for none. The lines of that commit are older than any record.
func (r *Resolver) baselineCommit(ctx context.Context) (*commit, error) {
	if r.baseline != nil {
		return r.baseline.commit, nil
	}
	r.baseline = &baseline{byPath: map[string]map[attribution.Print]bool{}, later: map[versionKey]map[attribution.Print]bool{}}
	from, err := r.firstEnabled(ctx)
	if err != nil || from == nil {
		return nil, err
	}
	out, err := r.repo.Run(ctx, "log", "-n", "1", "--diff-filter=A", "--no-renames", "--no-show-signature", "--format=%H", from.OID.String(), "--", enabledPath)
	var exit *git.ExitError
	if errors.As(err, &exit) { // an ancestor is missing; blame may not need to go that far
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find where the tool was enabled: %w", err)
	}
	oid, err := git.ParseOID(strings.TrimSpace(string(out)))
	if err != nil {
		return nil, nil // beyond the edge of a shallow clone
	}
	if err := r.load(ctx, []git.OID{oid}); err != nil {
		return nil, err
	}
	at := r.commits[oid]
	if at != nil && len(at.checkpoints) > 0 { // the record knows what it added
		if at, err = r.parentOf(ctx, at); err != nil {
			return nil, err
		}
	}
	r.baseline.commit = at
	return at, nil
}

// firstEnabled returns a commit shortly after the tool was enabled, to shorten git's walk:
// the parent of the oldest record's commit, otherwise HEAD; nil if neither has the
// settings.
func (r *Resolver) firstEnabled(ctx context.Context) (*commit, error) {
	if err := r.records.list(ctx); err != nil {
		return nil, err
	}
	if err := r.records.load(ctx, []id.CheckpointID{r.records.oldest}); err != nil {
		return nil, err
	}
	var from []git.OID
	if rec := r.records.loaded[r.records.oldest]; rec != nil {
		if parent, err := git.ParseOID(rec.Parent); err == nil {
			from = append(from, parent)
		}
	}
	head, born, err := r.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return nil, err
	}
	if born {
		from = append(from, head.OID)
	}
	if err := r.load(ctx, from); err != nil {
		return nil, err
	}
	for _, oid := range from {
		key := versionKey{oid, enabledPath}
		if err := r.locate(ctx, []versionKey{key}); err != nil {
			return nil, err
		}
		if !r.blobs[key].IsZero() {
			return r.commits[oid], nil
		}
	}
	return nil, nil
}

// baseline knows which distinctive lines the repository had when the tool was enabled.
type baseline struct {
	commit *commit
	byPath map[string]map[attribution.Print]bool     // by path
	places *places.Places                            // of the files that changed since; nil until needed
	later  map[versionKey]map[attribution.Print]bool // of versions that may have lost a line
}

// baselineLines returns the distinctive lines that a file had when the tool was enabled.
func (r *Resolver) baselineLines(ctx context.Context, path string) (map[attribution.Print]bool, error) {
	at, err := r.baselineCommit(ctx)
	if err != nil || at == nil {
		return nil, err
	}
	if lines, known := r.baseline.byPath[path]; known {
		return lines, nil
	}
	lines, err := r.distinctiveIn(ctx, versionKey{at.OID, path})
	if err != nil {
		return nil, err
	}
	r.baseline.byPath[path] = lines
	return lines, nil
}

// olderThanTool reports whether a distinctive line that a file gets on top of a commit was in the repository when the
// tool was enabled: in the same file, or in only one other, which the commit has without the line. Whoever brings
// such a line back (a revert, a rebase, a split by hand) need not have written it.
func (r *Resolver) olderThanTool(ctx context.Context, path string, onTop git.OID, p attribution.Print) (bool, error) {
	if old, err := r.baselineLines(ctx, path); err != nil || old[p] {
		return err == nil, err
	}
	if r.baseline.commit == nil || onTop.IsZero() {
		return false, nil
	}
	if err := r.readPlaces(ctx); err != nil {
		return false, err
	}
	from := r.baseline.places.Only(p)
	if from == "" {
		return false, nil
	}
	key := versionKey{onTop, from}
	has, known := r.baseline.later[key]
	if !known {
		var err error
		if has, err = r.distinctiveIn(ctx, key); err != nil {
			return false, err
		}
		r.baseline.later[key] = has
	}
	return !has[p], nil
}

// inBaseline reports whether a line that the version's parent does not have is older than the tool.
func (v *version) inBaseline(ctx context.Context, p attribution.Print) (bool, error) {
	var onTop git.OID
	if len(v.c.Parents) > 0 {
		onTop = v.c.Parents[0]
	}
	old, err := v.r.olderThanTool(ctx, v.key.path, onTop, p)
	if err != nil || !old {
		return false, err
	}
	if v.parentLines == nil {
		v.parentLines = map[attribution.Print]bool{}
		if !v.parent.commit.IsZero() {
			if v.parentLines, err = v.r.distinctiveIn(ctx, v.parent); err != nil {
				return false, err
			}
		}
	}
	return !v.parentLines[p], nil
}

// distinctiveIn returns the distinctive lines of a version; none if the version cannot be read.
func (r *Resolver) distinctiveIn(ctx context.Context, key versionKey) (map[attribution.Print]bool, error) {
	out := map[attribution.Print]bool{}
	text, _, err := r.textOf(ctx, key)
	for _, p := range attribution.DistinctivePrints(text) {
		out[p] = true
	}
	return out, err
}

// addBetween adds lines that are not distinctive to the older lines, if the nearest distinctive lines that the commit
// wrote are older or came from elsewhere. It adds none beside a line that may be a person's, or that a record of the commit
// has.
func (s *search) addBetween(old map[int]bool) {
	for _, i := range s.pending {
		if s.distinctive[i] {
			continue
		}
		beside, persons := false, false
		for _, by := range []int{-1, 1} {
			if n, ok := s.nearestWritten(i, by); ok {
				o := s.v.origins[n]
				foreign := old[n] || o != nil && o.Owner.Class != attribution.ClassHuman && o.Evidence != Recorded && o.Evidence != Aligned
				beside, persons = beside || foreign, persons || !foreign
			}
		}
		if beside && !persons {
			old[i] = true
		}
	}
}

// nearestWritten returns the nearest distinctive line above (by -1) or below a line, in the block of lines that the
// commit wrote; false if there is none.
func (s *search) nearestWritten(i, by int) (int, bool) {
	for i += by; i >= 0 && i < len(s.v.trace) && s.v.trace[i] < 0; i += by {
		if s.distinctive[i] {
			return i, true
		}
	}
	return 0, false
}
