package risk

import (
	"path"
	"strings"
)

// Denied returns the first of the patterns that a command of the line has, "" for none. A pattern is a list
// of words; the first word is the program's name. A command has it if its words are among the command's,
// in this order; * stands for any text within a word.
func Denied(line string, patterns []string) string {
	if len(patterns) == 0 {
		return ""
	}
	for _, c := range each(commands(line, 0), 0) {
		if len(c.words) == 0 {
			continue
		}
		words := append([]string{name(c.words[0])}, c.words[1:]...)
		for _, p := range patterns {
			if want := strings.Fields(p); len(want) > 0 && hasWords(words, want) {
				return p
			}
		}
	}
	return ""
}

// hasWords reports whether words begin with the first of want and have the others in order.
func hasWords(words, want []string) bool {
	if !like(words[0], want[0]) {
		return false
	}
	words, want = words[1:], want[1:]
	for _, w := range words {
		if len(want) > 0 && like(w, want[0]) {
			want = want[1:]
		}
	}
	return len(want) == 0
}

// like reports whether a word matches one with *. A slash is a character as any other.
func like(word, pattern string) bool {
	if word == pattern {
		return true
	}
	flat := strings.NewReplacer("/", "\x00", "[", `\[`, "?", `\?`, `\`, `\\`)
	ok, err := path.Match(flat.Replace(pattern), strings.ReplaceAll(word, "/", "\x00"))
	return ok && err == nil
}
