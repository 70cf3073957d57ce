package prose

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"entire/internal/cli/tui/paint"
)

func shown(text string, width int) string {
	th := paint.New(paint.Look{Method: ansi.GraphemeWidth})
	var b strings.Builder
	for _, l := range Lines(th, text, width, nil) {
		b.WriteString(strings.TrimRight(l.Text(), " ") + "\n")
	}
	return b.String()
}

func TestLines(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"paragraphs", "One\ntwo.\n\nThree **four** *five* `six` __seven__.", "One two.\n\nThree four five six\nseven.\n"},
		{"wrapped", "alpha beta gamma delta epsilon", "alpha beta gamma\ndelta epsilon\n"},
		{"headings", "# Top\ntext\n### Below ###", "Top\n\ntext\n\nBelow\n"},
		{"items", "- one\n- two\n  goes on\n  - inner\n1. first\n- [x] done", "• one\n• two goes on\n  • inner\n1. first\n[x] done\n"},
		{"quote", "> said\n> so", "▎ said so\n"},
		{"code", "```go\nfunc f() {}\n\n  x\n```\nafter", "  func f() {}\n\n    x\n\nafter\n"},
		{"code that does not end", "```\na\n", "  a\n"},
		{"indented code", "text\n\n    a\n    b", "text\n\n  a\n  b\n"},
		{"table", "| a | long |\n|---|---|\n| 1 | `x` |", "a  long\n1  x\n"},
		{"rule", "a\n\n---\n\nb", "a\n\n" + strings.Repeat("─", 20) + "\n\nb\n"},
		{"link", "see [it](https://example.com) or https://e.org/x.", "see it or\nhttps://e.org/x.\n"},
		{"names stay", "use snake_case_name and 2*3*4 and __init__.py", "use snake_case_name\nand 2*3*4 and\ninit.py\n"},
		{"escaped", `\*not strong\*`, "*not strong*\n"},
		{"controls", "a\x1b[31mb", "a\\x1b[31mb\n"},
		{"nothing", " \n ", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := shown(test.text, 20); got != test.want {
				t.Errorf("shown as\n%q, want\n%q", got, test.want)
			}
		})
	}
}

func TestColouredCode(t *testing.T) {
	t.Parallel()
	th := paint.New(paint.Look{})
	lines := Lines(th, "```go\nx\n```", 20, func(name, text string) []paint.Line {
		return []paint.Line{{paint.Say(paint.SynName, name+":"+text)}}
	})
	if len(lines) != 1 || lines[0].Text() != "  go:x" {
		t.Errorf("lines %v", lines)
	}
}

// FuzzLines insists that no text breaks the lines, and that all but code fits.
func FuzzLines(f *testing.F) {
	for _, text := range []string{"# a\n- b\n```\nc", "| a |\n|--|\n| b", "**a `b](c)", "> \\", "[[[](", "    x\n\ty", "1. a\n\n\n2) b", "_*_*_", "https://"} {
		f.Add(text, 20)
	}
	th := paint.New(paint.Look{Method: ansi.GraphemeWidth})
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = max(20, min(width, 200))
		code := strings.Contains(text, "```") || strings.Contains(text, "~~~") || strings.Contains(text, "    ") || strings.Contains(text, "\t")
		for _, l := range Lines(th, text, width, nil) {
			if w := l.Width(th); w > width && !code && !strings.Contains(text, "|") {
				t.Errorf("%q has %d columns of %d", l.Text(), w, width)
			}
			if strings.ContainsAny(l.Text(), "\n\x1b") {
				t.Errorf("%q holds what a terminal obeys", l.Text())
			}
		}
	})
}
