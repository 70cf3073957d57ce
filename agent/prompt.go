package agent

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"entire/agent/internal/jsontext"
)

// promptTags are the tags that agents and editors add to a prompt.
var promptTags = []string{
	"local-command-caveat", "local-command-stdout", "system-reminder",
	"command-name", "command-message", "command-args",
}

// CleanPrompt returns what a person typed in a user's message, of any agent: the text
// without the tags that agents and editors add and their content, without the notes of the
// agent's program at the beginning, and without surrounding white space. "" means that
// there is no prompt.
func CleanPrompt(s string) string { return withoutNotes(withoutTags(s)) }

// withoutTags returns s without our tags, wherever they are, trimmed.
func withoutTags(s string) string {
	if !strings.Contains(s, "<") {
		return strings.TrimSpace(s)
	}
	var b strings.Builder
	unclosed := map[string]bool{} // tags without an end; they keep the search linear
	for {
		open := strings.IndexByte(s, '<')
		if open < 0 {
			b.WriteString(s)
			return strings.TrimSpace(b.String())
		}
		b.WriteString(s[:open])
		s = s[open:]
		n := tagged(s, unclosed)
		if n == 0 {
			b.WriteByte('<')
			n = 1
		}
		s = s[n:]
	}
}

// tagged returns the length of the tag that s begins with, up to and including its first
// end, or 0.
func tagged(s string, unclosed map[string]bool) int {
	start, end := tagNamed(s)
	if start == 0 || unclosed[end] {
		return 0
	}
	i := strings.Index(s[start:], end)
	if i < 0 {
		unclosed[end] = true
		return 0
	}
	n := start + i + len(end)
	if strings.HasSuffix(end, ">") {
		return n
	}
	gt := strings.IndexByte(s[n:], '>')
	if gt < 0 {
		unclosed[end] = true
		return 0
	}
	return n + gt + 1
}

// tagNamed returns the length of the opening tag that s begins with, and how its end
// begins; 0 if the tag is not in promptTags.
func tagNamed(s string) (int, string) {
	if strings.HasPrefix(s, "<ide_") {
		return strings.IndexByte(s, '>') + 1, "</ide_"
	}
	for _, tag := range promptTags {
		if strings.HasPrefix(s[1:], tag) && strings.HasPrefix(s[1+len(tag):], ">") {
			return len(tag) + 2, "</" + tag + ">"
		}
	}
	return 0, ""
}

// ShortPrompt returns s on one line, with every run of white space as one space, and at
// most runes runes long; a shortened text ends with "...".
func ShortPrompt(s string, runes int) string {
	s = OneLine(s)
	if utf8.RuneCountInString(s) <= runes {
		return s
	}
	if runes <= 3 {
		return firstRunes(s, runes)
	}
	return strings.TrimSpace(firstRunes(s, runes-3)) + "..."
}

// OneLine replaces every run of white space and control characters with one space.
func OneLine(s string) string {
	words := strings.FieldsFunc(jsontext.ValidUTF8(s), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	})
	return strings.Join(words, " ")
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// Clip returns at most n bytes of s, without splitting a rune.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// FirstString returns the first of an object's members that is a string with text.
func FirstString(object gjson.Result, names ...string) string {
	for _, n := range names {
		if v := object.Get(n); v.Type == gjson.String && v.Str != "" {
			return v.Str
		}
	}
	return ""
}
