package gitblame

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire/internal/git"
	"entire/internal/pathtext"
)

// Span is a range of lines, both ends included, counted from 1.
type Span struct{ From, To int }

// spansMax bounds the ranges of lines in one call of git blame; for more, the whole file is blamed.
const spansMax = 200

// Spans returns the ranges that hold lines, which it sorts; nil, for the whole file, if they would be too many.
func Spans(lines []int) []Span {
	slices.Sort(lines)
	var out []Span
	for _, n := range lines {
		if k := len(out); k > 0 && n <= out[k-1].To+1 {
			out[k-1].To = n
			continue
		}
		out = append(out, Span{From: n, To: n})
	}
	if len(out) > spansMax {
		return nil
	}
	return out
}

// Line is a line as git's blame reports it.
type Line struct {
	Number, Origin int // line numbers: in the requested file, and in the commit's file
	Commit         *Commit
	Text           string
}

// Commit is a commit that git names in a blame, with the file's path there.
type Commit struct {
	OID          git.OID // zero for a line that is not committed
	Path         string
	Parent       git.OID // the parent, with the file's path there; zero for none
	ParentPath   string
	Author, Mail string
	When         time.Time
	Summary      string
}

// Blamer answers for one repository.
type Blamer struct {
	Repo     *git.Repo
	CacheDir string // the folder that keeps answers between runs; "" keeps none
}

// Lines returns some lines of a file, or all lines if spans is empty. It returns git's [git.ExitError] for a path or
// a span that is not there.
func (b Blamer) Lines(ctx context.Context, rev, path string, spans []Span) ([]Line, error) {
	q, err := b.question(ctx, rev, path, spans)
	if err != nil {
		return nil, err
	}
	if lines, ok := b.remembered(q); ok {
		return lines, nil
	}
	var lines []Line
	if rev == "" {
		lines, err = b.worktree(ctx, path, spans)
	} else {
		lines, err = b.run(ctx, rev, path, spans)
	}
	if err == nil {
		b.remember(q, lines)
	}
	return lines, err
}

// run runs git blame. An empty rev stands for the worktree.
func (b Blamer) run(ctx context.Context, rev, path string, spans []Span) ([]Line, error) {
	args := []string{"-c", "blame.ignoreRevsFile=", "-c", "blame.markIgnoredLines=false", "-c", "blame.markUnblamableLines=false",
		"blame", "--porcelain", "-w", "--no-textconv"}
	for _, s := range spans {
		args = append(args, "-L", fmt.Sprintf("%d,%d", s.From, s.To))
	}
	if rev != "" {
		args = append(args, rev)
	}
	out, err := b.Repo.Run(ctx, append(args, "--", path)...)
	if err != nil {
		return nil, err
	}
	return parseBlame(out)
}

// parseBlame reads the output of git blame --porcelain.
func parseBlame(out []byte) ([]Line, error) {
	p := blameParser{described: map[git.OID]*Commit{}}
	for len(out) > 0 {
		line, rest, _ := bytes.Cut(out, []byte{'\n'})
		out = rest
		if err := p.add(string(line)); err != nil {
			return nil, fmt.Errorf("read git blame: %w", err)
		}
	}
	if p.inLine {
		return nil, fmt.Errorf("read git blame: it ends in the middle of a line")
	}
	return p.lines, nil
}

type blameParser struct {
	described map[git.OID]*Commit // by the last description that git printed
	commit    *Commit
	unshared  bool // no earlier line shares now
	inLine    bool // the next line that starts with a tab is the text of the last entry
	lines     []Line
}

// add takes a line of `git blame --porcelain`, which describes a commit only at its first line: later lines
// share the description.
func (p *blameParser) add(line string) error {
	if !p.inLine {
		return p.header(line)
	}
	if text, ok := strings.CutPrefix(line, "\t"); ok {
		p.inLine = false
		last := &p.lines[len(p.lines)-1]
		last.Text, last.Commit = text, p.commit
		p.described[p.commit.OID] = p.commit
		return nil
	}
	key, value, _ := strings.Cut(line, " ")
	if key == "previous" || key == "filename" {
		p.unshare()
	}
	switch key {
	case "author":
		p.commit.Author = value
	case "author-mail":
		p.commit.Mail = strings.TrimSuffix(strings.TrimPrefix(value, "<"), ">")
	case "author-time":
		if sec, err := strconv.ParseInt(value, 10, 64); err == nil {
			p.commit.When = time.Unix(sec, 0)
		}
	case "summary":
		p.commit.Summary = value
	case "previous":
		name, path, _ := strings.Cut(value, " ")
		oid, err := git.ParseOID(name)
		if err != nil {
			return err
		}
		p.commit.Parent, p.commit.ParentPath = oid, unquote(path)
	case "filename":
		p.commit.Path = unquote(value)
	}
	return nil
}

// unshare copies the description of the commit if an earlier line shares it, because the path
// of this line may differ.
func (p *blameParser) unshare() {
	if !p.unshared {
		one := *p.commit
		one.Parent, one.ParentPath = git.OID{}, ""
		p.commit, p.unshared = &one, true
	}
}

func (p *blameParser) header(line string) error {
	f := strings.Fields(line)
	if len(f) < 3 {
		return fmt.Errorf("%.40q is no header", line)
	}
	oid, err := git.ParseOID(f[0])
	if err != nil {
		return err
	}
	orig, err := strconv.Atoi(f[1])
	if err != nil {
		return err
	}
	final, err := strconv.Atoi(f[2])
	if err != nil {
		return err
	}
	known := p.described[oid]
	if p.unshared = known == nil; p.unshared {
		known = &Commit{OID: oid}
	}
	p.commit, p.inLine = known, true
	p.lines = append(p.lines, Line{Number: final, Origin: orig})
	return nil
}

// unquote returns the path that git printed; git quotes a path with unusual characters.
func unquote(text string) string {
	if path, err := pathtext.Unquote(text); err == nil {
		return path
	}
	return text
}
