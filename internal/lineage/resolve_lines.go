package lineage

import (
	"context"
	"slices"

	"entire/internal/git"
	"entire/internal/lineage/gitblame"
)

const (
	// movesMax bounds how many moves of a line are followed, and blamesMax how many times
	// git runs a blame for them. A line that needs more is unknown.
	movesMax  = 12
	blamesMax = 40
)

// Span is a range of lines of a file, both ends included, counted from 1.
type Span = gitblame.Span

// Blame returns the given lines of a file with their origins, or all lines if there are no
// spans. The path is relative to the top of the repository. An empty rev stands for the
// worktree.
func (r *Resolver) Blame(ctx context.Context, path, rev string, spans ...Span) ([]Line, error) {
	raw, err := r.blame.Lines(ctx, rev, path, spans)
	if err != nil {
		return nil, err
	}
	lines := make([]Line, len(raw))
	var work []lineQuery
	for i, t := range raw {
		b := t.Commit
		lines[i] = Line{Number: t.Number, Text: t.Text, Commit: b.OID, CommitPath: b.Path, CommitLine: t.Origin,
			Author: b.Author, Mail: b.Mail, Time: b.When, Summary: b.Summary, Origin: unknown(None)}
		if b.OID.IsZero() {
			lines[i].CommitPath, lines[i].CommitLine, lines[i].Author, lines[i].Mail, lines[i].Summary = "", 0, "", "", ""
			continue
		}
		work = append(work, lineQuery{index: i, commit: b, line: t.Origin})
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
	found, err := r.resolve(ctx, work, r.broughtBy)
	if err != nil {
		return nil, err
	}
	for i, o := range found {
		l := &lines[i]
		l.Origin, l.WithoutTrailer = o.Origin, slices.Contains(r.links[l.Commit], o.Checkpoint)
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
	return r.assignUncommittedEarlier(ctx, path, lines)
}

// lineQuery is a line of a commit's file whose origin is to be found.
type lineQuery struct {
	index  int // the index in the caller's list
	commit *gitblame.Commit
	line   int

	moved bool // moved since HEAD
}

// found is a line's origin, and the commit in which it was found.
type found struct {
	Origin
	commit git.OID
}

// resolve returns the origins of lines, by lineQuery.index. It follows lines that were only
// moved to their earlier place, and asks broughtBy which commits brought them there, once for
// each file and round. Lines that broughtBy leaves out have no origin.
func (r *Resolver) resolve(ctx context.Context, work []lineQuery, broughtBy func(context.Context, versionKey, []lineQuery) ([]lineQuery, error)) (map[int]found, error) {
	origins := map[int]found{}
	traces := 0
	for hop := 0; len(work) > 0; hop++ {
		if err := r.prepare(ctx, work); err != nil {
			return nil, err
		}
		further := map[versionKey][]lineQuery{}
		var order []versionKey
		for _, p := range work {
			v, err := r.versionOf(ctx, p.commit)
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
				origins[p.index] = found{f.Origin, p.commit.OID}
				continue
			}
			if further[f.at] == nil {
				order = append(order, f.at)
			}
			further[f.at] = append(further[f.at], lineQuery{index: p.index, line: f.line, moved: p.moved})
		}
		work = nil
		for _, key := range order {
			if traces++; traces > blamesMax || hop >= movesMax {
				for _, p := range further[key] {
					origins[p.index] = found{Origin: unknown(None)}
				}
				continue
			}
			next, err := broughtBy(ctx, key, further[key])
			if err != nil {
				return nil, err
			}
			work = append(work, next...)
		}
	}
	return origins, nil
}

// prepare reads the commits, records and blobs for all lines at once.
func (r *Resolver) prepare(ctx context.Context, work []lineQuery) error {
	var oids []git.OID
	var keys []versionKey
	seen := map[*gitblame.Commit]bool{}
	for _, p := range work {
		if !seen[p.commit] {
			seen[p.commit] = true
			oids = append(oids, p.commit.OID)
			keys = append(keys, versionKey{p.commit.OID, p.commit.Path})
		}
	}
	if err := r.load(ctx, oids); err != nil {
		return err
	}
	return r.locate(ctx, keys)
}

// broughtBy returns the lines of a version with the commits that brought them.
func (r *Resolver) broughtBy(ctx context.Context, key versionKey, lines []lineQuery) ([]lineQuery, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	raw, err := r.blame.Lines(ctx, key.commit.String(), key.path, spansOf(lines))
	if err != nil {
		return nil, err
	}
	at := make(map[int]gitblame.Line, len(raw))
	for _, t := range raw {
		at[t.Number] = t
	}
	var out []lineQuery
	for _, p := range lines {
		if t, ok := at[p.line]; ok {
			out = append(out, lineQuery{p.index, t.Commit, t.Origin, p.moved})
		}
	}
	return out, nil
}

// spansOf returns the ranges that hold the lines; nil, for the whole file, if they would be too many.
func spansOf(lines []lineQuery) []Span {
	var ns []int
	for _, p := range lines {
		ns = append(ns, p.line)
	}
	return gitblame.Spans(ns)
}
