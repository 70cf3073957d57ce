package lineage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire/internal/attribution"
	"entire/internal/git"
)

// Net is the total change of a range of commits, as a pull request shows it: from the
// merge base of its head and its base to the head.
type Net struct {
	From    git.OID      // the merge base; zero where there is none
	Commits []git.Commit // of the range, newest first
	Files   []NetFile    // sorted by path, without .entire
}

// NetFile is a file that the range changed. Its totals equal those of `git diff --numstat
// --minimal -M` from Net.From to the head.
type NetFile struct {
	Path    string
	OldPath string // the path in Net.From, if the file was renamed
	Skipped bool   // binary, a submodule or too large: its lines are not reported

	Lines, OldLines int
	Added           []NetLine // lines that the head has and Net.From does not have
	Removed         []NetLine // lines that Net.From has and the head does not have
}

// NetLine is a line that a range adds or removes. Its origin is who added or removed it.
type NetLine struct {
	Number int // from 1; of a removed line, in Net.From
	Text   string
	Origin
	Commit git.OID // added or removed the line; zero where that is unknown
	// MovedOnly is true if the range only moved or re-indented the line; origin and commit
	// then need not be set.
	MovedOnly bool
}

// Between reports who wrote the lines that a range of commits adds, and who removed the
// lines that it removes. It leaves out lines that the range both adds and removes. It
// calls progress, if not nil, before each file.
func (r *Resolver) Between(ctx context.Context, base, head git.OID, progress func(done, total int)) (*Net, error) {
	n := &Net{}
	if out, err := r.repo.Run(ctx, "merge-base", base.String(), head.String()); err == nil {
		if n.From, err = git.ParseOID(strings.TrimSpace(string(out))); err != nil {
			return nil, err
		}
	} else if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	h, err := r.commitsBetween(ctx, base, head)
	if err != nil {
		return nil, err
	}
	n.Commits = h.list
	changed, err := r.renames(ctx, n.From, head)
	if err != nil {
		return nil, err
	}
	b := &rangeBlame{r: r, from: n.From, head: head, history: h}
	for i, ch := range changed {
		if progress != nil {
			progress(i, len(changed))
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

// file reports who wrote and who removed lines of one file.
func (b *rangeBlame) file(ctx context.Context, ch renamedChange) (NetFile, error) {
	f := NetFile{Path: ch.Path, OldPath: ch.from}
	older, newer := blobOf(ch.OldMode, ch.Old), blobOf(ch.NewMode, ch.New)
	texts, err := b.r.texts(ctx, older, newer)
	if err != nil {
		return f, err
	}
	if texts == nil || older.IsZero() && newer.IsZero() {
		f.Skipped = true
		return f, nil
	}
	was, now := splitLines(texts[0]), splitLines(texts[1])
	f.OldLines, f.Lines = len(was), len(now)
	added, removed := attribution.Diff(texts[0], texts[1])
	f.Added, f.Removed = linesOf(added, now), linesOf(removed, was)
	if err := b.added(ctx, &f); err != nil {
		return f, err
	}
	return f, b.removed(ctx, &f)
}

// linesOf returns the lines that differ, whose origins are unknown.
func linesOf(differ []bool, lines [][]byte) (out []NetLine) {
	for i, is := range differ {
		if is {
			out = append(out, NetLine{Number: i + 1, Text: trimNewline(lines[i]), Origin: unknown(None)})
		}
	}
	return out
}

// added finds the commit that brought each added line, and the line's origin if the commit is
// in the range.
func (b *rangeBlame) added(ctx context.Context, f *NetFile) error {
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
		f.Added[q.index].Commit = q.commit.oid
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
	if b.history.commits[at.commit] == nil && !b.history.edge[at.commit] {
		return b.r.broughtBy(ctx, at, lines) // a revert of a commit that is not in the range
	}
	numbers := make([]int, len(lines))
	for i, q := range lines {
		numbers[i] = q.line
	}
	places, err := b.history.follow(ctx, at, numbers, b.history.earlier)
	commits := map[versionKey]*blamedCommit{}
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
