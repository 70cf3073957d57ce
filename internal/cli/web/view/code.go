package view

import (
	"fmt"
	"html"
	"html/template"
	"strings"

	"entire/internal/patch"
)

// lineMax is how many bytes of a line a page shows.
const lineMax = 1000

// codeClass returns the class of a piece of text in its language, "" for none.
func codeClass(k patch.Kind) string {
	switch k {
	case patch.Keyword, patch.Tag:
		return "k"
	case patch.Type, patch.Attribute:
		return "t"
	case patch.Function, patch.Heading:
		return "f"
	case patch.Constant, patch.Number:
		return "n"
	case patch.String, patch.Emphasis:
		return "s"
	case patch.Comment:
		return "c"
	}
	return ""
}

// codeHTML returns the pieces of a line as HTML, each escaped. It is the one place that makes HTML without a
// template, because a page has thousands of pieces.
func codeHTML(tokens []patch.Token) template.HTML {
	var b strings.Builder
	left := lineMax
	for i := 0; i < len(tokens); {
		class, changed := codeClass(tokens[i].Kind), tokens[i].Changed
		text := tokens[i].Text
		for i++; i < len(tokens) && codeClass(tokens[i].Kind) == class && tokens[i].Changed == changed; i++ {
			text += tokens[i].Text
		}
		if i == len(tokens) && !changed {
			text = strings.TrimSuffix(text, "\r")
		}
		cut := shortened(text, left)
		left -= len(cut)
		b.WriteString(pieceHTML(cut, class, changed))
		if len(cut) < len(text) {
			break
		}
	}
	if n := length(tokens); left <= 0 && n > lineMax {
		fmt.Fprintf(&b, `<i class="cut"> … %d bytes in this line</i>`, n)
	}
	return template.HTML(b.String())
}

func pieceHTML(text, class string, changed bool) string {
	text = html.EscapeString(text)
	switch {
	case text == "":
		return ""
	case changed && class != "":
		return `<b class="` + class + `">` + text + `</b>`
	case changed:
		return "<b>" + text + "</b>"
	case class != "":
		return `<span class="` + class + `">` + text + "</span>"
	}
	return text
}

func length(tokens []patch.Token) (n int) {
	for _, t := range tokens {
		n += len(t.Text)
	}
	return n
}

// shortened returns at most n bytes of text, in whole characters.
func shortened(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:max(n, 0)], "")
}
