// Package pattern matches paths with patterns that people write into settings and policies: from the top of the
// repository, with * for any characters of one name and ** for any number of folders; "a/" means all that is in a.
//
// It is pure.
package pattern

import (
	"fmt"
	"strings"
)

// Matches reports whether a path is one that the patterns mean; without patterns every path is.
func Matches(patterns []string, path string) bool {
	for _, p := range patterns {
		if strings.HasSuffix(p, "/") {
			p += "**"
		}
		if matchParts(strings.Split(p, "/"), strings.Split(path, "/")) {
			return true
		}
	}
	return len(patterns) == 0
}

// matchParts compares the parts of a pattern with those of a path. A part ** stands for any number of parts.
func matchParts(pattern, path []string) bool {
	switch {
	case len(pattern) == 0:
		return len(path) == 0
	case pattern[0] == "**":
		if len(pattern) == 1 {
			return len(path) > 0
		}
		for i := range path {
			if matchParts(pattern[1:], path[i:]) {
				return true
			}
		}
		return false
	}
	return len(path) > 0 && MatchesText(pattern[0], path[0]) && matchParts(pattern[1:], path[1:])
}

// MatchesText reports whether a text has the form of a pattern, in which * stands for any characters.
func MatchesText(pattern, text string) bool {
	first, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == text
	}
	if !strings.HasPrefix(text, first) {
		return false
	}
	text = text[len(first):]
	pieces := strings.Split(rest, "*")
	for _, piece := range pieces[:len(pieces)-1] {
		i := strings.Index(text, piece)
		if i < 0 {
			return false
		}
		text = text[i+len(piece):]
	}
	return strings.HasSuffix(text, pieces[len(pieces)-1])
}

// Check returns an error for a pattern that can mean no path.
func Check(patterns []string) error {
	for _, p := range patterns {
		if p == "" || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "!") {
			return fmt.Errorf("paths: %.80q is no pattern of a path from the top of the repository", p)
		}
	}
	return nil
}
