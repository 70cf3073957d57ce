package web_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"entire/internal/cli/web/pages"
)

// TestReview shows what a reviewer wants to know of a branch, also as one file.
func TestReview(t *testing.T) {
	s := newLedger(t)
	b := s.serve(false).tab().enter("/timeline")
	b.look(1200, "light")
	b.key("v")
	b.until(`document.querySelector(".rv")`)
	b.open("/review?range=HEAD~2..HEAD")
	b.until(`document.querySelector(".rv")`)
	for _, want := range []string{"agent 94.4 %, 51 lines", "person 3.7 %", "154,200", "Read entries from a CSV file", "5 hunks, 3 whole files"} {
		if !strings.Contains(b.text("main"), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	shown := `[...document.querySelectorAll(".rv-hunk")].filter(e => e.getClientRects().length).length`
	all := value[int](b, shown)
	b.click("#only")
	if only := value[int](b, shown); all != 7 || only != 5 {
		t.Errorf("of %d hunks only an agent touched %d", all, only)
	}
	var page bytes.Buffer
	s.ok(pages.ExportReview(t.Context(), s.env(), "HEAD~2..HEAD", time.UTC, func(string) {}, &page))
	if found := regexp.MustCompile(`(?i)<script|<link rel="style|src=|href="(/|http)|url\(`).FindAllString(page.String(), -1); len(found) > 0 {
		t.Errorf("the file needs %q", found)
	}
	if bytes.Contains(page.Bytes(), []byte(s.Dir)) {
		t.Error("the file names the folder of the repository")
	}
	path := filepath.Join(t.TempDir(), "review.html")
	s.ok(os.WriteFile(path, page.Bytes(), 0o644))
	b.mu.Lock()
	b.files = true
	b.mu.Unlock()
	b.do(chromedp.Navigate("file://" + path))
	b.click("#only")
	if only := value[int](b, shown); only != 5 || !strings.Contains(b.text("main"), "Read entries from a CSV file") {
		t.Errorf("the file shows %d hunks", only)
	}
	if dir := os.Getenv("ENTIRE_WEB_EYES"); dir != "" {
		shot, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
		s.ok(err)
		s.ok(os.WriteFile(dir+"/export.png", shot, 0o644))
	}
}
