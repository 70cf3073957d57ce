package worktree

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// FoldConflicts returns the pairs of different paths that a file system which ignores
// case, or normalises Unicode, treats as equal: two files with one folded name, or a file
// and a folder above another that is spelled differently. Pairs are sorted by path. Names
// that are not UTF-8 are compared by their ASCII letters.
func FoldConflicts(paths []string) [][2]string {
	files := make(map[string]string, len(paths)) // folded -> first path
	var pairs [][2]string
	for _, p := range paths {
		key := foldPath(p)
		if first, taken := files[key]; taken && first != p {
			pairs = append(pairs, [2]string{first, p})
		} else {
			files[key] = p
		}
	}
	for _, p := range paths {
		key := foldPath(p)
		for i := strings.IndexByte(key, '/'); i >= 0; i = nextSlash(key, i) {
			if above, taken := files[key[:i]]; taken && !strings.HasPrefix(p, above+"/") {
				pairs = append(pairs, [2]string{above, p})
			}
		}
	}
	return slices.Clip(pairs)
}

func nextSlash(s string, i int) int {
	n := strings.IndexByte(s[i+1:], '/')
	if n < 0 {
		return -1
	}
	return i + 1 + n
}

func foldPath(p string) string {
	if isASCII(p) || !utf8.ValidString(p) {
		return asciiLower(p)
	}
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(p)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
