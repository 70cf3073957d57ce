package redact

import "strings"

// isPath says whether the run s[start:end], which may be a part of a path because dots and
// others end a run, has the shape of one: slashes, most of what is between them words, and no "+".
func isPath(s string, start, end int) bool {
	run := s[start:end]
	slashes := strings.Count(run, "/")
	if slashes == 0 || strings.IndexByte(run, '+') >= 0 {
		return false
	}
	if n := randomBytes(run); 2*n > len(run) {
		// A path may be made of hashes and random names, if it says that it is one.
		return rooted(s, start) && 4*n <= 3*len(run)
	}
	return slashes > 1 || rooted(s, start) || extended(s, end)
}

// rooted says whether the run at start begins as absolute and relative paths and URLs do.
func rooted(s string, start int) bool {
	front := s[max(0, start-3):start]
	return s[start] == '/' && (front == "" || strings.HasSuffix(front, ".") || strings.HasSuffix(front, "~") ||
		strings.HasSuffix(front, ":") || strings.ContainsAny(front[len(front)-1:], " \t\n\"'`(<>[,"))
}

// extended says whether a file's extension follows the run.
func extended(s string, end int) bool {
	if end+1 >= len(s) || s[end] != '.' || classOf(s[end+1]) != small {
		return false
	}
	n := skip(s, end+1, 8, &wordByte)
	return n-end <= 6
}
