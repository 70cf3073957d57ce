package searchlib

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unfinished returns the query that somebody who is still typing means: the last word also stands for
// words that begin with it, a quotation ends here, and an operator without a second side does not count.
func unfinished(text string) string {
	if strings.Count(text, `"`)%2 == 1 {
		return text + `"`
	}
	before := strings.TrimRightFunc(text, func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) })
	word := text[len(before):]
	switch {
	case slices.Contains([]string{"OR", "AND", "NOT"}, word):
		return before
	case utf8.RuneCountInString(word) < 2, before != "" && !strings.HasSuffix(before, " ") && !strings.HasSuffix(before, "("):
		return text
	}
	return before + "(" + word + " OR " + word + "*)"
}
