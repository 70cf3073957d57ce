package web_test

import (
	"bytes"
	"testing"

	"entire/internal/timeline"
)

// A known page is one that every test of all pages looks at.
type knownPage struct {
	name, path string
	ready      string // true when the page is complete
}

const complete = `document.readyState === "complete"`

// pages are all pages of the ledger.
func (s *story) pages() []knownPage {
	s.t.Helper()
	turns, commits := s.points(timeline.Turn), s.points(timeline.Commit)
	return []knownPage{
		{"timeline", "/timeline", `document.querySelector(".row.present")`},
		{"point", "/point/" + turns[4], complete},
		{"commit", "/point/" + commits[0], complete},
		{"files", "/files", complete},
		{"file", "/file?path=ledger.go", `document.querySelector(".own")`},
		{"file-turn", "/file?path=csv.go&at=" + turns[1], complete},
		{"why", "/why?path=ledger.go&line=24", complete},
		{"diff", "/diff?a=" + commits[2] + "&b=" + turns[1], complete},
		{"sessions", "/sessions", complete},
		{"session", "/session/" + rounding, complete},
		{"session-find", "/session/" + rounding + "?find=cents", complete},
		{"review", "/review?range=HEAD~2..HEAD", `document.querySelector(".rv")`},
		{"search", "/search?q=euros", `document.querySelector(".hits li")`},
		{"usage", "/usage?by=session", complete},
		{"status", "/status", complete},
		{"doctor", "/doctor", `document.querySelector(".findings")`},
		{"rewind", "/rewind?to=" + turns[4], complete},
		{"undo", "/undo", complete},
		{"label", "/label", complete},
		{"missing", "/point/0000000", complete},
		{"keys", "/keys", complete},
	}
}

// TestJSON shows that every page has its values at the same address with .json.
func TestJSON(t *testing.T) {
	s := newLedger(t)
	c := s.serve(false).client()
	for _, page := range s.pages() {
		if page.name == "missing" {
			continue
		}
		if values := c.json(page.path); len(values) == 0 {
			t.Errorf("%s has no values", page.name)
		}
	}
}

// TestAddresses shows what pages answer to what a person types.
func TestAddresses(t *testing.T) {
	s := newLedger(t)
	s.Git("branch", "aside", "HEAD~1")
	s.Git("commit", "-q", "--allow-empty", "--no-verify", "-m", "elsewhere")
	c := s.serve(false).client()
	for page, want := range map[string]struct {
		status int
		says   string
	}{
		"/diff?a=HEAD~2":                    {200, "From Keep amounts in cents"},
		"/diff?a=aside&b=HEAD":              {200, "From Keep amounts in cents"},
		"/diff":                             {400, "none is named"},
		"/diff?a=nope":                      {404, "no such point: nope"},
		"/file?path=ledger.go&at=HEAD~3":    {200, "float64"},
		"/timeline?at=HEAD~1":               {200, "Read entries from CSV"},
		"/timeline?from=99999":              {200, "first"},
		"/redo":                             {400, "there is no undone rewind"},
		"/rewind?to=HEAD~1":                 {200, "Restore the files of"},
		"/review?range=nope..HEAD":          {400, "commit not found: nope"},
		"/why?path=ledger.go&line=99999":    {404, "has only"},
		"/why?path=ledger.go&line=x":        {400, "not the number of a line"},
		"/why?path=ledger.go&line=0":        {400, "not the number of a line"},
		"/session/00000000-0000-4000-8000-": {404, "Not found"},
	} {
		res, body := c.get(page)
		if res.StatusCode != want.status || !bytes.Contains(body, []byte(want.says)) {
			t.Errorf("%s: %s, without %q: %.2000s", page, res.Status, want.says, body)
		}
	}
}
