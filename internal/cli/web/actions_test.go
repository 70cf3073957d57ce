package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"entire/internal/timeline"
)

// TestRewinding goes back, undoes it, redoes it and saves the present, by the pages alone.
func TestRewinding(t *testing.T) {
	s := newLedger(t)
	before := s.Read("README.md")
	b := s.serve(false).tab().enter("/")
	b.until(`document.querySelector(".row.present")`)
	b.follow(`[data-row][href*="` + s.points(timeline.Turn)[0] + `"]`) // Make the README funnier
	b.until(`document.title.startsWith("Make the README funnier")`)
	b.follow(`.actions a`)
	b.until(`document.title.startsWith("Rewind to")`)
	if got := b.text(".planned"); got != "Restore README.md +1 −5" {
		t.Errorf("it would %q", got)
	}
	if got := s.Read("README.md"); got != before {
		t.Error("the preview has changed the file")
	}
	// Only the files: the page shows the new preview by itself.
	b.click(`input[name=what][value=files]`)
	b.until(`location.search.includes("what=files") && document.querySelector(".command").innerText.includes("--code")`)
	b.follow(".go")
	b.until(`document.querySelector("h1").innerText.startsWith("Restored the files of")`)
	if got := s.Read("README.md"); !strings.Contains(got, "Where did the money go?") {
		t.Errorf("the file says %q", got)
	}
	b.follow(`a[href$="/undo"]`)
	b.until(`document.title.startsWith("Undo")`)
	b.follow(".go")
	b.until(`document.querySelector("h1").innerText.startsWith("Undid rewind")`)
	if got := s.Read("README.md"); got != before {
		t.Errorf("after undo the file says %q", got)
	}
	b.follow(`a[href$="/redo"]`)
	b.until(`document.title.startsWith("Redo")`)
	b.follow(".go")
	b.until(`document.querySelector("h1").innerText.startsWith("Redid rewind")`)

	b.open("/timeline")
	b.key("m")
	b.until(`document.querySelector("#label")`)
	b.fill("#label", "before the upgrade")
	b.follow(".go")
	b.until(`document.querySelector("[data-row]")?.innerText === "before the upgrade"`)
	if n := len(s.points(timeline.Label)); n != 1 {
		t.Errorf("there are %d labels", n)
	}
}

// TestHunks brings one of two hunks back.
func TestHunks(t *testing.T) {
	s := newStory(t, map[string]string{"list.txt": numbers(40, nil)})
	s.prompt(rounding, "Mark two lines")
	s.writes(rounding, "list.txt", numbers(40, map[int]string{3: "three", 30: "thirty"}))
	s.stops(rounding, "Done.")
	b := s.serve(false).tab().enter("/rewind?to=" + s.points(timeline.Commit)[0] + "&what=files")
	if n := value[int](b, `document.querySelectorAll(".pick input").length`); n != 2 {
		t.Fatalf("%d hunks can be chosen:\n%s", n, b.text("main"))
	}
	// The page shows the new preview by itself. Until then nobody can do what the former one showed.
	if !value[bool](b, `(document.querySelector("tbody:last-child .pick input").click(), document.querySelector(".go").disabled)`) {
		t.Error("the button does something else than what is chosen")
	}
	b.until(`document.querySelector(".command").innerText.includes("--hunk list.txt:2")`)
	if got := value[[]bool](b, `[...document.querySelectorAll(".pick input")].map(i => i.checked)`); len(got) != 2 || got[0] || !got[1] {
		t.Errorf("the boxes are %v", got)
	}
	b.follow(".go")
	b.until(`document.querySelector("h1").innerText.startsWith("Restored")`)
	if got := s.Read("list.txt"); got != numbers(40, map[int]string{3: "three"}) {
		t.Errorf("the file is\n%s", got)
	}
}

func numbers(n int, but map[int]string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		if word, ok := but[i]; ok {
			fmt.Fprintln(&b, word)
		} else {
			fmt.Fprintln(&b, i)
		}
	}
	return b.String()
}

// TestConflict shows both sides of what does not merge, and does nothing until a person chooses.
func TestConflict(t *testing.T) {
	s := newStory(t, map[string]string{"list.txt": numbers(5, nil)})
	s.prompt(rounding, "Name three")
	s.writes(rounding, "list.txt", numbers(5, map[int]string{3: "three"}))
	s.stops(rounding, "Done.")
	s.prompt(rounding, "Add a file")
	s.writes(rounding, "other.txt", "other\n")
	s.stops(rounding, "Done.")
	s.Write("list.txt", numbers(5, map[int]string{3: "THREE"}))
	turn := s.points(timeline.Turn)[1]
	b := s.serve(false).tab().enter("/rewind?to=" + turn + "&scope=turn&session=" + rounding + "&turn=1")
	if got := b.text(".conflict"); !strings.Contains(got, "THREE") || !strings.Contains(got, "three") || value[bool](b, `!!document.querySelector(".go")`) {
		t.Errorf("it shows %q", b.text("main"))
	}
	b.click(`input[name=conflicts][value=markers]`)
	b.until(`document.querySelector(".go")`)
	b.follow(".go")
	b.until(`document.querySelector("h1").innerText.startsWith("Undid turn")`)
	if got := s.Read("list.txt"); !strings.Contains(got, "<<<<<<<") || !strings.Contains(got, "THREE") {
		t.Errorf("the file is\n%s", got)
	}
}

// TestMoved does nothing if the files are not as the preview showed them.
func TestMoved(t *testing.T) {
	s := newLedger(t)
	w := s.serve(false)
	b := w.tab().enter("/rewind?to=" + s.points(timeline.Turn)[0])
	b.expected = "409 for"
	s.Write("README.md", "# changed since\n")
	b.follow(".go")
	b.until(`document.querySelector("[role=alert]")?.innerText.startsWith("Nothing was done")`)
	if got := s.Read("README.md"); got != "# changed since\n" {
		t.Errorf("the file says %q", got)
	}
	b.follow(".go")
	b.until(`document.querySelector("h1").innerText.startsWith("Rewound to")`)

	c := w.client()
	for _, path := range []string{"/rewind?to=" + s.points(timeline.Turn)[1], "/undo", "/redo", "/label"} {
		if res := c.post(c.at+path, url.Values{"label": {"x"}, "mark": {"x"}}); res.StatusCode != http.StatusForbidden {
			t.Errorf("a form without its token: %s for %s", res.Status, path)
		}
	}
}

// TestReadOnly offers nothing that changes something.
func TestReadOnly(t *testing.T) {
	s := newLedger(t)
	w := s.serve(true)
	b := w.tab().enter("/")
	for _, page := range []string{"/timeline", "/point/" + s.points(timeline.Turn)[2], "/file?path=csv.go&at=" + s.points(timeline.Turn)[1]} {
		b.open(page)
		if n := value[int](b, `document.querySelectorAll("form[method=post], a[href*='/rewind'], a[href*='/undo'], a[href*='/label']").length`); n > 0 {
			t.Errorf("%s has %d ways to change something", page, n)
		}
	}
	b.expected = "404 for"
	b.open("/rewind?to=" + s.points(timeline.Turn)[2])
	if got := b.text("h1"); got != "Not found" {
		t.Errorf("the preview shows %q", got)
	}
	c := w.client()
	if res := c.post(c.at+"/label", url.Values{"label": {"x"}}); res.StatusCode != http.StatusForbidden {
		t.Errorf("a form: %s", res.Status)
	}
}
