package lineage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
)

// baselineCommit returns the commit that added the tool's settings, or its parent if the commit
// itself is recorded; nil for none. The lines of that commit are older than any record.
func (r *Resolver) baselineCommit(ctx context.Context) (*commit, error) {
	if r.baseline != nil {
		return r.baseline.commit, nil
	}
	r.baseline = &baseline{byPath: map[string]map[attribution.Print]bool{}}
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

// baseline holds the distinctive lines that files had when the tool was enabled.
type baseline struct {
	commit *commit
	byPath map[string]map[attribution.Print]bool // by path

	compared bool                       // with HEAD
	changed  []string                   // see Resolver.changedSinceBaseline
	lines    map[attribution.Print]bool // of the changed files; nil until needed
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

// distinctiveIn returns the distinctive lines of a version; none if the version cannot be read.
func (r *Resolver) distinctiveIn(ctx context.Context, key versionKey) (map[attribution.Print]bool, error) {
	out := map[attribution.Print]bool{}
	text, _, err := r.textOf(ctx, key)
	for _, p := range attribution.DistinctivePrints(text) {
		out[p] = true
	}
	return out, err
}

// olderLines returns those of the given lines that may be older than the tool: the distinctive ones that this or
// another file had when the tool was enabled and no longer had before the commit.
func (s *search) olderLines(ctx context.Context, among []int) (map[int]bool, error) {
	left := map[attribution.Print][]int{}
	for _, i := range among {
		if s.distinctive[i] && !s.inParent[s.prints[i]] {
			left[s.prints[i]] = append(left[s.prints[i]], i)
		}
	}
	old := map[int]bool{}
	if len(left) == 0 {
		return old, nil
	}
	paths, err := s.baselinePaths(ctx)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		had, err := s.v.r.baselineLines(ctx, path)
		if err != nil {
			return nil, err
		}
		for p, at := range left {
			if !had[p] {
				continue
			}
			if path != s.v.key.path && len(s.v.c.Parents) > 0 {
				if has, err := s.v.r.distinctiveIn(ctx, versionKey{s.v.c.Parents[0], path}); err != nil || has[p] {
					if err != nil {
						return nil, err
					}
					continue
				}
			}
			delete(left, p)
			for _, i := range at {
				old[i] = true
			}
		}
	}
	return old, nil
}

// baselinePaths returns the files whose old lines the commit may have brought back: the file itself, those that
// [Resolver.changedSinceBaseline] returns, and, if no record tells what moved within the commit, those that it
// changed, at most otherFilesMax of each.
func (s *search) baselinePaths(ctx context.Context) ([]string, error) {
	v := s.v
	since, err := v.r.changedSinceBaseline(ctx)
	paths := append([]string{v.key.path}, since...)
	if err != nil || len(v.c.checkpoints) > 0 {
		return paths, err
	}
	changes, err := v.r.changed(ctx, v.c)
	for _, ch := range changes[:min(otherFilesMax, len(changes))] {
		if !slices.Contains(paths, ch.Path) {
			paths = append(paths, ch.Path)
		}
	}
	return paths, err
}

// changedSinceBaseline returns the files that are gone in HEAD, and that differ there, since the tool was enabled,
// at most otherFilesMax.
func (r *Resolver) changedSinceBaseline(ctx context.Context) ([]string, error) {
	at, err := r.baselineCommit(ctx)
	if err != nil || at == nil || r.baseline.compared {
		return r.baseline.changed, err
	}
	head, born, err := r.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return nil, err
	}
	if r.baseline.compared = true; !born {
		return nil, nil
	}
	changes, err := r.repo.DiffTrees(ctx, at.Tree, head.Tree, ".entire")
	if err != nil {
		return nil, err
	}
	for _, gone := range []bool{true, false} {
		for _, ch := range changes {
			if ch.OldMode != 0 && (ch.NewMode == 0) == gone && len(r.baseline.changed) < otherFilesMax {
				r.baseline.changed = append(r.baseline.changed, ch.Path)
			}
		}
	}
	return r.baseline.changed, nil
}

// mayBeOlder reports whether this file, or one of those that changed since, had a line when the tool was enabled.
func (v *version) mayBeOlder(ctx context.Context, p attribution.Print) (bool, error) {
	since, err := v.r.changedSinceBaseline(ctx)
	if err != nil {
		return false, err
	}
	if all := v.r.baseline; all.lines == nil {
		all.lines = map[attribution.Print]bool{}
		for _, path := range since {
			lines, err := v.r.baselineLines(ctx, path)
			if err != nil {
				return false, err
			}
			maps.Copy(all.lines, lines)
		}
	}
	own, err := v.r.baselineLines(ctx, v.key.path)
	return own[p] || v.r.baseline.lines[p], err
}

// addBetween adds to older lines those beside them, or beside lines that came from elsewhere, that say little, unless
// a line that may be a person's is as near.
func (s *search) addBetween(old map[int]bool) {
	for _, i := range s.pending {
		if s.distinctive[i] {
			continue
		}
		beside, persons := false, false
		for _, by := range []int{-1, 1} {
			if n, ok := s.nearestWritten(i, by); ok {
				foreign := old[n] || s.v.origins[n] != nil && s.v.origins[n].Owner.Class != attribution.ClassHuman
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
