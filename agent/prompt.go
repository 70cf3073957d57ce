package agent

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// promptTags are what agents and editors wrap around or slip into a prompt.
var promptTags = []string{
	"local-command-caveat", "local-command-stdout", "system-reminder",
	"command-name", "command-message", "command-args",
}

// CleanPrompt is what a person typed of a message in the user's name, of whatever agent:
// it is without the tags that agents and editors add, what is inside them included, without
// the notes of the agent's program that it begins with, and without space around it. "" is no
// prompt.
func CleanPrompt(s string) string { return withoutNotes(withoutTags(s)) }

// withoutTags is s without our tags wherever they are, trimmed.
func withoutTags(s string) string {
	if !strings.Contains(s, "<") {
		return strings.TrimSpace(s)
	}
	var b strings.Builder
	unclosed := map[string]bool{} // looked for in vain: keeps this linear
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

// tagged is the length of the tag that s begins with, up to and including its
// first end, or 0.
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

// tagNamed is the length of the opening tag that s begins with, and what its end
// begins with; 0 if it is none of ours.
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

// ShortPrompt is s on one line, every run of space being one, and at most runes
// runes long, the last three of which are "..." if it was longer.
func ShortPrompt(s string, runes int) string {
	s = oneLine(s)
	if utf8.RuneCountInString(s) <= runes {
		return s
	}
	if runes <= 3 {
		return firstRunes(s, runes)
	}
	return strings.TrimSpace(firstRunes(s, runes-3)) + "..."
}

// oneLine makes every run of space and control characters one space.
func oneLine(s string) string {
	words := strings.FieldsFunc(valid(s), func(r rune) bool {
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

// clip is at most n bytes of s, cut before a rune and never in it.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func trimmed(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return strings.TrimSpace(valid(v.Str))
}

// firstText is the first of an object's members that is a string with text in it.
func firstText(object gjson.Result, names ...string) string {
	for _, n := range names {
		if v := object.Get(n); v.Type == gjson.String && v.Str != "" {
			return v.Str
		}
	}
	return ""
}
