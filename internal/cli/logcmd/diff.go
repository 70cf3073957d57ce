package logcmd

import (
	"fmt"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/patch"
	"entire/internal/term"
)

// patchText returns a patch as git printed it for a file or a program, and with colours for a terminal.
func (s shower) patchText(text string) string {
	t := s.env.Screen()
	if !term.IsTerminal(s.env.Out) {
		return text
	}
	files, err := patch.Parse([]byte(text))
	if err != nil {
		return cliui.Printable(text)
	}
	var b strings.Builder
	for _, f := range files {
		writeFile(&b, f, t)
	}
	return b.String()
}

var actionWords = map[string]string{
	patch.Create: "new", patch.Remove: "removed", patch.Mode: "mode", patch.Rename: "renamed", patch.Copy: "copied",
}

func writeFile(b *strings.Builder, f patch.File, t term.Terminal) {
	name := cliui.ShownName(f.Path())
	if word := actionWords[f.Action]; word != "" {
		name += " (" + word
		switch f.Action {
		case patch.Mode:
			name += " " + f.OldMode + " to " + f.NewMode
		case patch.Rename, patch.Copy:
			name += " from " + cliui.ShownName(f.Old)
		}
		name += ")"
	}
	fmt.Fprintf(b, "%s\n", t.Styled(term.Strong, name))
	if f.Binary {
		b.WriteString("  binary\n")
	}
	for _, h := range f.Hunks {
		fmt.Fprintf(b, "%s\n", t.Styled(term.Faint, fmt.Sprintf("@@ -%d,%d +%d,%d @@ %s", h.OldFrom, h.OldLines, h.NewFrom, h.NewLines, cliui.ShownLine(h.Section))))
		for _, l := range h.Lines {
			writeLine(b, l, t)
		}
	}
	b.WriteString("\n")
}

// shownLine bounds the bytes of one line on a terminal.
const shownLine = 2000

func writeLine(b *strings.Builder, l patch.Line, t term.Terminal) {
	plain, changed := term.Strong, term.Strong
	show := func(_ term.Style, text string) string { return cliui.Printable(expand(text)) }
	switch l.Op {
	case '+':
		plain, changed = term.Good, term.Added
	case '-':
		plain, changed = term.Bad, term.Taken
	}
	if l.Op != ' ' {
		show = func(s term.Style, text string) string { return t.Styled(s, cliui.Printable(expand(text))) }
	}
	text, rest := l.Text, 0
	if len(text) > shownLine {
		text, rest = strings.ToValidUTF8(text[:shownLine], ""), len(text)-shownLine
	}
	b.WriteString(show(plain, string(l.Op)))
	at := 0
	for _, m := range l.Marks {
		from, to := min(m.From, len(text)), min(m.To, len(text))
		b.WriteString(show(plain, text[at:from]))
		b.WriteString(show(changed, text[from:to]))
		at = to
	}
	b.WriteString(show(plain, text[at:]))
	if rest > 0 {
		b.WriteString(t.Styled(term.Faint, fmt.Sprintf(" … %d more bytes", rest)))
	}
	b.WriteString("\n")
	if l.NoNewline {
		fmt.Fprintf(b, "%s\n", t.Styled(term.Faint, `\ no newline at the end`))
	}
}

// expand replaces tabs, as the columns of a terminal are counted without them.
func expand(text string) string { return strings.ReplaceAll(text, "\t", "    ") }
