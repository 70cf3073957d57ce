package lineage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire/internal/attribution"
	"entire/internal/git"
	"entire/internal/lineage/gitblame"
)

// Net is the total change of a range of commits, as a pull request shows it: from the
// merge base of its head and its base to the head. The totals of its files equal those of
// `git diff --numstat --minimal -M` from From to the head.
type Net struct {
	From    git.OID      // the merge base; zero where there is none
	Commits []git.Commit // of the range, newest first
	Files   []ChangedFile
}

// Between reports who wrote the lines that a range of commits adds, and who removed the
// lines that it removes. It leaves out lines that the range both adds and removes. It
// calls progress, if not nil, before each file.
func (r *Resolver) Between(ctx context.Context, base, head git.OID, progress func(done, total int)) (*Net, error) {
	h, err := r.commitsBetween(ctx, base, head)
	if err != nil {
		return nil, err
	}
	n := &Net{Commits: h.list}
	if out, err := r.repo.Run(ctx, "merge-base", base.String(), head.String()); err == nil {
		if n.From, err = git.ParseOID(strings.TrimSpace(string(out))); err != nil {
			return nil, err
		}
	} else if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	changed, err := r.renames(ctx, n.From, head)
	if err != nil {
		return nil, err
	}
	b := &rangeBlame{r: r, from: n.From, head: head, history: h}
	for i, ch := range changed {
		if progress != nil {
			progress(i, len(changed))
		}
		if i%readAhead == 0 {
			if err := b.read(ctx, changed[i:min(i+readAhead, len(changed))]); err != nil {
				return nil, err
			}
		}
		f, err := b.file(ctx, ch)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", ch.Path, err)
		}
		n.Files = append(n.Files, f)
	}
	return n, nil
}

// rangeBlame finds who wrote and who removed the lines of one file after the other.
type rangeBlame struct {
	r          *Resolver
	from, head git.OID
	history    *history
}

const (
	// readAhead is how many files are read at once, with their versions in the range: up to
	// versionsMax of each, and no text longer than shortText. The others are read one by one.
	readAhead   = 64
	versionsMax = 16
	shortText   = 64 << 10
)

// read reads the versions of files.
func (b *rangeBlame) read(ctx context.Context, changed []renamedChange) error {
	var specs []string
	wanted := map[git.OID]bool{{}: true}
	for _, ch := range changed {
		versions := append([]git.OID{ch.Old, ch.New}, b.history.blobs[ch.oldPath()]...)
		if ch.from != "" {
			versions = append(versions, b.history.blobs[ch.Path]...)
		}
		for _, oid := range versions[:min(len(versions), versionsMax)] {
			if !wanted[oid] {
				wanted[oid], specs = true, append(specs, oid.String())
			}
		}
	}
	objs, err := b.r.repo.Reader(ctx).Small(shortText, specs...)
	b.r.ready = make(map[git.OID]git.Object, len(objs))
	for _, o := range objs {
		if !o.Large {
			b.r.ready[o.OID] = o
		}
	}
	return err
}

// file reports who wrote and who removed lines of one file.
func (b *rangeBlame) file(ctx context.Context, ch renamedChange) (ChangedFile, error) {
	f := ChangedFile{Path: ch.Path, OldPath: ch.from}
	older, newer := blobOf(ch.OldMode, ch.Old), blobOf(ch.NewMode, ch.New)
	texts, err := b.r.texts(ctx, older, newer)
	if err != nil {
		return f, err
	}
	if texts == nil || older.IsZero() && newer.IsZero() {
		f.Skipped = true
		return f, nil
	}
	added, removed := b.r.compared.Diff(texts[0], texts[1])
	f.fill(attribution.SplitLines(texts[0]), attribution.SplitLines(texts[1]), added, removed)
	if err := b.added(ctx, &f); err != nil {
		return f, err
	}
	return f, b.removed(ctx, &f)
}

// added finds the commit that brought each added line, and the line's origin if the commit is
// in the range.
func (b *rangeBlame) added(ctx context.Context, f *ChangedFile) error {
	work := make([]lineQuery, len(f.Added))
	for i := range f.Added {
		work[i] = lineQuery{index: i, line: f.Added[i].Number}
	}
	work, err := b.broughtBy(ctx, versionKey{b.head, f.Path}, work)
	if err != nil {
		return err
	}
	for i := range f.Added {
		f.Added[i].MovedOnly = true
	}
	for _, q := range work {
		f.Added[q.index].Commit = q.commit.OID
	}
	found, err := b.r.resolve(ctx, work, b.broughtBy)
	for i, o := range found {
		f.Added[i].Origin, f.Added[i].MovedOnly = o.Origin, !o.commit.IsZero() && b.history.commits[o.commit] == nil
	}
	return err
}

// broughtBy returns the lines of a version with the commits that brought them, without the
// lines that are older than the range.
func (b *rangeBlame) broughtBy(ctx context.Context, at versionKey, lines []lineQuery) (out []lineQuery, err error) {
	if b.history.commits[at.commit] == nil && b.history.children[at.commit] == nil {
		return b.r.broughtBy(ctx, at, lines) // a revert of a commit that is not in the range
	}
	numbers := make([]int, len(lines))
	for i, q := range lines {
		numbers[i] = q.line
	}
	places, err := b.history.follow(ctx, at, numbers, true)
	commits := map[versionKey]*gitblame.Commit{}
	for i, p := range places {
		if b.history.commits[p.at.commit] == nil {
			continue
		}
		if commits[p.at] == nil {
			if commits[p.at], err = b.history.describe(ctx, p.at); err != nil {
				return nil, err
			}
		}
		q := lines[i]
		q.commit, q.line = commits[p.at], p.line
		out = append(out, q)
	}
	return out, err
}

// renames returns the files that differ between two commits, with renames detected.
func (r *Resolver) renames(ctx context.Context, from, to git.OID) ([]renamedChange, error) {
	below := r.repo.EmptyTree().String()
	if !from.IsZero() {
		below = from.String()
	}
	out, err := r.repo.Run(ctx, "diff-tree", "-r", "-z", "-M", "--raw", "--full-index", "--no-ext-diff", below, to.String(), "--")
	if err != nil {
		return nil, err
	}
	list, err := parseRenames(out)
	return slices.DeleteFunc(list, func(c renamedChange) bool { return strings.HasPrefix(c.Path, ".entire/") }), err
}
