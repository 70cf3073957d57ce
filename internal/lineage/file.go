package lineage

import (
	"context"
	"slices"

	"entire/internal/git"
)

const (
	// hopsMax bounds how many moves of a line are followed, and tracesMax how many times
	// git runs a blame for them. A line that needs more is unknown.
	hopsMax   = 12
	tracesMax = 40
	// spansMax bounds the ranges of lines in one call of git blame; for more, the whole
	// file is blamed.
	spansMax = 200
)

// Span is a range of lines of a file, both ends included, counted from 1.
type Span struct{ From, To int }

// Blame returns the given lines of a file with their origins, or all lines if there are no
// spans. The path is relative to the top of the repository. An empty rev stands for the
// worktree.
func (r *Resolver) Blame(ctx context.Context, path, rev string, spans ...Span) ([]Line, error) {
	ask := make([]span, len(spans))
	for i, s := range spans {
		ask[i] = span{s.From, s.To}
	}
	var raw []traced
	var err error
	if rev == "" {
		raw, err = r.blameNow(ctx, path, ask)
	} else {
		raw, err = r.blame(ctx, rev, path, ask)
	}
	if err != nil {
		return nil, err
	}
	lines := make([]Line, len(raw))
	var work []pursuit
	for i, t := range raw {
		b := t.commit
		lines[i] = Line{Number: t.final, Text: t.text, Commit: b.oid, CommitPath: b.path, CommitLine: t.line,
			Author: b.author, Mail: b.mail, Time: b.when, Summary: b.summary, Origin: unknown(None)}
		if b.oid.IsZero() {
			lines[i].CommitPath, lines[i].CommitLine, lines[i].Author, lines[i].Mail, lines[i].Summary = "", 0, "", "", ""
			continue
		}
		work = append(work, pursuit{of: i, at: b, line: t.line})
	}
	if len(work) < len(lines) {
		if err := r.uncommitted(ctx, path, lines); err != nil {
			return nil, err
		}
		moved, err := r.movedSinceHead(ctx, path, lines)
		if err != nil {
			return nil, err
		}
		work = append(work, moved...)
	}
	origins, err := r.pursue(ctx, work)
	if err != nil {
		return nil, err
	}
	for i, o := range origins {
		l := &lines[i]
		l.Origin, l.Unnamed = o, slices.Contains(r.links[l.Commit], o.Checkpoint)
	}
	return lines, nil
}

// uncommitted sets the origins of the lines that are not committed.
func (r *Resolver) uncommitted(ctx context.Context, path string, lines []Line) error {
	if r.opts.Uncommitted == nil {
		return nil
	}
	known, err := r.opts.Uncommitted(ctx, path)
	if err != nil {
		return err
	}
	for i := range lines {
		if l := &lines[i]; l.Commit.IsZero() && l.Number <= len(known) {
			l.Origin = known[l.Number-1]
		}
	}
	return r.doubtNow(ctx, path, lines)
}

// pursuit is a line of a commit's file whose origin is to be found.
type pursuit struct {
	of   int // the index in the caller's list
	at   *blamed
	line int

	moved bool // moved since HEAD
}

// pursue returns the origins of lines, by pursuit.of. It follows lines that were only
// moved to their earlier place, with one blame for each file and round.
func (r *Resolver) pursue(ctx context.Context, work []pursuit) (map[int]Origin, error) {
	return r.pursueTo(ctx, work, map[int]git.OID{})
}

// pursueTo is pursue and also stores in foundIn the commit in which each line was found.
func (r *Resolver) pursueTo(ctx context.Context, work []pursuit, foundIn map[int]git.OID) (map[int]Origin, error) {
	origins := map[int]Origin{}
	traces := 0
	for hop := 0; len(work) > 0; hop++ {
		if err := r.prepare(ctx, work); err != nil {
			return nil, err
		}
		further := map[versionKey][]pursuit{}
		var order []versionKey
		for _, p := range work {
			v, err := r.versionOf(ctx, p.at)
			if err != nil {
				return nil, err
			}
			f, err := v.origin(ctx, p.line)
			if err != nil {
				return nil, err
			}
			if f.line == 0 {
				if (hop > 0 || p.moved) && (f.Evidence == Recorded || f.Evidence == Aligned || f.Evidence == Content) {
					f.Evidence = Moved
				}
				origins[p.of], foundIn[p.of] = f.Origin, p.at.oid
				continue
			}
			if further[f.at] == nil {
				order = append(order, f.at)
			}
			further[f.at] = append(further[f.at], pursuit{of: p.of, line: f.line, moved: p.moved})
		}
		work = nil
		for _, key := range order {
			if traces++; traces > tracesMax || hop >= hopsMax {
				for _, p := range further[key] {
					origins[p.of] = unknown(None)
				}
				continue
			}
			next, err := r.traceOn(ctx, key, further[key])
			if err != nil {
				return nil, err
			}
			work = append(work, next...)
		}
	}
	return origins, nil
}

// prepare reads the commits, records and blobs for all lines at once.
func (r *Resolver) prepare(ctx context.Context, work []pursuit) error {
	var oids []git.OID
	var keys []versionKey
	seen := map[*blamed]bool{}
	for _, p := range work {
		if !seen[p.at] {
			seen[p.at] = true
			oids = append(oids, p.at.oid)
			keys = append(keys, versionKey{p.at.oid, p.at.path})
		}
	}
	if err := r.load(ctx, oids); err != nil {
		return err
	}
	return r.locate(ctx, keys)
}

// traceOn blames lines of an earlier version.
func (r *Resolver) traceOn(ctx context.Context, key versionKey, lines []pursuit) ([]pursuit, error) {
	raw, err := r.blame(ctx, key.commit.String(), key.path, spansOf(lines))
	if err != nil {
		return nil, err
	}
	at := make(map[int]traced, len(raw))
	for _, t := range raw {
		at[t.final] = t
	}
	var out []pursuit
	for _, p := range lines {
		if t, ok := at[p.line]; ok {
			out = append(out, pursuit{p.of, t.commit, t.line, p.moved})
		}
	}
	return out, nil
}

// spansOf returns the ranges that hold the lines; nil, for the whole file, if they would
// be too many.
func spansOf(lines []pursuit) []span {
	var ns []int
	for _, p := range lines {
		ns = append(ns, p.line)
	}
	slices.Sort(ns)
	var out []span
	for _, n := range ns {
		if k := len(out); k > 0 && n <= out[k-1].to+1 {
			out[k-1].to = n
			continue
		}
		out = append(out, span{n, n})
	}
	if len(out) > spansMax {
		return nil
	}
	return out
}
