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

// traced is a line as git's blame reports it.
type traced struct {
	final, line int // line numbers: in the requested file, and in the commit's file
	commit      *blamed
	text        string
}

// blamed is a commit that git names in a blame, with the file's path there.
type blamed struct {
	oid          git.OID // zero for a line that is not committed
	path         string
	previous     git.OID // the parent, with the file's path there; zero for none
	previousPath string
	author, mail string
	when         time.Time
	summary      string
}

// blame runs git blame over some lines of a file, or over all lines if spans is empty. An
// empty rev stands for the worktree; also holds further options for git.
func (r *Resolver) blame(ctx context.Context, rev, path string, spans []span, also ...string) ([]traced, error) {
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
func parseBlame(out []byte) ([]traced, error) {
	p := blameParser{heads: map[git.OID]*blamed{}}
	for len(out) > 0 {
		line, rest, _ := bytes.Cut(out, []byte{'\n'})
		out = rest
		if err := p.add(string(line)); err != nil {
			return nil, fmt.Errorf("read git blame: %w", err)
		}
	}
	if p.open {
		return nil, fmt.Errorf("read git blame: it ends in the middle of a line")
	}
	return p.lines, nil
}

type blameParser struct {
	heads map[git.OID]*blamed // by the last description that git printed
	now   *blamed
	fresh bool // no earlier line shares now
	open  bool // the next line that starts with a tab is the text of the last entry
	lines []traced
}

func (p *blameParser) add(line string) error {
	if !p.open {
		return p.header(line)
	}
	if text, ok := strings.CutPrefix(line, "\t"); ok {
		p.open = false
		last := &p.lines[len(p.lines)-1]
		last.text, last.commit = text, p.now
		p.heads[p.now.oid] = p.now
		return nil
	}
	key, value, _ := strings.Cut(line, " ")
	if key == "previous" || key == "filename" {
		p.own()
	}
	switch key {
	case "author":
		p.now.author = value
	case "author-mail":
		p.now.mail = strings.TrimSuffix(strings.TrimPrefix(value, "<"), ">")
	case "author-time":
		if sec, err := strconv.ParseInt(value, 10, 64); err == nil {
			p.now.when = time.Unix(sec, 0)
		}
	case "summary":
		p.now.summary = value
	case "previous":
		name, path, _ := strings.Cut(value, " ")
		oid, err := git.ParseOID(name)
		if err != nil {
			return err
		}
		p.now.previous, p.now.previousPath = oid, unquote(path)
	case "filename":
		p.now.path = unquote(value)
	}
	return nil
}

// own copies the description of the commit if an earlier line shares it, because the path
// of this line may differ.
func (p *blameParser) own() {
	if !p.fresh {
		one := *p.now
		one.previous, one.previousPath = git.OID{}, ""
		p.now, p.fresh = &one, true
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
	known := p.heads[oid]
	if p.fresh = known == nil; p.fresh {
		known = &blamed{oid: oid}
	}
	p.now, p.open = known, true
	p.lines = append(p.lines, traced{final: final, line: orig})
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
