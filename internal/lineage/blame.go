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

// span is lines from one to another, both included, from 1.
type span struct{ from, to int }

// traced is a line as git's blame reports it.
type traced struct {
	final, line int // in the file asked about, and in the commit
	commit      *blamed
	text        string
}

// blamed is a commit, under one path, that git names in a blame.
type blamed struct {
	oid          git.OID // zero: not committed
	path         string
	previous     git.OID // the parent, and the path there; zero for none
	previousPath string
	author, mail string
	when         time.Time
	summary      string
}

// blame runs git blame over some lines of a file; all of them when there are no
// spans. An empty rev is the worktree; also are options.
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

// parseBlame reads git blame --porcelain.
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
	heads map[git.OID]*blamed // as last described
	now   *blamed
	fresh bool // now is not shared with earlier lines
	open  bool // the text of a line is still to come
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

// own makes the commit's description this line's: it is under another path than
// before, perhaps.
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

// unquote reads a path as git writes one with unusual characters.
func unquote(s string) string {
	if !strings.HasPrefix(s, `"`) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] < utf8.RuneSelf {
			b.WriteByte(s[i])
		} else { // as it is, whether or not it is UTF-8
			fmt.Fprintf(&b, `\x%02x`, s[i])
		}
	}
	if p, err := strconv.Unquote(b.String()); err == nil {
		return p
	}
	return s
}
