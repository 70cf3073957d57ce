package view

import (
	"html"
	"html/template"
	"strings"

	"entire/internal/patch"
)

// Prose returns a text that an agent or a person wrote, which is often Markdown, as HTML. It knows headings,
// lists, quotes, code, and code and emphasis within a line; the rest stays as it was typed. Links are text: a
// page leads nowhere that others choose. Everything is escaped.
func Prose(text string) template.HTML {
	p := prose{lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}
	for p.at < len(p.lines) {
		p.block()
	}
	p.endList()
	return template.HTML(p.out.String())
}

type prose struct {
	lines []string
	at    int
	out   strings.Builder
	list  string // the element of the list that is open
}

func (p *prose) block() {
	line := p.lines[p.at]
	bare := strings.TrimSpace(line)
	switch {
	case bare == "":
		p.at++
	case strings.HasPrefix(bare, "```"), strings.HasPrefix(bare, "~~~"):
		p.code(bare[:3], strings.TrimSpace(strings.Trim(bare, "`~")))
	case headingOf(bare) != "":
		p.endList()
		p.out.WriteString(`<p class="heading">` + inline(headingOf(bare)) + "</p>")
		p.at++
	case strings.HasPrefix(bare, "|"):
		p.whole("<pre>", "</pre>", func(l string) (string, bool) { return l, strings.HasPrefix(strings.TrimSpace(l), "|") }, html.EscapeString)
	case strings.HasPrefix(bare, ">"):
		p.whole("<blockquote>", "</blockquote>", func(l string) (string, bool) {
			rest, ok := strings.CutPrefix(strings.TrimSpace(l), ">")
			return strings.TrimPrefix(rest, " "), ok
		}, inline)
	case itemOf(bare) != "":
		p.item(bare)
	default:
		p.endList()
		p.whole("<p>", "</p>", func(l string) (string, bool) { return l, p.goesOn(l) }, inline)
	}
}

// goesOn reports whether a line belongs to the paragraph before it.
func (p *prose) goesOn(line string) bool {
	bare := strings.TrimSpace(line)
	return bare != "" && !strings.HasPrefix(bare, "```") && !strings.HasPrefix(bare, "~~~") && headingOf(bare) == "" && itemOf(bare) == "" && !strings.HasPrefix(bare, ">") && !strings.HasPrefix(bare, "|")
}

// whole writes the lines that belong together, the first in any case.
func (p *prose) whole(begin, end string, belongs func(string) (string, bool), write func(string) string) {
	p.endList()
	var lines []string
	for first := true; p.at < len(p.lines); p.at++ {
		line, ok := belongs(p.lines[p.at])
		if !ok && !first {
			break
		}
		first = false
		lines = append(lines, line)
	}
	p.out.WriteString(begin + write(strings.Join(lines, "\n")) + end)
}

func (p *prose) code(fence, language string) {
	p.endList()
	var lines []string
	for p.at++; p.at < len(p.lines) && !strings.HasPrefix(strings.TrimSpace(p.lines[p.at]), fence); p.at++ {
		lines = append(lines, p.lines[p.at])
	}
	p.at++
	p.out.WriteString("<pre>")
	word, _, _ := strings.Cut(language, " ")
	for i, tokens := range patch.Colour("code."+extensionOf(word), strings.Join(lines, "\n")) {
		if i > 0 {
			p.out.WriteByte('\n')
		}
		p.out.WriteString(string(codeHTML(tokens)))
	}
	p.out.WriteString("</pre>")
}

// extensionOf returns the ending of names of files in a language.
func extensionOf(language string) string {
	switch language = strings.ToLower(language); language {
	case "python":
		return "py"
	case "javascript":
		return "js"
	case "typescript":
		return "ts"
	case "shell", "bash", "console", "zsh":
		return "sh"
	case "rust":
		return "rs"
	case "ruby":
		return "rb"
	case "markdown":
		return "md"
	}
	for _, r := range language {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return "txt"
		}
	}
	return language
}

func (p *prose) item(bare string) {
	mark := itemOf(bare)
	list := "ul"
	if mark[0] >= '0' && mark[0] <= '9' {
		list = "ol"
	}
	if p.list != list {
		p.endList()
		p.out.WriteString("<" + list + ">")
		p.list = list
	}
	text := strings.TrimSpace(bare[len(mark):])
	for p.at++; p.at < len(p.lines) && strings.HasPrefix(p.lines[p.at], " ") && p.goesOn(p.lines[p.at]); p.at++ {
		text += "\n" + strings.TrimSpace(p.lines[p.at])
	}
	p.out.WriteString("<li>" + inline(text) + "</li>")
}

func (p *prose) endList() {
	if p.list != "" {
		p.out.WriteString("</" + p.list + ">")
		p.list = ""
	}
}

// headingOf returns the text of a heading, "" for another line.
func headingOf(bare string) string {
	rest := strings.TrimLeft(bare, "#")
	if n := len(bare) - len(rest); n == 0 || n > 6 || !strings.HasPrefix(rest, " ") {
		return ""
	}
	return strings.TrimSpace(rest)
}

// itemOf returns the mark of a list's item, "" for another line.
func itemOf(bare string) string {
	for _, mark := range []string{"- ", "* ", "+ "} {
		if strings.HasPrefix(bare, mark) {
			return mark
		}
	}
	digits := len(bare) - len(strings.TrimLeft(bare, "0123456789"))
	if digits > 0 && digits < 4 && (strings.HasPrefix(bare[digits:], ". ") || strings.HasPrefix(bare[digits:], ") ")) {
		return bare[:digits+2]
	}
	return ""
}

// inline returns a text with the code and the emphasis within it.
func inline(text string) string {
	var b strings.Builder
	for text != "" {
		i := strings.IndexAny(text, "`*")
		if i < 0 {
			break
		}
		b.WriteString(html.EscapeString(text[:i]))
		text = text[i:]
		mark, element := "`", "code"
		if strings.HasPrefix(text, "**") {
			mark, element = "**", "strong"
		}
		end := -1
		if strings.HasPrefix(text, mark) {
			end = strings.Index(text[len(mark):], mark)
		}
		if end <= 0 {
			b.WriteString(html.EscapeString(text[:1]))
			text = text[1:]
			continue
		}
		inner := text[len(mark) : len(mark)+end]
		b.WriteString("<" + element + ">" + html.EscapeString(inner) + "</" + element + ">")
		text = text[2*len(mark)+end:]
	}
	b.WriteString(html.EscapeString(text))
	return b.String()
}
