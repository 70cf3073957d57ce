package paint

import (
	"strings"
	"unicode/utf8"
)

// Width returns the number of columns of a text.
func (t *Theme) Width(s string) int {
	if plainASCII(s) {
		return len(s)
	}
	return t.Method.StringWidth(s)
}

// Cut returns the text in at most width columns; the last one is then an ellipsis.
func (t *Theme) Cut(s string, width int) string {
	switch {
	case width <= 0:
		return ""
	case t.Width(s) <= width:
		return s
	case plainASCII(s):
		return s[:width-t.Width(t.Ellipsis)] + t.Ellipsis
	}
	return t.Method.Truncate(s, width, t.Ellipsis)
}

// CutLeft returns the end of a text in at most width columns; the first one is then an ellipsis.
func (t *Theme) CutLeft(s string, width int) string {
	w := t.Width(s)
	switch {
	case width <= 0:
		return ""
	case w <= width:
		return s
	}
	return t.Method.TruncateLeft(s, w-width+t.Width(t.Ellipsis), t.Ellipsis)
}

// Pad returns the text in exactly width columns.
func (t *Theme) Pad(s string, width int) string {
	s = t.Cut(s, width)
	return s + spaces(width-t.Width(s))
}

// PadLeft is Pad with the text at the right edge.
func (t *Theme) PadLeft(s string, width int) string {
	s = t.Cut(s, width)
	return spaces(width-t.Width(s)) + s
}

// Wrap breaks a line after words into lines of at most width columns. Words that are too long are
// broken, too. Spaces at a break are dropped.
func (l Line) Wrap(t *Theme, width int) []Line {
	width = max(width, 1)
	if l.Width(t) <= width {
		return []Line{l}
	}
	w := wrapper{t: t, width: width}
	for _, s := range l {
		for _, word := range words(s.Text) {
			piece := s
			piece.Text = word
			if word[0] != ' ' {
				w.word = append(w.word, piece)
				continue
			}
			w.addWord()
			w.addBlank(piece)
		}
	}
	w.addWord()
	return append(w.done, w.line)
}

// A wrapper collects words into lines.
type wrapper struct {
	t     *Theme
	width int
	done  []Line
	line  Line
	at    int  // columns of line
	word  Line // the word under way, which may consist of several spans
}

func (w *wrapper) addBlank(s Span) {
	switch n := w.t.Width(s.Text); {
	case w.at+n > w.width && w.at > 0:
		w.end()
	case w.at == 0 && len(w.done) > 0 || n > w.width:
	default:
		w.put(s, s.Text)
	}
}

func (w *wrapper) addWord() {
	if n := w.word.Width(w.t); w.at+n > w.width && w.at > 0 {
		w.end()
	}
	for _, s := range w.word {
		for s.Text != "" {
			if w.at >= w.width {
				w.end()
			}
			room := w.width - w.at
			part := beginning(s.Text, room)
			if w.t.Width(part) > room {
				part = w.t.head(part, room)
				if w.at > 0 && w.t.Width(part) > room { // a wide sign does not fit here
					w.end()
					continue
				}
			}
			w.put(s, part)
			s.Text = s.Text[len(part):]
		}
	}
	w.word = nil
}

func (w *wrapper) put(s Span, text string) {
	w.at += w.t.Width(text)
	if k := len(w.line) - 1; k >= 0 && w.line[k].Role == s.Role && w.line[k].Back == s.Back && w.line[k].Link == s.Link {
		w.line[k].Text += text
		return
	}
	s.Text = text
	w.line = append(w.line, s)
}

func (w *wrapper) end() {
	if k := len(w.line) - 1; k >= 0 {
		w.line[k].Text = strings.TrimRight(w.line[k].Text, " ")
	}
	w.done, w.line, w.at = append(w.done, w.line), nil, 0
}

// beginning returns enough of a text to fill that many columns: to look at all of a long word for each of
// its lines would take long.
func beginning(s string, columns int) string {
	n := 16*columns + 64
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// head returns the beginning of a text in at most width columns, and at least one character.
func (t *Theme) head(s string, width int) string {
	part := t.Method.Truncate(s, width, "")
	if part == "" || !strings.HasPrefix(s, part) {
		_, n := utf8.DecodeRuneInString(s)
		return s[:n]
	}
	return part
}

// words splits a text into words and the spaces between them.
func words(s string) []string {
	var out []string
	from, space := 0, false
	for i, r := range s {
		if is := r == ' '; i > from && is != space {
			out, from = append(out, s[from:i]), i
		}
		space = r == ' '
	}
	if from < len(s) {
		out = append(out, s[from:])
	}
	return out
}

// asciiSigns stand for signs of a text that mean the same.
var asciiSigns = map[rune]byte{
	'…': '~', '–': '-', '—': '-', '−': '-', '‘': '\'', '’': '\'', '“': '"', '”': '"', '•': '*', '·': '.', '→': '>', '←': '<', '×': 'x', '\u00a0': ' ',
}

// toASCII replaces what a terminal without UTF-8 does not show by a sign that means the same, or by question marks of
// the same width.
func (t *Theme) toASCII(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r <= '~' {
			b.WriteRune(r)
			continue
		}
		if sign := asciiSigns[r]; sign != 0 {
			b.WriteByte(sign)
			continue
		}
		b.WriteString(strings.Repeat("?", t.Method.StringWidth(string(r))))
	}
	return b.String()
}
