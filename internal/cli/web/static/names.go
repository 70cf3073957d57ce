package static

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path"
	"slices"
	"strings"
)

// site gives pages their names, and remembers which have to be written.
type site struct {
	names map[string]string // by address
	queue []string          // addresses that are not written yet
	max   int
	left  int // addresses that got no name, because there are too many
}

// name returns the name of a page's file, "" for a page that the folder does not have.
func (s *site) name(page string, q url.Values) string {
	if !kept(page, q) {
		return ""
	}
	address := page
	if len(q) > 0 {
		address += "?" + q.Encode()
	}
	if name, ok := s.names[address]; ok {
		return name
	}
	if len(s.names) >= s.max {
		s.left++
		return ""
	}
	name := nameOf(page, q)
	s.names[address] = name
	s.queue = append(s.queue, address)
	return name
}

// kept reports whether a folder has a page.
func kept(page string, q url.Values) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(page, "/"), "/")
	switch {
	case !slices.Contains([]string{"timeline", "point", "files", "file", "session", "sessions", "review"}, first),
		strings.HasSuffix(page, "/title"), q.Has("q"), q.Has("find"), q.Has("owners"), q.Has("deep"), q.Has("state"),
		first == "timeline" && q.Has("at"), first == "review" && !q.Has("range"), first == "file" && !q.Has("path"):
		return false
	}
	return true
}

// nameOf returns the name of a page's file. It can be read, and no two pages have the same.
func nameOf(page string, q url.Values) string {
	words := strings.FieldsFunc(page, func(r rune) bool { return r == '/' })
	ext := ".html"
	if strings.HasSuffix(page, "/image") {
		ext = ".png" // browsers look at the content
	}
	if page == "/timeline" && len(q) == 0 {
		return "index.html"
	}
	plain := len(q) == 0 || len(q) == 1 && q.Has("from")
	for _, key := range []string{"path", "folder", "range", "from"} {
		if v := q.Get(key); v != "" {
			words = append(words, path.Base(v))
		}
	}
	for i, w := range words {
		words[i] = safe(w)
		plain = plain && words[i] == w
	}
	if !plain {
		sum := sha256.Sum256([]byte(page + "?" + q.Encode()))
		words = append(words, hex.EncodeToString(sum[:6]))
	}
	return strings.Join(words, "-") + ext
}

// safe leaves of a word what every file system takes.
func safe(word string) string {
	out := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			return r
		}
		return '_'
	}, word)
	return strings.TrimLeft(out[:min(len(out), 60)], ".")
}
