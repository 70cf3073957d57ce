package web_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"entire/internal/testrepo"
)

// TestAxe lets axe-core look for what keeps people from using a page: at the least width in the one theme, at the greatest in
// the other, and in `make full` at both in both.
func TestAxe(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join("testdata", "axe", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	s := newLedger(t)
	b := s.serve(false).tab().enter("/")
	told := map[string]bool{}
	b.expected = "404 for" // of the page that is missing
	for _, page := range s.pages() {
		for i, theme := range themes {
			for j, width := range []int64{widths[0], widths[2]} {
				if i != j && !testrepo.Full() {
					continue
				}
				b.look(width, theme)
				b.open(page.path)
				b.until(page.ready)
				b.await(`for (const d of document.querySelectorAll("details")) d.open = true`)
				b.await(string(axe) + "\n;0")
				var found []struct {
					ID, Help string
					Nodes    []struct{ HTML string }
				}
				b.ok(json.Unmarshal([]byte(b.await(`axe.run(document, { resultTypes: ["violations"] }).then(r => JSON.stringify(r.violations))`)), &found))
				for _, v := range found {
					if key := page.name + v.ID; told[key] {
						continue
					} else {
						told[key] = true
					}
					t.Errorf("%s, %s, %d pixels: %s (%s): %s", page.name, theme, width, v.Help, v.ID, v.Nodes[0].HTML)
				}
			}
		}
	}
}
