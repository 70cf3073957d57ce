package paint

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

func theme() *Theme { return New(Look{Method: ansi.GraphemeWidth}) }

// drawnText is text of any kind: ASCII, wide signs, combining signs, and what a terminal would obey.
func drawnText() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{"a", "Word", " ", "  ", "ä", "é", "商品", "🛒", "👨‍👩‍👧", "\x1b[31m", "\t", "\u202e", "\n", "\r", "​", "ÿ\xff"})
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "") })
}

func drawnLine() *rapid.Generator[Line] {
	return rapid.Custom(func(t *rapid.T) Line {
		var l Line
		for range rapid.IntRange(0, 4).Draw(t, "spans") {
			s := Say(Role(rapid.IntRange(0, int(roles)-1).Draw(t, "role")), drawnText().Draw(t, "text"))
			s.Back = Back(rapid.IntRange(0, int(backs)-1).Draw(t, "back"))
			l = append(l, s)
		}
		return l
	})
}

func TestFitIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		th := theme()
		l, width := drawnLine().Draw(t, "line"), rapid.IntRange(0, 40).Draw(t, "width")
		if got := l.Fit(th, width).Width(th); got != width {
			t.Errorf("%q fitted to %d has %d columns", l.Text(), width, got)
		}
		if got := Row(th, width, l, L(Span{Text: "12"})).Width(th); got != width {
			t.Errorf("a row of %d has %d columns", width, got)
		}
	})
}

func TestWrapKeepsWords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		th := theme()
		l, width := drawnLine().Draw(t, "line"), rapid.IntRange(2, 30).Draw(t, "width")
		var all strings.Builder
		for _, part := range l.Wrap(th, width) {
			if got := part.Width(th); got > width {
				t.Errorf("%q is wider than %d", part.Text(), width)
			}
			all.WriteString(part.Text())
		}
		strip := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if strip(all.String()) != strip(l.Text()) {
			t.Errorf("%q became %q", l.Text(), all.String())
		}
	})
}

// TestPaintIsHarmless insists that only our own sequences reach the terminal, whatever a span holds.
func TestPaintIsHarmless(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		th := New(Look{Method: ansi.GraphemeWidth, Colors: None, ASCII: rapid.Bool().Draw(t, "ascii")})
		text := drawnText().Draw(t, "text")
		shown := ansi.Strip(th.Paint([]Line{{Span{Text: text}}, {Say(Plain, text)}}, 60, 2))
		for _, r := range shown {
			if r < ' ' && r != '\n' || r == 0x7f || r == '\u202e' || th.ASCII && r > '~' {
				t.Errorf("%q is shown as %q", text, shown)
			}
		}
	})
}

// TestContrast checks that every text can be read on every background.
func TestContrast(t *testing.T) {
	t.Parallel()
	grounds := func(pick func(shades) string, plain string) []string {
		out := []string{plain}
		for _, b := range backColours {
			if c := pick(b); c != "" {
				out = append(out, c)
			}
		}
		return out
	}
	for name, pick := range map[string]func(shades) string{"dark": func(s shades) string { return s.dark }, "light": func(s shades) string { return s.light }} {
		plain := map[string]string{"dark": "#1e1e1e", "light": "#ffffff"}[name]
		for _, back := range grounds(pick, plain) {
			for role, fore := range roleColours {
				if c := pick(fore); c != "" && contrast(c, back) < 4.5 {
					t.Errorf("%s: role %d, %s on %s, has a contrast of %.2f", name, role, c, back, contrast(c, back))
				}
			}
		}
	}
}

// contrast is that of WCAG 2.
func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(hex string) float64 {
	n, _ := strconv.ParseUint(hex[1:], 16, 32)
	part := func(shift int) float64 {
		c := float64(n>>shift&0xff) / 255
		if c <= 0.03928 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}
