package lineage

import (
	"context"
	"errors"
	"fmt"
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

// inBaseline reports whether the file already had a line when the tool was enabled, although
// the version's parent does not have it. Whoever brought such a line back (git checkout
// OLD -- FILE, a revert by hand) need not have written it.
func (v *version) inBaseline(ctx context.Context, p attribution.Print) (bool, error) {
	old, err := v.r.baselineLines(ctx, v.key.path)
	if err != nil || !old[p] {
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

// baselineElsewhere returns those lines without an owner that another file of the commit had
// when the tool was enabled, and that this file's parent version no longer has: somebody
// may have brought them back into this file.
func (s *search) baselineElsewhere(ctx context.Context) (map[attribution.Print]bool, error) {
	v, out := s.v, map[attribution.Print]bool{}
	changes, err := v.r.changed(ctx, v.c)
	if err != nil {
		return nil, err
	}
	for n, ch := range changes {
		if n == otherFilesMax {
			break
		}
		if ch.Path == v.key.path {
			continue
		}
		old, err := v.r.baselineLines(ctx, ch.Path)
		if err != nil {
			return nil, err
		}
		var had map[attribution.Print]bool
		for _, i := range s.pending {
			p := s.prints[i]
			if !s.distinctive[i] || !old[p] {
				continue
			}
			if had == nil {
				if had, err = v.r.distinctiveIn(ctx, versionKey{v.c.Parents[0], ch.Path}); err != nil {
					return nil, err
				}
			}
			if !had[p] {
				out[p] = true
			}
		}
	}
	return out, nil
}
