package pages

import (
	"fmt"
	"html/template"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"entire/internal/hub/api"
	"entire/internal/legible"
)

// functions are those that templates call.
func functions() template.FuncMap {
	return template.FuncMap{
		"asset": assetAddress, "sections": sections, "line": legible.Line, "brief": brief, "sentence": sentence, "thousands": thousands, "snippet": snippet,
		"iso":     func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"stamp":   func(t time.Time) string { return t.UTC().Format("2 Jan 2006 15:04") },
		"part":    func(n int64, l api.Lines) string { return share(n, l.Total()) },
		"rest":    func(l api.Lines) string { return share(l.Agent+l.Person, l.Total()) },
		"percent": func(p float64) string { return fmt.Sprintf("%.1f%%", p) },
		"dollars": dollars,
		"read":    func(t api.Tokens) int64 { return t.Input + t.CacheRead + t.CacheWrite },
	}
}

// sentence returns a remark as a sentence.
func sentence(s string) string {
	s = legible.Line(s)
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:] + "."
}

// share returns n of all in hundredths.
func share(n, all int64) string {
	if all == 0 {
		return "0"
	}
	return fmt.Sprintf("%.2f", 100*float64(n)/float64(all))
}

// thousands returns a number with commas.
func thousands(n int64) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func dollars(v float64) string {
	whole := int64(v + .005)
	return "$" + thousands(whole) + fmt.Sprintf(".%02d", int64((v-float64(whole))*100+.5)%100)
}

// brief returns a text in one line of at most n characters.
func brief(text string, n int) string {
	text = legible.Line(text)
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}

// A piece is a part of a text, which was searched for or not.
type piece struct {
	Text  string
	Match bool
}

// snippetAround is how many bytes are shown before and after the first match.
const snippetAround = 120

// snippet returns the part of a text around the first word of a query, nothing without a query.
func snippet(text, query string) []piece {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return strings.ContainsRune(` "-`, r) })
	if len(words) == 0 || text == "" {
		return nil
	}
	text = strings.Join(strings.Fields(text), " ")
	lower := strings.ToLower(text)
	at, word := -1, ""
	for _, w := range words {
		if i := strings.Index(lower, w); i >= 0 && (at < 0 || i < at) {
			at, word = i, w
		}
	}
	if at < 0 || len(lower) != len(text) {
		return []piece{{Text: legible.Line(cut(text, 2*snippetAround))}}
	}
	from, to := max(at-snippetAround, 0), min(at+len(word)+snippetAround, len(text))
	out := []piece{{Text: legible.Line(strings.ToValidUTF8(text[from:at], ""))}, {Text: legible.Line(text[at : at+len(word)]), Match: true}, {Text: legible.Line(strings.ToValidUTF8(text[at+len(word):to], ""))}}
	if from > 0 {
		out[0].Text = "…" + out[0].Text
	}
	if to < len(text) {
		out[2].Text += "…"
	}
	return out
}

func cut(s string, n int) string { return strings.ToValidUTF8(s[:min(len(s), n)], "") }
