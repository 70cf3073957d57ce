package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"entire/internal/timeline"
)

// TestEntering uses a link as a person does, with script and without.
func TestEntering(t *testing.T) {
	s := newLedger(t)
	w := s.serve(false)
	b := w.tab()
	link := w.Link("/point/"+s.points(timeline.Turn)[0]+"?x=1", 0)
	b.do(chromedp.Navigate(link))
	b.until(`document.title.startsWith("Make the README funnier")`)
	if got := value[string](b, "location.href"); strings.Contains(got, "#") || !strings.HasSuffix(got, "?x=1") {
		t.Errorf("the address is %s", got)
	}
	b.do(chromedp.Navigate(w.Origin + "/keys")) // as somebody types it
	b.until(`document.title.startsWith("Keys")`)

	other := w.tab()
	other.expected = "403 for"
	other.do(chromedp.Navigate(link))
	other.until(`document.querySelector("[role=alert]")?.innerText.includes("works once")`)

	third := w.tab().scriptless()
	third.do(chromedp.Navigate(w.Link("/timeline", 0)))
	third.until(`document.querySelector("input[name=token]")`)
	third.fill("#token", w.Link("/", 0)+kb.Enter)
	third.until(`document.querySelector("h1")?.innerText === "Timeline"`)
}

// TestReading reads the timeline and a point by the keys alone.
func TestReading(t *testing.T) {
	s := newLedger(t)
	b := s.serve(false).tab().enter("/")
	b.look(1200, "light")
	b.until(`document.querySelector(".row.present .here")`)
	rows := value[[]string](b, `[...document.querySelectorAll("[data-row]")].map(a => a.innerText)`)
	if len(rows) != 10 || rows[1] != "Make the README funnier" || rows[9] != "first" || !strings.HasPrefix(rows[0], "Rewind to ") {
		t.Errorf("the rows are %q", rows)
	}
	b.key("jjj" + "k")
	if got := value[string](b, "document.activeElement.innerText"); got != rows[1] {
		t.Errorf("the row in focus is %q", got)
	}
	b.key(kb.Enter)
	b.until(`document.title.startsWith("Make the README funnier")`)
	for _, want := range []string{"I wrote", "Write a README"} {
		if strings.Contains(b.text("main"), want) {
			t.Errorf("the page has %q of another turn", want)
		}
	}
	if got := b.text("#f1"); !strings.Contains(got, "Where did the money go? Here.") || !strings.Contains(got, "README.md") {
		t.Errorf("the change is %q", got)
	}
	b.key("]")
	b.until(`document.title.startsWith("Check the number of columns")`)
	if got := value[int](b, `document.querySelectorAll("table.inline tr.a").length`); got != 5 {
		t.Errorf("%d lines were added", got)
	}
	b.follow(".tools a")
	b.until(`document.querySelector("table.split")`)
	b.open("/timeline")
	b.key("?")
	b.until(`document.title.startsWith("Keys")`)
	b.key("t")
	b.until(`document.title.startsWith("Timeline")`)
}

// TestTheme shows that a browser remembers the theme, and that it needs no script.
func TestTheme(t *testing.T) {
	s := many(t, 1)
	b := s.serve(false).tab().scriptless()
	b.do(chromedp.Navigate(b.Link("/", 0)))
	b.fill("#token", b.Link("/", 0)+kb.Enter)
	b.until(`document.querySelector(".theme") && ` + complete)
	b.look(800, "light")
	page := func() string { return value[string](b, "getComputedStyle(document.body).backgroundColor") }
	light := page()
	b.follow(".theme")
	b.until(`document.documentElement.dataset.theme === "dark" && ` + complete)
	dark := page()
	b.look(800, "dark")
	b.follow(".theme")
	b.until(`document.documentElement.dataset.theme === "light" && ` + complete)
	if light == dark || page() != light || b.text("h1") != "Timeline" {
		t.Errorf("light is %s, dark %s, light on a dark system %s, on the page %q", light, dark, page(), b.text("h1"))
	}
	b.follow(".theme")
	b.until(`!document.documentElement.dataset.theme && ` + complete)
	if page() != dark {
		t.Errorf("the system's theme is %s, want %s", page(), dark)
	}
}

