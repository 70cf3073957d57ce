package paint

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"entire/internal/legible"
)

// A Theme turns lines into what a terminal shows. It is not changed once it is made, but for its
// cache, so only one goroutine may use it.
type Theme struct {
	Look
	Glyphs
	cache [roles][backs]*[2]string // what begins and ends a text
}

// Look is what decides about a theme.
type Look struct {
	Light  bool // the terminal's background is light
	Colors Colors
	ASCII  bool
	Method ansi.Method // how the terminal counts columns
}

// Colors is how many colours a terminal has.
type Colors uint8

const (
	Many Colors = iota // any
	Few                // 256
	Base               // the 16 that the terminal's user has chosen
	None
)

// New returns the theme for a look.
func New(l Look) *Theme {
	t := &Theme{Look: l, Glyphs: unicodeGlyphs}
	if l.ASCII {
		t.Glyphs = asciiGlyphs
	}
	return t
}

// style returns how a role on a background is shown.
func (t *Theme) style(r Role, b Back) lipgloss.Style {
	s := lipgloss.NewStyle()
	switch r {
	case Strong, Title, Key:
		s = s.Bold(true)
	case Link:
		s = s.Underline(true)
	}
	if t.Colors >= Base {
		s = s.Reverse(b == OnCursor || b == OnMatch || b == OnAddedPart || b == OnRemovedPart)
	}
	if fore := t.pick(roleColours[r]); fore != "" {
		s = s.Foreground(lipgloss.Color(fore))
	}
	if back := t.pick(backColours[b]); back != "" {
		s = s.Background(lipgloss.Color(back))
	}
	return s
}

// around returns what begins and ends a text of a role on a background.
func (t *Theme) around(r Role, b Back) *[2]string {
	if t.cache[r][b] == nil {
		before, after, _ := strings.Cut(t.style(r, b).Render("x"), "x")
		t.cache[r][b] = &[2]string{before, after}
	}
	return t.cache[r][b]
}

// Paint returns lines as one string of exactly height lines, each exactly width columns wide.
func (t *Theme) Paint(lines []Line, width, height int) string {
	var b strings.Builder
	b.Grow(width * height * 2)
	for y := range height {
		if y > 0 {
			b.WriteByte('\n')
		}
		line := Line{}
		if y < len(lines) {
			line = lines[y]
		}
		for _, s := range line.Fit(t, width) {
			t.paintSpan(&b, s)
		}
	}
	return b.String()
}

func (t *Theme) paintSpan(b *strings.Builder, s Span) {
	text := s.Text
	if !plainASCII(text) {
		text = legible.Line(strings.ReplaceAll(text, "\t", tabs))
		if t.ASCII {
			text = t.toASCII(text)
		}
	}
	around := t.around(s.Role, s.Back)
	b.WriteString(around[0])
	if s.Link != "" {
		text = ansi.SetHyperlink(s.Link) + text + ansi.ResetHyperlink()
	}
	b.WriteString(text)
	b.WriteString(around[1])
}

// plainASCII reports whether every byte of s is a sign that each terminal shows in one column.
func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
