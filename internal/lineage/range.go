package lineage

import (
	"bytes"
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
	Added           []NetLine
	Removed         []NetRemoval
}

// NetLine is a line that the head has and Net.From does not have.
type NetLine struct {
	Line
	// MovedOnly is true if the range only moved or re-indented the line; the other fields then
	// need not be set.
	MovedOnly bool
}

// NetRemoval is a line that Net.From has and the head does not have. Commit removed it; it
// is zero where that is unknown. MovedOnly is true if the range only moved or re-indented the
// line.
type NetRemoval struct {
	RemovedLine
	Commit    git.OID
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
	b := &rangeBlame{r: r, net: n, head: head, children: map[git.OID][]git.OID{}}
	if err := b.list(ctx, base); err != nil {
		return nil, err
	}
	renamed, err := r.renames(ctx, n.From, head)
	if err != nil {
		return nil, err
	}
	for i, ch := range renamed {
		if progress != nil {
			progress(i, len(renamed))
		}
		f, err := b.file(ctx, ch)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", ch.Path, err)
		}
		n.Files = append(n.Files, f)
	}
	return n, nil
}

type rangeBlame struct {
	r        *Resolver
	net      *Net
	head     git.OID
	inRange  map[git.OID]bool
	children map[git.OID][]git.OID // of each commit, within the range
}

// list reads the commits of the range.
func (b *rangeBlame) list(ctx context.Context, base git.OID) error {
	out, err := b.r.repo.Run(ctx, "rev-list", b.head.String(), "^"+base.String(), "--")
	if err != nil {
		return err
	}
	b.inRange = map[git.OID]bool{}
	var oids []git.OID
	for name := range strings.FieldsSeq(string(out)) {
		oid, err := git.ParseOID(name)
		if err != nil {
			return err
		}
		oids = append(oids, oid)
		b.inRange[oid] = true
	}
	if err := b.r.load(ctx, oids); err != nil {
		return err
	}
	for _, oid := range oids {
		c := b.r.commits[oid]
		if c == nil {
			continue
		}
		b.net.Commits = append(b.net.Commits, c.Commit)
		for _, p := range c.Parents {
			b.children[p] = append(b.children[p], oid)
		}
	}
	return nil
}

// renamedChange is a changed file with its path before the change.
type renamedChange struct {
	git.Change
	from string
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

// parseRenames reads the output of `git diff-tree -z --raw`, which has two paths for a
// renamed file.
func parseRenames(out []byte) ([]renamedChange, error) {
	var list []renamedChange
	fields := bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0})
	for len(fields) > 0 && len(fields[0]) > 0 {
		head := string(fields[0])
		paths := 1
		if i := strings.LastIndexByte(head, ' '); i >= 0 && i+1 < len(head) && (head[i+1] == 'R' || head[i+1] == 'C') {
			paths = 2
		}
		if len(fields) < paths+1 {
			return nil, fmt.Errorf("read git diff-tree: it ends in the middle of a file")
		}
		one, err := git.ParseRaw(bytes.Join([][]byte{fields[0], fields[paths], nil}, []byte{0}))
		if err != nil {
			return nil, err
		}
		if len(one) != 1 {
			return nil, fmt.Errorf("read git diff-tree: %.60q is no file", head)
		}
		c := renamedChange{Change: one[0]}
		if paths == 2 {
			c.from = string(fields[1])
		}
		list, fields = append(list, c), fields[paths+1:]
	}
	return list, nil
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
	if err := b.added(ctx, &f, added, now); err != nil {
		return f, err
	}
	return f, b.removed(ctx, &f, removed, was)
}

// added blames each added line, and finds its origin if a commit of the range brought it.
func (b *rangeBlame) added(ctx context.Context, f *NetFile, added []bool, lines [][]byte) error {
	var ask []lineQuery
	for i, is := range added {
		if is {
			ask = append(ask, lineQuery{line: i + 1})
		}
	}
	if len(ask) == 0 {
		return nil
	}
	raw, err := b.r.blame(ctx, b.revisions(), f.Path, spansOf(ask))
	if err != nil {
		return err
	}
	var work []lineQuery
	for _, t := range raw {
		if t.number < 1 || t.number > len(added) || !added[t.number-1] {
			continue
		}
		c := t.commit
		l := NetLine{MovedOnly: !b.inRange[c.oid], Line: Line{Number: t.number, Text: trimNewline(lines[t.number-1]), Commit: c.oid, CommitPath: c.path, CommitLine: t.line,
			Author: c.author, Mail: c.mail, Time: c.when, Summary: c.summary, Origin: unknown(None)}}
		if !l.MovedOnly {
			work = append(work, lineQuery{index: len(f.Added), commit: c, line: t.line})
		}
		f.Added = append(f.Added, l)
	}
	foundIn := map[int]git.OID{}
	origins, err := b.r.resolveLinesIn(ctx, work, foundIn)
	if err != nil {
		return err
	}
	for i, o := range origins {
		f.Added[i].Origin = o
		if at := foundIn[i]; !at.IsZero() && !b.inRange[at] {
			f.Added[i].MovedOnly = true
		}
	}
	return nil
}

// revisions returns the revision range for git blame.
func (b *rangeBlame) revisions() string {
	if b.net.From.IsZero() {
		return b.head.String()
	}
	return b.net.From.String() + ".." + b.head.String()
}
