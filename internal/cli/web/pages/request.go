package pages

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/git"
	"entire/strategy/condense"
	"entire/strategy/rewind"
)

// request reads what a page asks to rewind. The parameters are those of Links.Rewind: they say the same as the
// flags of `entire rewind`.
func request(r *http.Request) (rewindlib.Request, error) {
	q := r.URL.Query()
	req := rewindlib.Request{Point: q.Get("to")}
	sc := &req.Scope
	switch q.Get("scope") {
	case "tree":
		sc.Kind = condense.ScopeTree
	case "session":
		sc.Kind, sc.Session = condense.ScopeSession, q.Get("session")
	case "turn":
		sc.Kind, sc.Session = condense.ScopeTurn, q.Get("session")
		sc.Turn, _ = strconv.Atoi(q.Get("turn"))
	}
	sc.KeepMine = q.Get("mine") == "keep" && sc.Kind != condense.ScopeTurn
	for _, escaped := range q[escapedPath] {
		if path, err := url.PathUnescape(escaped); err == nil {
			q.Add("path", path)
		}
	}
	for _, path := range q["path"] {
		if err := git.ValidPath(path); err != nil {
			return req, cliui.Failf("", "%w", err)
		}
		if !slices.Contains(sc.Paths, path) {
			sc.Paths = append(sc.Paths, path)
		}
	}
	sc.SkipCode = q.Get("what") == "conversation"
	sc.SkipConversation = q.Get("what") == "files" || q.Get("what") == "" && len(sc.Paths) > 0
	if sc.SkipCode {
		sc.Paths, sc.KeepMine = nil, false
	}
	sc.Conflicts = conflictsOf(q.Get("conflicts"))
	hunks, err := hunksOf(q["hunk"])
	if err == nil && hunks != nil && !sc.SkipCode {
		req.Hunks, sc.SkipConversation = hunks, true
	}
	return req, err
}

// escapedPath is the name under which a form sends a path. The path is escaped, because a page shows some
// characters as others, and a browser sends some as others.
const escapedPath = "file"

// pathOf returns the path that a request names, in an address or in a form.
func pathOf(r *http.Request) string {
	if path, err := url.PathUnescape(r.URL.Query().Get(escapedPath)); err == nil && path != "" {
		return path
	}
	return r.URL.Query().Get("path")
}

func conflictsOf(word string) condense.ConflictMode {
	switch word {
	case "keep":
		return rewind.ConflictsKeep
	case "markers":
		return rewind.ConflictsMarkers
	}
	return rewind.ConflictsStop
}

// hunksOf reads chosen hunks, each as the number and the escaped path that hunkName makes.
func hunksOf(values []string) (rewindlib.Hunks, error) {
	if len(values) == 0 {
		return nil, nil
	}
	out := rewindlib.Hunks{}
	for _, value := range values {
		number, escaped, _ := strings.Cut(value, ":")
		n, err := strconv.Atoi(number)
		path, badPath := url.PathUnescape(escaped)
		if err != nil || badPath != nil || n < 1 {
			return nil, cliui.Failf("go back and choose again", "not a hunk: %s", cliui.ShownLine(value))
		}
		out[path] = append(out[path], n)
	}
	return out, nil
}

// hunkName names a hunk of a plan in a form.
func hunkName(path string, n int) string { return strconv.Itoa(n) + ":" + url.PathEscape(path) }
