package patch

import (
	"entire/internal/pathtext"
	"strings"
)

// headerPaths returns the paths of "a/OLD b/NEW", the end of a "diff --git" line. Unquoted paths that
// differ cannot be told apart; both are "" then, and lines that follow name them.
func headerPaths(text string) (old, new string) {
	if strings.HasPrefix(text, `"`) {
		first, rest, err := pathtext.Quoted(text)
		if err != nil || !strings.HasPrefix(rest, " ") {
			return "", ""
		}
		second, err := pathtext.Unquote(rest[1:])
		if err != nil {
			return "", ""
		}
		return cutPrefix(first), cutPrefix(second)
	}
	if at := strings.Index(text, ` "`); at >= 0 && strings.HasSuffix(text, `"`) {
		if second, err := pathtext.Unquote(text[at+1:]); err == nil {
			return cutPrefix(text[:at]), cutPrefix(second)
		}
	}
	mid := len(text) / 2
	if len(text)%2 == 0 || text[mid] != ' ' {
		return "", ""
	}
	old, new = cutPrefix(text[:mid]), cutPrefix(text[mid+1:])
	if old != new {
		return "", ""
	}
	return old, new
}

// sidePath returns the path of a "---" or "+++" line; known is what is known of it, kept for /dev/null.
func sidePath(value, known string) (string, error) {
	value = strings.TrimSuffix(value, "\t") // git ends a path that has spaces with a tab
	if value == "/dev/null" {
		return known, nil
	}
	path, err := pathtext.Unquote(value)
	return cutPrefix(path), err
}

// cutPrefix removes git's a/ or b/.
func cutPrefix(path string) string {
	if len(path) > 2 && path[1] == '/' && (path[0] == 'a' || path[0] == 'b') {
		return path[2:]
	}
	return path
}
