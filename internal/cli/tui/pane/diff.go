package pane

import (
	"fmt"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/paint"
	"entire/internal/patch"
	"entire/internal/timeline"
)

// A DiffText is a patch to be shown, with the colours of its files as far as they are known.
type DiffText struct {
	facts.Diff
	Colours map[int][][][]patch.Token // by file
}

// Colour returns the tokens of a line; a single plain one while they are not known.
func (d *DiffText) Colour(file, hunk, line int) []patch.Token {
	if c := d.Colours[file]; hunk < len(c) && line < len(c[hunk]) {
		return c[hunk][line]
	}
	return []patch.Token{{Text: d.Files[file].Hunks[hunk].Lines[line].Text}}
}

// AddDiff appends a patch to a document. Each file can be jumped to.
func AddDiff(doc *Doc, s Screen, d *DiffText) {
	for i, f := range d.Files {
		doc.Mark()
		doc.Add(fileHead(s, f))
		if f.Binary {
			doc.Add(paint.L(paint.Gap(2), paint.Span{Text: "binary", Role: paint.Faint}))
		}
		for h, hunk := range f.Hunks {
			doc.Add(hunkHead(hunk))
			digits := Digits(hunk)
			doc.Lazy(len(hunk.Lines), func(k int) paint.Line {
				return DiffLine(s, hunk.Lines[k], d.Colour(i, h, k), digits)
			})
		}
		doc.Add(nil)
	}
	if n := len(d.Left); n > 0 {
		doc.Add(paint.L(paint.Span{Text: "Left out, because there is too much of it: " + cliui.Count(n, "file"), Role: paint.Warn}))
	}
}

func fileHead(s Screen, f patch.File) paint.Line {
	name := s.File(paint.Strong, f.Path())
	line := paint.L(paint.Gap(1), name)
	switch {
	case f.Action == patch.Rename || f.Action == patch.Copy:
		line = append(line, paint.Say(paint.Faint, "  from "+cliui.ShownName(f.Old)))
	case f.Action != patch.Write:
		line = append(line, paint.Span{Text: "  " + actionWord(f.Action), Role: paint.Faint})
	}
	right := PlusMinus(s, f.Insertions, f.Deletions)
	if f.Binary {
		right = PlusMinus(s, -1, -1)
	}
	return paint.Row(s.Theme, s.W, line, append(right, paint.Gap(1))).On(paint.OnBar)
}

func actionWord(action string) string {
	switch action {
	case patch.Create:
		return "new"
	case patch.Remove:
		return "removed"
	case patch.Mode:
		return "mode"
	}
	return action
}

func hunkHead(h patch.Hunk) paint.Line {
	return paint.L(paint.Span{Text: fmt.Sprintf("@@ %d,%d @@ ", h.NewFrom, h.NewLines), Role: paint.Meta}, paint.Say(paint.Meta, h.Section))
}

// Digits returns how many digits the numbers of a hunk's lines have at the most.
func Digits(h patch.Hunk) int {
	return len(fmt.Sprint(max(h.OldFrom+h.OldLines-1, h.NewFrom+h.NewLines-1, 1)))
}

// DiffLine returns a line of a hunk: its number, sign and text.
func DiffLine(s Screen, l patch.Line, tokens []patch.Token, digits int) paint.Line {
	back, part, role := paint.OnNothing, paint.OnNothing, paint.Faint
	switch l.Op {
	case '+':
		back, part, role = paint.OnAdded, paint.OnAddedPart, paint.Added
	case '-':
		back, part, role = paint.OnRemoved, paint.OnRemovedPart, paint.Removed
	}
	var line paint.Line
	if s.W >= 50 {
		n := l.New
		if l.Op == '-' {
			n = l.Old
		}
		line = append(line, paint.Span{Text: s.PadLeft(fmt.Sprint(n), digits) + " ", Role: paint.Faint})
	}
	line = append(line, paint.Span{Text: string(l.Op) + " ", Role: role})
	for _, t := range tokens {
		span := CodeSpan(t)
		if t.Changed {
			span.Back = part
		}
		line = append(line, span)
	}
	if l.NoNewline {
		line = append(line, paint.Span{Text: "  no line feed at the end", Role: paint.Faint})
	}
	return line.Over(s.Theme, back, s.W)
}

// ChangesShown is how many changed files a list names.
const ChangesShown = 12

// ColouredFiles is how many files of one patch get colours.
const ColouredFiles = 60

// CodeSpan returns a piece of code in its colour.
func CodeSpan(t patch.Token) paint.Span {
	return paint.Say(codeRole(t.Kind), strings.TrimSuffix(t.Text, "\r"))
}

func codeRole(k patch.Kind) paint.Role {
	switch k {
	case patch.Keyword:
		return paint.SynKeyword
	case patch.Type, patch.Tag:
		return paint.SynType
	case patch.Function, patch.Heading:
		return paint.SynFunction
	case patch.Name, patch.Attribute:
		return paint.SynName
	case patch.String:
		return paint.SynString
	case patch.Number, patch.Constant:
		return paint.SynNumber
	case patch.Comment:
		return paint.SynComment
	case patch.Operator, patch.Punctuation:
		return paint.SynOperator
	case patch.Emphasis:
		return paint.Strong
	}
	return paint.Plain
}

// CodeLines returns the lines of a text in its colours, as package prose wants them.
func CodeLines(name, text string) []paint.Line {
	if !strings.Contains(name, ".") {
		name = "x." + name // a language, whose usual ending is often its name
	}
	rows := patch.Colour(name, text)
	out := make([]paint.Line, len(rows))
	for i, row := range rows {
		for _, t := range row {
			out[i] = append(out[i], CodeSpan(t))
		}
	}
	return out
}

// ChangeList returns the changed files, a line each.
func ChangeList(s Screen, changes []timeline.Change, most int) []paint.Line {
	var out []paint.Line
	for i, c := range changes {
		if i == most {
			out = append(out, paint.L(paint.Gap(2), paint.Span{Text: fmt.Sprintf("and %d more", len(changes)-most), Role: paint.Faint}))
			break
		}
		sign, role := ChangeSign(c.Action)
		left := paint.L(paint.Span{Text: " " + sign + " ", Role: role}, s.File(paint.Plain, c.Path))
		out = append(out, paint.Row(s.Theme, s.W, left, PlusMinus(s, c.Insertions, c.Deletions)))
	}
	return out
}

func ChangeSign(action string) (string, paint.Role) {
	switch action {
	case "create":
		return "A", paint.Added
	case "remove":
		return "D", paint.Removed
	case "mode":
		return "x", paint.Faint
	}
	return "M", paint.Accent
}
