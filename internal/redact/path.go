package redact

import "strings"

// isPath reports whether the run s[start:end] looks like a path or a part of one (dots and other bytes
// end a run): it has slashes, mostly words between them, and no "+".
func isPath(s string, start, end int) bool {
	run := s[start:end]
	slashes := strings.Count(run, "/")
	if slashes == 0 || strings.IndexByte(run, '+') >= 0 {
		return false
	}
	if n := randomBytes(run); 2*n > len(run) {
		// A path may consist of hashes and random names if it begins like a path.
		return rooted(s, start) && 4*n <= 3*len(run)
	}
	return slashes > 1 || rooted(s, start) || extended(s, end)
}

// rooted reports whether the run at start begins like an absolute or relative path or a URL.
func rooted(s string, start int) bool {
	front := s[max(0, start-3):start]
	return s[start] == '/' && (front == "" || strings.HasSuffix(front, ".") || strings.HasSuffix(front, "~") ||
		strings.HasSuffix(front, ":") || strings.ContainsAny(front[len(front)-1:], " \t\n\"'`(<>[,"))
}

// extended reports whether a file extension follows the run.
func extended(s string, end int) bool {
	if end+1 >= len(s) || s[end] != '.' || classOf(s[end+1]) != small {
		return false
	}
	n := skip(s, end+1, 8, &wordByte)
	return n-end <= 6
}
