package web_test

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"entire/internal/cli/clitest"
	"entire/internal/cli/web/static"
)

// TestStatic writes the ledger as a folder: every link leads to a page, and nothing is in it that must not leave
// the machine.
func TestStatic(t *testing.T) {
	s := newLedger(t)
	s.prompt(rounding, "Use the token")
	s.writes(rounding, "config.go", "package ledger\n\nconst token = \""+clitest.Secret+"\"\n")
	s.stops(rounding, "It is in config.go.")
	s.commit("Use the token " + clitest.Secret)
	dir := filepath.Join(t.TempDir(), "site")
	w, err := static.Write(t.Context(), s.env(), static.Options{Dir: dir, Pages: 1000, Zone: time.UTC})
	s.ok(err)
	pages, err := filepath.Glob(filepath.Join(dir, "*.html"))
	s.ok(err)
	if w.Pages < 40 || w.Left > 0 || len(pages) != w.Pages { // no two pages have one name
		t.Errorf("wrote %+v, and %d files", w, len(pages))
	}
	link := regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	for _, page := range pages {
		data, err := os.ReadFile(page)
		s.ok(err)
		text, name := string(data), filepath.Base(page)
		for what, found := range map[string]bool{"a secret": strings.Contains(text, clitest.Secret), "the home directory": strings.Contains(text, s.Home), "a script": strings.Contains(text, "<script"),
			"the folder of the repository": strings.Contains(text, s.Dir)} {
			if found {
				t.Errorf("%s has %s", name, what)
			}
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, _, _ := strings.Cut(html.UnescapeString(m[1]), "#")
			if target == "" && strings.HasPrefix(m[1], "#") {
				continue
			}
			if _, err := os.Stat(filepath.Join(dir, target)); err != nil || strings.Contains(target, "/") {
				t.Errorf("%s leads to %q", name, m[1])
			}
		}
	}
	b := s.serve(true).tab()
	b.mu.Lock()
	b.files = true
	b.mu.Unlock()
	b.look(1200, "light")
	b.do(chromedp.Navigate("file://" + filepath.Join(dir, "index.html")))
	b.follow(`a[href^="sessions"]`)
	b.follow("[data-row]")
	b.until(`document.querySelector(".talk")`)
	b.follow(`a[href^="files"]`)
	b.follow(`.listing a[href*="ledger.go"]`)
	b.until(`document.querySelector(".own.agent a")`)
	b.follow(".own.agent a")
	b.until(`document.querySelector("h1").innerText === "Keep amounts in cents"`)

	again, err := static.Write(t.Context(), s.env(), static.Options{Dir: dir, Pages: 10, Zone: time.UTC})
	s.ok(err)
	if pages, _ = filepath.Glob(filepath.Join(dir, "*.html")); len(pages) != 10 || again.Left == 0 {
		t.Errorf("the second time there are %d pages, and %+v", len(pages), again)
	}
	if points, _ := filepath.Glob(filepath.Join(dir, "point-*.html")); len(points) != 7 { // beside the three lists
		t.Errorf("%d of the 10 pages are points", len(points))
	}
	s.ok(os.WriteFile(filepath.Join(s.Home, "mine.txt"), nil, 0o644))
	if _, err := static.Write(t.Context(), s.env(), static.Options{Dir: s.Home, Pages: 10, Zone: time.UTC}); err == nil {
		t.Error("it writes into a folder of somebody else")
	}
}
