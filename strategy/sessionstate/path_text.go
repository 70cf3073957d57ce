package sessionstate

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// pathText encodes a path for JSON, which cannot hold a path that is not UTF-8: such a path, and
// one that begins with a double quote, is quoted. Any other path stays as it is.

func EncodePath(path string) string {
	if utf8.ValidString(path) && !strings.HasPrefix(path, `"`) {
		return path
	}
	return strconv.Quote(path)
}

// DecodePath decodes a path that EncodePath encoded.
func DecodePath(text string) string {
	if strings.HasPrefix(text, `"`) {
		if p, err := strconv.Unquote(text); err == nil {
			return p
		}
	}
	return text
}

func EncodePaths(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = EncodePath(p)
	}
	return out
}

func DecodePaths(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = DecodePath(t)
	}
	return out
}
