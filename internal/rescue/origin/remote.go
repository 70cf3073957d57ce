package origin

import (
	"net/url"
	"strings"
)

// Remote returns the place that the URL of a remote means, as host/path: the same for every way to reach it and
// for every account. It returns "" for a local path or another text.
func Remote(raw string) string {
	raw = strings.TrimSpace(raw)
	host, path := "", ""
	switch {
	case strings.Contains(raw, "://"):
		u, err := url.Parse(raw)
		if err != nil || u.Scheme == "file" {
			return ""
		}
		host, path = u.Hostname(), u.Path
	case strings.Contains(raw, ":") && !strings.HasPrefix(raw, "/"):
		before, after, _ := strings.Cut(raw, ":")
		if len(before) < 2 || strings.ContainsAny(before, `/\ `) {
			return "" // a drive
		}
		host, path = before[strings.LastIndexByte(before, '@')+1:], after
	case strings.Count(raw, "/") == 1 && !strings.ContainsAny(raw, `\ .~`):
		host, path = "github.com", raw // owner/name, as Copilot writes it
	default:
		return ""
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if host == "" || path == "" {
		return ""
	}
	return strings.ToLower(host + "/" + path)
}
