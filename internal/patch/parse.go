package patch

import (
	"entire/internal/pathtext"
	"fmt"
	"strconv"
	"strings"
)

// Parse reads a patch in git's own form. Text before the first file is left out. An error names the line
// of the patch that is not as git writes it; the files before that line are returned with it.
func Parse(text []byte) ([]File, error) {
	p := parser{rest: string(text)}
	var files []File
	for p.skipTo("diff --git ") {
		f, err := p.file()
		if err != nil {
			return files, fmt.Errorf("read a patch: line %d: %w", p.number, err)
		}
		files = append(files, f)
	}
	return files, nil
}

// parser stands before a line of the patch.
type parser struct {
	rest   string
	number int // of the line that was taken last, from 1
}

// peek returns the next line without its line feed.
func (p *parser) peek() (string, bool) {
	line, _, _ := strings.Cut(p.rest, "\n")
	return line, p.rest != ""
}

func (p *parser) take() string {
	line, rest, _ := strings.Cut(p.rest, "\n")
	p.rest = rest
	p.number++
	return line
}

// skipTo leaves out lines until one begins with prefix.
func (p *parser) skipTo(prefix string) bool {
	for p.rest != "" {
		if strings.HasPrefix(p.rest, prefix) {
			return true
		}
		p.take()
	}
	return false
}

// file reads one file, from its "diff --git" line on.
func (p *parser) file() (File, error) {
	f := File{Action: Write}
	f.Old, f.New = headerPaths(strings.TrimPrefix(p.take(), "diff --git "))
	for {
		line, ok := p.peek()
		if !ok || strings.HasPrefix(line, "diff --git ") {
			return f.finish(), nil
		}
		if strings.HasPrefix(line, "@@ ") {
			break
		}
		p.take()
		if err := f.header(line); err != nil {
			return f, err
		}
	}
	for {
		line, ok := p.peek()
		if !ok || !strings.HasPrefix(line, "@@ ") {
			return f.finish(), nil
		}
		h, err := p.hunk()
		if err != nil {
			return f, err
		}
		f.Hunks = append(f.Hunks, h)
	}
}

// finish completes what follows from all lines of the file.
func (f File) finish() File {
	if f.Action == Write && len(f.Hunks) == 0 && !f.Binary && f.OldMode != f.NewMode {
		f.Action = Mode
	}
	switch f.Action {
	case Create:
		f.Old = ""
	case Remove:
		f.New = ""
	}
	for i := range f.Hunks {
		for _, l := range f.Hunks[i].Lines {
			switch l.Op {
			case '+':
				f.Insertions++
			case '-':
				f.Deletions++
			}
		}
		f.Hunks[i].mark()
	}
	return f
}

// header reads a line between "diff --git" and the first hunk.
func (f *File) header(line string) (err error) {
	if f.Binary { // what follows is data
		return nil
	}
	word, value, _ := strings.Cut(line, " ")
	switch word {
	case "old":
		f.OldMode = strings.TrimPrefix(value, "mode ")
	case "new":
		if mode, ok := strings.CutPrefix(value, "file mode "); ok {
			f.Action, f.NewMode = Create, mode
		} else {
			f.NewMode = strings.TrimPrefix(value, "mode ")
		}
	case "deleted":
		f.Action, f.OldMode = Remove, strings.TrimPrefix(value, "file mode ")
	case "index":
		if _, mode, ok := strings.Cut(value, " "); ok {
			f.OldMode, f.NewMode = mode, mode
		}
	case "rename", "copy":
		return f.moved(word, value)
	case "---":
		f.Old, err = sidePath(value, f.Old)
	case "+++":
		f.New, err = sidePath(value, f.New)
	case "Binary", "GIT":
		f.Binary = true
	}
	return err
}

// moved reads "rename from PATH", "copy to PATH" and the like.
func (f *File) moved(word, value string) error {
	f.Action = word
	side, path, _ := strings.Cut(value, " ")
	path, err := pathtext.Unquote(path)
	if err != nil {
		return err
	}
	if side == "from" {
		f.Old = path
	} else {
		f.New = path
	}
	return nil
}

// hunk reads one hunk, from its "@@" line on.
func (p *parser) hunk() (Hunk, error) {
	h, err := hunkHeader(p.take())
	if err != nil {
		return h, err
	}
	old, new := firstLine(h.OldFrom, h.OldLines), firstLine(h.NewFrom, h.NewLines)
	oldEnd, newEnd := old+h.OldLines, new+h.NewLines
	for {
		line, ok := p.peek()
		if last := len(h.Lines) - 1; ok && strings.HasPrefix(line, `\`) && last >= 0 {
			p.take()
			h.Lines[last].NoNewline = true
			continue
		}
		if old == oldEnd && new == newEnd {
			return h, nil
		}
		p.take()
		if !ok {
			return h, fmt.Errorf("the hunk ends early: %d lines of the old and %d of the new file are missing", oldEnd-old, newEnd-new)
		}
		l := Line{Op: ' '}
		if line != "" {
			l.Op, l.Text = line[0], line[1:]
		}
		if l.Op == ' ' || l.Op == '-' {
			l.Old = old
			old++
		}
		if l.Op == ' ' || l.Op == '+' {
			l.New = new
			new++
		}
		if l.Old == 0 && l.New == 0 || old > oldEnd || new > newEnd {
			return h, fmt.Errorf("%q is no line of the hunk", shortened(line))
		}
		h.Lines = append(h.Lines, l)
	}
}

// firstLine is the number of a hunk's first line; git names the line before an empty range.
func firstLine(from, lines int) int {
	if lines == 0 {
		return from + 1
	}
	return from
}

// hunkHeader reads "@@ -1,2 +3,4 @@ section".
func hunkHeader(line string) (h Hunk, err error) {
	bad := fmt.Errorf("%q is no beginning of a hunk", shortened(line))
	ranges, section, ok := strings.Cut(strings.TrimPrefix(line, "@@ "), " @@")
	old, new, two := strings.Cut(ranges, " ")
	if !ok || !two {
		return h, bad
	}
	var okOld, okNew bool
	h.OldFrom, h.OldLines, okOld = lineRange(old, "-")
	h.NewFrom, h.NewLines, okNew = lineRange(new, "+")
	if !okOld || !okNew {
		return h, bad
	}
	h.Section = strings.TrimPrefix(section, " ")
	return h, nil
}

// maxNumber bounds the numbers of lines, so that sums stay in range.
const maxNumber = 1 << 30

// lineRange reads "-12,3", or "-12" for one line.
func lineRange(text, sign string) (from, lines int, ok bool) {
	text, ok = strings.CutPrefix(text, sign)
	first, count, two := strings.Cut(text, ",")
	from, err := strconv.Atoi(first)
	lines = 1
	if err == nil && two {
		lines, err = strconv.Atoi(count)
	}
	ok = ok && err == nil && from >= 0 && lines >= 0 && from < maxNumber && lines < maxNumber && (from > 0 || lines == 0)
	return from, lines, ok
}

// shortened is the beginning of a line, for an error.
func shortened(line string) string {
	if len(line) > 60 {
		return line[:60] + "…"
	}
	return line
}
