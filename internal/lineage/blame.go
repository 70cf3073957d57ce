package lineage

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"entire/internal/git"
)

// span is a range of lines, both ends included, counted from 1.
type span struct{ from, to int }

// blamedLine is a line as git's blame reports it.
type blamedLine struct {
	number, line int // line numbers: in the requested file, and in the commit's file
	commit       *blamedCommit
	text         string
}

// blamedCommit is a commit that git names in a blame, with the file's path there.
type blamedCommit struct {
	oid          git.OID // zero for a line that is not committed
	path         string
	parent       git.OID // the parent, with the file's path there; zero for none
	parentPath   string
	author, mail string
	when         time.Time
	summary      string
}

// blame runs git blame over some lines of a file, or over all lines if spans is empty. An
// empty rev stands for the worktree; also holds further options for git.
func (r *Resolver) blame(ctx context.Context, rev, path string, spans []span, also ...string) ([]blamedLine, error) {
	args := []string{"-c", "blame.ignoreRevsFile=", "-c", "blame.markIgnoredLines=false", "-c", "blame.markUnblamableLines=false",
		"blame", "--porcelain", "-w", "--no-textconv"}
	args = append(args, also...)
	for _, s := range spans {
		args = append(args, "-L", fmt.Sprintf("%d,%d", s.from, s.to))
	}
	if rev != "" {
		args = append(args, rev)
	}
	out, err := r.repo.Run(ctx, append(args, "--", path)...)
	if err != nil {
		return nil, err
	}
	return parseBlame(out)
}

// parseBlame reads the output of git blame --porcelain.
func parseBlame(out []byte) ([]blamedLine, error) {
	p := blameParser{described: map[git.OID]*blamedCommit{}}
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
	described map[git.OID]*blamedCommit // by the last description that git printed
	commit    *blamedCommit
	unshared  bool // no earlier line shares now
	inLine    bool // the next line that starts with a tab is the text of the last entry
	lines     []blamedLine
}

func (p *blameParser) add(line string) error {
	if !p.inLine {
		return p.header(line)
	}
	if text, ok := strings.CutPrefix(line, "\t"); ok {
		p.inLine = false
		last := &p.lines[len(p.lines)-1]
		last.text, last.commit = text, p.commit
		p.described[p.commit.oid] = p.commit
		return nil
	}
	key, value, _ := strings.Cut(line, " ")
	if key == "previous" || key == "filename" {
		p.unshare()
	}
	switch key {
	case "author":
		p.commit.author = value
	case "author-mail":
		p.commit.mail = strings.TrimSuffix(strings.TrimPrefix(value, "<"), ">")
	case "author-time":
		if sec, err := strconv.ParseInt(value, 10, 64); err == nil {
			p.commit.when = time.Unix(sec, 0)
		}
	case "summary":
		p.commit.summary = value
	case "previous":
		name, path, _ := strings.Cut(value, " ")
		oid, err := git.ParseOID(name)
		if err != nil {
			return err
		}
		p.commit.parent, p.commit.parentPath = oid, unquote(path)
	case "filename":
		p.commit.path = unquote(value)
	}
	return nil
}

// unshare copies the description of the commit if an earlier line shares it, because the path
// of this line may differ.
func (p *blameParser) unshare() {
	if !p.unshared {
		one := *p.commit
		one.parent, one.parentPath = git.OID{}, ""
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
		known = &blamedCommit{oid: oid}
	}
	p.commit, p.inLine = known, true
	p.lines = append(p.lines, blamedLine{number: final, line: orig})
	return nil
}

// unquote returns the path that git printed; git quotes a path with unusual characters.
func unquote(s string) string {
	if !strings.HasPrefix(s, `"`) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] < utf8.RuneSelf {
			b.WriteByte(s[i])
		} else { // keep the byte, even if it is not valid UTF-8
			fmt.Fprintf(&b, `\x%02x`, s[i])
		}
	}
	if p, err := strconv.Unquote(b.String()); err == nil {
		return p
	}
	return s
}