// TestWindows goes back in a past of several pages.
func TestWindows(t *testing.T) {
	s := many(t, 130)
	b := s.serve(false).tab().enter("/")
	count := func() int { return value[int](b, `document.querySelectorAll(".row").length`) }
	if n := count(); n != 100 || b.text("[data-row]") != "Add number 130" {
		t.Errorf("%d rows, the first is %q", n, b.text("[data-row]"))
	}
	b.key("]")
	b.until(`document.querySelector("[data-row]").innerText === "Add number 30"`)
	if n := count(); n != 31 || value[bool](b, `!!document.querySelector("[rel=next]")`) {
		t.Errorf("%d rows at the end", n)
	}
	oldest := s.points(timeline.Turn)[129]
	b.open("/timeline?at=" + oldest[:12] + "#p" + oldest)
	if !value[bool](b, fmt.Sprintf(`!!document.querySelector("#p%s:target")`, oldest)) {
		t.Error("the point is not on its page")
	}
	b.key("[")
	b.until(`document.querySelector("[data-row]").innerText === "Add number 130"`)
}

// TestLive shows a turn that ends in another process, without loading the page again.
func TestLive(t *testing.T) {
	s := many(t, 2)
	b := s.serve(false).tab().enter("/")
	b.until(`document.querySelector(".row.present [data-row]")?.innerText === "Add number 2"`)
	value[bool](b, `window.same = true`)
	b.key("jj")
	s.prompt(rounding, "Add number 3")
	s.writes(rounding, "list.txt", "3\n")
	s.stops(rounding, "Done.")
	b.until(`document.querySelector("[data-row]").innerText === "Add number 3" && document.querySelector(".row.present [data-row]").innerText === "Add number 3"`)
	if !value[bool](b, `window.same`) {
		t.Error("the page was loaded again")
	}
	if got := value[string](b, "document.activeElement.innerText"); got != "Add number 1" {
		t.Errorf("the row in focus is %q", got)
	}
}

// TestTogether has an agent at work while a person rewinds in one tab and looks in another: both see everything,
// and nothing is lost.
func TestTogether(t *testing.T) {
	s := newLedger(t)
	w := s.serve(false)
	person, reader := w.tab().enter("/timeline"), w.tab().enter("/timeline")
	s.prompt(rounding, "Write notes") // the agent works
	s.writes(rounding, "notes.md", "one\n")
	funnier := s.points(timeline.Turn)[0]
	person.open("/rewind?to=" + funnier + "&what=files")
	person.follow(".go")
	person.until(`document.querySelector("h1").innerText.startsWith("Restored")`)
	reader.until(`document.querySelector("[data-row]").innerText.startsWith("Rewind to ` + funnier[:7] + `")`)
	s.later(time.Second)
	s.stops(rounding, "Done.")
	for _, b := range []*tab{person, reader} {
		if b == person {
			b.open("/timeline")
		}
		b.until(`document.querySelector("[data-row]").innerText === "Write notes"`)
	}
	if got := s.Read("notes.md") + s.Read("README.md"); got != "one\n# ledger\n\nWhere did the money go? Here.\n" {
		t.Errorf("the files say %q", got)
	}
}

// TestFolder shows a folder outside git.
func TestFolder(t *testing.T) {
	s := newStory(t, map[string]string{"a.txt": "one\n"})
	s.Remove(".git")
	s.prompt(rounding, "Write two")
	s.writes(rounding, "a.txt", "one\ntwo\n")
	s.stops(rounding, "Done.")
	b := s.serve(false).tab().enter("/timeline")
	if got := b.text("[data-row]"); got != "Write two" {
		t.Fatalf("the timeline says %q", b.text("main"))
	}
	b.follow("[data-row]")
	b.until(`document.querySelector(".file ins")`)
	for page, want := range map[string]string{"/files": "a.txt", "/file?path=a.txt": "two", "/sessions": "Write two", "/status": "outside git"} {
		b.open(page)
		if got := b.text("main"); !strings.Contains(got, want) {
			t.Errorf("%s says %q", page, got)
		}
	}
}
