package web_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"entire/internal/timeline"
)

// TestFile goes from the list of files to the prompt behind a line, and through the states of a file.
func TestFile(t *testing.T) {
	s := newLedger(t)
	b := s.serve(false).tab().enter("/files")
	b.look(1200, "light")
	if got := value[[]string](b, `[...document.querySelectorAll(".listing a")].map(a => a.innerText)`); fmt.Sprint(got) != "[README.md csv.go go.mod ledger.go ledger_test.go web/index.html]" {
		t.Errorf("the files are %q", got)
	}
	b.follow(`.listing a[href*="ledger.go"]`)
	b.until(`document.querySelector(".own.agent")`)
	owners := value[[]string](b, `[...document.querySelectorAll(".own a")].map(a => a.firstChild.data + "×" + a.parentElement.rowSpan)`)
	if want := "[unknown×7 Claude Code #1×1 unknown×3 unknown×1 Claude Code #1×1 unknown×8 Claude Code #2×7]"; fmt.Sprint(owners) != want {
		t.Errorf("the owners are %v, want %s", owners, want)
	}
	// The owner says why as soon as a person looks, by the mouse or by the keyboard.
	b.focus(".own.agent a")
	b.until(`getComputedStyle(document.querySelector(".own.agent .tip")).display === "block"`)
	b.until(`document.querySelector(".own.agent .asked")?.innerText.startsWith("Amounts drift")`)
	if dir := os.Getenv("ENTIRE_WEB_EYES"); dir != "" {
		shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
		s.ok(err)
		s.ok(os.WriteFile(dir+"/file-tip.png", shot, 0o644))
	}
	b.follow("#L24 .no a")
	b.until(`document.title.startsWith("ledger.go:24")`)
	for _, want := range []string{"Negative amounts print", "Claude Code (opus-4)", "turn 2", "Keep amounts in cents", "sign, cents = \"-\", -cents"} {
		if !strings.Contains(b.text("main"), want) {
			t.Errorf("the page does not say %q", want)
		}
	}

	b.open("/file?path=csv.go")
	b.until(`document.querySelector(".own")`)
	b.focus("#state")
	b.do(chromedp.KeyEvent(kb.ArrowLeft + kb.ArrowLeft))
	b.until(`document.querySelector(".states [aria-current] a").innerText === "Read entries from a CSV file"`)
	b.until(`location.search.includes("state=0")`)
	if got := b.text(".blame"); strings.Contains(got, "columns, want 2") || !strings.Contains(got, "package ledger") {
		t.Errorf("the oldest state is %q", got)
	}
	if got := value[string](b, "document.activeElement.id"); got != "state" {
		t.Errorf("the focus is at %q", got)
	}
	b.do(chromedp.KeyEvent(kb.ArrowRight))
	b.until(`document.querySelector(".states [aria-current] a").innerText === "Check the number of columns"`)
	if got := value[int](b, `document.querySelectorAll(".blame .a").length`); got != 5 {
		t.Errorf("%d lines are marked as new", got)
	}
}

// TestLongFile reads a file in parts, and one that git does not know yet.
func TestLongFile(t *testing.T) {
	s := newStory(t, map[string]string{"a.txt": "one\n"})
	var lines strings.Builder
	for i := 1; i <= 2500; i++ {
		fmt.Fprintf(&lines, "line %d\n", i)
	}
	s.prompt(rounding, "Write a long file")
	s.writes(rounding, "long.txt", lines.String())
	s.stops(rounding, "Done.")
	b := s.serve(false).tab().enter("/file?path=long.txt")
	if got := b.text(".pager span"); got != "lines 1–1000 of 2500" {
		t.Errorf("it shows %q: %.300s", got, b.text("main"))
	}
	b.follow(`nav[aria-label="Lines"] a`)
	b.until(`document.querySelector("#L1001") && document.querySelector("#L2000") && !document.querySelector("#L2001")`)
	b.open("/file?path=long.txt&at=" + s.points(timeline.Commit)[0])
	if got := b.text(".empty"); got != "There is no such file at this point." {
		t.Errorf("before it was written: %q", got)
	}
	b.expected = "for http"
	for _, page := range []string{"/file?path=none.txt", "/file?path=../x", "/file?path=/etc/passwd", "/file?path=.git/config", "/why?path=none.txt&line=1", "/point/zz"} {
		b.open(page)
		if got := b.text("h1"); got != "Not found" && got != "This did not work" {
			t.Errorf("%s shows %q", page, got)
		}
	}
}

// TestSlider holds the slider of a file while its page is brought up to date: it stays in the hand that drags it.
func TestSlider(t *testing.T) {
	s := newLedger(t)
	b := s.serve(false).tab().enter("/file?path=csv.go")
	b.look(1200, "light")
	b.until(`document.querySelector(".own")`)
	b.until(`window.held = document.querySelector("#state")`)
	place := value[[]float64](b, `(r => [r.x, r.width, r.y + r.height / 2])(held.getBoundingClientRect())`)
	b.do(chromedp.MouseEvent(chromedp.MousePressed, place[0]+place[1]-8, place[2], chromedp.ButtonLeft))
	for _, part := range []float64{0.7, 0.4, 0.02} {
		b.do(chromedp.MouseEvent(chromedp.MouseMoved, place[0]+place[1]*part, place[2], chromedp.ButtonLeft))
		b.until(`location.search.includes("state=" + held.value)`)
	}
	b.do(chromedp.MouseEvent(chromedp.MouseReleased, place[0]+place[1]*0.02, place[2], chromedp.ButtonLeft))
	b.until(`location.search.includes("state=0") && document.querySelector(".states [aria-current] a").innerText === "Read entries from a CSV file"`)
	if !value[bool](b, `held.isConnected && held.value === "0"`) {
		t.Error("the slider that was held is another one")
	}
}

// TestTyping types a query letter by letter, each before the answer to the former is there.
func TestTyping(t *testing.T) {
	s := newLedger(t)
	b := s.serve(false).tab().enter("/search?q=panic")
	b.until(`document.querySelector(".hits li")`)
	b.open("/search")
	b.focus("#q")
	for _, letter := range "euros in cents" {
		b.do(chromedp.KeyEvent(string(letter)))
	}
	b.until(`location.search.includes("cents") && document.querySelector(".hits li")`)
	b.do(chromedp.KeyEvent(kb.Home + "x"))
	b.until(`location.search.includes("xeuros")`)
	if got := value[string](b, `document.activeElement.value + document.activeElement.selectionStart`); got != "xeuros in cents1" {
		t.Errorf("the field has %q", got)
	}
}
