// Package pathtext writes paths as text and reads them again.
//
// Encode and Decode are for JSON, which cannot hold a path that is not UTF-8: such a path, and one that begins with
// a double quote, is quoted as Go quotes strings. Quote and Unquote do what git does where it prints paths on lines.
// Any other path stays as it is.
package pathtext

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Encode returns the text of a path.
func Encode(path string) string {
	if utf8.ValidString(path) && !strings.HasPrefix(path, `"`) {
		return path
	}
	return strconv.Quote(path)
}

// Decode returns the path of a text that Encode made. Other text is its own path.
func Decode(text string) string {
	if strings.HasPrefix(text, `"`) {
		if p, err := strconv.Unquote(text); err == nil {
			return p
		}
	}
	return text
}
