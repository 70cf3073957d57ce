package web_test

import (
	"fmt"
	"strings"
	"testing"

	"entire/internal/timeline"
)

// tasks are what people want of the past, as docs/terminal.md lists them, with the page where each begins, the
// clicks and the entries that it takes, and what is true at its end. docs/web.md has the clicks.
func (s *story) tasks() []task {
	turns, commits := s.points(timeline.Turn), s.points(timeline.Commit)
	return []task{
		{"What was asked for this line?", "/file?path=ledger.go", complete, []string{"#L24 .no a"}, "", `document.querySelector(".prompt")?.innerText.startsWith("Negative amounts")`},
		{"Get back yesterday's version of one function", "/file?path=ledger.go&at=" + commits[2], complete,
			[]string{`a[href*="/rewind"]`, "tbody:last-child .pick input", ".go"}, "", `document.querySelector("h1").innerText.startsWith("Restored the chosen hunks")`},
		{"Which session broke the build?", "/search?q=range", `document.querySelector(".hits li")`, []string{".hits [data-row]"}, "", `document.querySelector(".facts dd code")?.innerText.length > 30`},
		{"What was said around it?", "/search?q=panic", `document.querySelector(".hits li")`, []string{".hits [data-row]"}, "", `document.querySelector(".talk")?.innerText.includes("would still panic")`},
		{"Go back to a turn, and keep what I changed", "/point/" + turns[0], complete, []string{`a[href*="/rewind"]`, "input[name=mine][value=keep]", ".go"}, "",
			`document.querySelector("h1").innerText.startsWith("Rewound to")`},
		{"Undo one turn, and keep the later ones", "/point/" + turns[1], complete, []string{`a[href*="scope=turn"]`, ".go"}, "", `document.querySelector("h1").innerText.startsWith("Undid turn")`},
		{"Undo the last rewind", "/timeline", complete, []string{`a[href$="/undo"]`, ".go"}, "", `document.querySelector("h1").innerText.startsWith("Undid rewind")`},
		{"What has changed in this file since then?", "/file?path=ledger.go&at=" + commits[2], complete, []string{`a[href*="/diff"]`}, "", `["sum := 0.0", "sum := int64(0)"].every(line => document.querySelector(".file").innerText.includes(line))`},
		{"Is what my agent does captured?", "/timeline", complete, []string{`nav a[href$="/status"]`}, "", `document.querySelector("main").innerText.includes("turns are not captured")`},
		{"Save everything before something risky", "/timeline", complete, []string{`a[href$="/label"]`, ".go"}, "risky", `document.querySelector("[data-row]")?.innerText === "risky"`},
	}
}

type task struct {
	name, page, ready string
	clicks            []string
	entry             string // typed into the field of the page before the last click
	done              string
}

// clicksMax is how many clicks a task may take after arriving.
const clicksMax = 3

func TestTenTasks(t *testing.T) {
	s := newLedger(t)
	b := s.serve(false).tab().enter("/")
	b.look(1200, "light")
	var table strings.Builder
	for _, task := range s.tasks() {
		b.open(task.page)
		b.until(task.ready)
		for i, selector := range task.clicks {
			if task.entry != "" && i == len(task.clicks)-1 {
				b.fill("main input[type=text]", task.entry)
			}
			if !strings.Contains(selector, "input") {
				b.follow(selector)
				continue
			}
			b.until(complete + ` && document.querySelector(".command")`)
			before := b.text(".command")
			b.click(selector) // the page shows the new preview by itself
			b.until(fmt.Sprintf(`document.querySelector(".command").innerText !== %q`, before))
		}
		b.until(task.done)
		if len(task.clicks) > clicksMax {
			t.Errorf("%s takes %d clicks", task.name, len(task.clicks))
		}
		fmt.Fprintf(&table, "| %s | %d |\n", task.name, len(task.clicks))
	}
	compareText(t, "../../../docs/web.md", table.String())
}
