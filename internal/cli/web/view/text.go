package view

import (
	"fmt"
	"html/template"
	"regexp"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/review"
)

// functions are those that templates call.
func (v *Views) functions() template.FuncMap {
	return template.FuncMap{
		"to":    func() Links { return v.o.Links },
		"asset": v.asset, "style": func() (template.CSS, error) { text, err := Asset("app.css"); return template.CSS(text), err }, "prose": Prose, "classWord": classWord,
		"expiry": func() (template.JS, error) { text, err := Asset("expiry.js"); return template.JS(text), err }, "expiryHash": expiryHash,
		"name":  cliui.ShownName,
		"short": cliui.ShortID,
		"sid":   cliui.ShownSession,
		"line":  cliui.ShownLine, "names": cliui.SomeNames, "shell": cliui.ShellWord, "auto": func(tag string) bool { return strings.Contains(tag, ":") },
		"brief": cliui.ShortLine, "marks": marks,
		"count": cliui.Count, "thousands": review.Thousands, "bytes": cliui.ByteCount,
		"agent": cliui.AgentOr,
		"clock": func(t time.Time) string { return t.In(v.o.Zone).Format("15:04") },
		"day":   func(t time.Time) string { return t.In(v.o.Zone).Format("Monday, 2 January 2006") },
		"stamp": func(t time.Time) string { return t.In(v.o.Zone).Format("2 Jan 2006 15:04") },
		"exact": func(t time.Time) string { return t.In(v.o.Zone).Format("2006-01-02 15:04:05 -07:00") },
		"iso":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"ago":   func(t time.Time) string { return cliui.Ago(v.o.Now().Sub(t)) },
		"theme": nextTheme, "pages": v.navigation,
		"join": strings.Join, "last": func(list []string) string { return list[len(list)-1] }, "titled": sessionlib.TitleOf,
		"add": func(a, b int) int { return a + b }, "minus": func(a, b int) int { return a - b },
		"dict": dict,
	}
}

// nextTheme returns the theme that follows on one.
func nextTheme(theme string) string {
	switch theme {
	case "":
		return "dark"
	case "dark":
		return "light"
	}
	return "auto"
}

// dict makes the arguments of a template: a name and a value each.
func dict(pairs ...any) (map[string]any, error) {
	out := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("the name %v is no text", pairs[i])
		}
		out[name] = pairs[i+1]
	}
	return out, nil
}

// classWord returns the word for a class of owners.
func classWord(class string) string {
	if class == review.Human {
		return "person"
	}
	return class
}

// A Part is a piece of a text in which something was looked for.
type Part struct {
	Text  string
	Match bool
}

// marks splits a text where it has another one, whatever the case of their letters.
func marks(text, find string) []Part {
	if find == "" {
		return []Part{{Text: text}}
	}
	var out []Part
	at := 0
	for _, m := range regexp.MustCompile("(?i)"+regexp.QuoteMeta(strings.ToValidUTF8(find, "\ufffd"))).FindAllStringIndex(text, -1) {
		out = append(out, Part{text[at:m[0]], false}, Part{text[m[0]:m[1]], true})
		at = m[1]
	}
	return append(out, Part{text[at:], false})
}
