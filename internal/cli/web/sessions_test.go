package web_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// dot returns a picture that a person put into a prompt.
func dot(t *testing.T) string {
	p := image.NewRGBA(image.Rect(0, 0, 40, 20))
	for i := range 800 {
		p.Set(i%40, i/40, color.RGBA{200, 30, 90, 255})
	}
	var out bytes.Buffer
	if err := png.Encode(&out, p); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(out.Bytes())
}

// TestSession reads a session with an image, a failed call and a subagent, finds a text in it and renames it.
func TestSession(t *testing.T) {
	s := newStory(t, map[string]string{"a.txt": "one\n"})
	s.later(time.Minute)
	s.agent(rounding, "user-prompt-submit", map[string]any{"prompt": "Look at this"})
	s.say(rounding, "user", map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": "Look at this"},
		map[string]any{"type": "image", "source": map[string]any{"type": "base64", "media_type": "image/png", "data": dot(t)}}}}, nil)
	s.says(rounding, "## What I see\n\nA **red** box:\n\n```go\nfunc box() {}\n```\n\n1. first\n2. second")
	s.tool(rounding, "Bash", map[string]any{"command": "false"}, "it went wrong", true)
	s.say(rounding, "assistant", map[string]any{"id": "msg_sub", "role": "assistant", "model": "opus-4", "content": []any{map[string]any{"type": "text", "text": "I am the helper."}}},
		map[string]any{"isSidechain": true, "agentId": "a1b2c3"})
	s.writes(rounding, "a.txt", "two\n")
	s.stops(rounding, "Done, with a needle in it.")
	b := s.serve(false).tab().enter("/sessions")
	b.follow("[data-row]")
	b.until(`document.querySelector("#talk img")?.complete`)
	if w := value[int](b, `document.querySelector("#talk img").naturalWidth`); w != 40 {
		t.Errorf("the image is %d pixels wide", w)
	}
	for selector, want := range map[string]string{".prose strong": "red", ".prose pre .k": "func", ".prose li:nth-child(2)": "second", ".prose .heading": "What I see", ".call.failed summary": "Bash false failed"} {
		if got := b.text(selector); got != want {
			t.Errorf("%s is %q, want %q", selector, got, want)
		}
	}
	if got := b.text(".m-agent summary"); !strings.Contains(got, "subagent a1b2c3") {
		t.Errorf("the subagent is %q", got)
	}
	b.click(".m-agent summary")
	if got := b.text(".m-agent .prose"); got != "I am the helper." {
		t.Errorf("it said %q", got)
	}
	b.key("jj")
	if got := value[string](b, "document.activeElement.hash"); got != "#m1" { // the only prompt
		t.Errorf("the focus is at %q", got)
	}
	s.prompt(rounding, "And now this") // while the page is shown
	s.stops(rounding, "Here it is.")
	b.until(`document.querySelector("#talk").lastElementChild.innerText.includes("Here it is.")`)
	b.key("j")
	if got := value[string](b, "document.activeElement.hash"); got != "#m9" {
		t.Errorf("the focus is at %q", got)
	}
	b.fill("#find", "NEEDLE"+kb.Enter)
	b.until(`document.querySelector(".found li")`)
	if got := b.text(".found li"); !strings.Contains(got, "with a needle in it") {
		t.Errorf("it finds %q", got)
	}
	b.click("aside details:last-of-type summary")
	b.fill("#title", "The red box")
	b.follow("aside .go")
	b.until(`document.querySelector("h1").innerText === "The red box"`)
	b.open("/sessions?q=red")
	if got := b.text("[data-row]"); got != "The red box" {
		t.Errorf("the list has %q", got)
	}
	b.open("/session/" + rounding)
	b.follow(".prompts .at") // what came of the first prompt
	if got := b.text("h1"); got != "Look at this" {
		t.Errorf("its point is %q", got)
	}
}

const messages = 50_000 // of a long session

// newLongSession is a session of 50,000 messages.
func newLongSession(t testing.TB) *story {
	s := newStory(t, map[string]string{"a.txt": "one\n"})
	s.prompt(rounding, "Count")
	var lines strings.Builder
	for i := 2; i < messages; i++ {
		fmt.Fprintf(&lines, `{"type":"assistant","uuid":"00000000-0000-4000-9000-%012d","sessionId":%q,"timestamp":"2026-03-04T09:01:00.000Z","message":{"id":"msg_c%d","role":"assistant","model":"opus-4","content":[{"type":"text","text":"This is number %d."}]}}`+"\n", i, rounding, i, i)
	}
	f, err := os.OpenFile(s.transcript(rounding), os.O_APPEND|os.O_WRONLY, 0o600)
	s.ok(err)
	_, err = f.WriteString(lines.String())
	s.ok(err)
	s.ok(f.Close())
	for i := 0; i < 20 && s.messages(rounding) < messages; i++ { // a hook feeds the store for some seconds at most
		s.stops(rounding, fmt.Sprintf("This is number %d.", messages+i))
	}
	return s
}

// TestLongSession scrolls through a long session in both directions. The page holds a bounded number of messages.
func TestLongSession(t *testing.T) {
	s := newLongSession(t)
	b := s.serve(false).tab().enter("/session/" + rounding)
	b.look(1200, "light")
	last := func() string {
		return value[string](b, `document.querySelector("#talk").lastElementChild.id`)
	}
	for range 12 {
		before := last()
		b.do(chromedp.Evaluate[chromedp.Void](`scrollTo(0, document.documentElement.scrollHeight)`))
		b.until(fmt.Sprintf(`document.querySelector("#talk").lastElementChild.id !== %q`, before))
	}
	if n := value[int](b, `document.querySelectorAll("#talk > li").length`); n > 560 {
		t.Errorf("the page holds %d messages", n)
	}
	numbers := `[...document.querySelectorAll("#talk > li")].every((li, i, all) => i === 0 || +li.id.slice(1) === +all[i - 1].id.slice(1) + 1)`
	if !value[bool](b, numbers) || value[int](b, `+document.querySelector("#talk").firstElementChild.id.slice(1)`) == 1 {
		t.Error("messages are missing, or the first ones are still there")
	}
	first := value[string](b, `document.querySelector("#talk").firstElementChild.id`)
	b.do(chromedp.Evaluate[chromedp.Void](`scrollTo(0, 0)`))
	b.until(fmt.Sprintf(`document.querySelector("#talk").firstElementChild.id !== %q`, first))
	if !value[bool](b, numbers) {
		t.Error("messages are missing on the way back")
	}
	b.open(fmt.Sprintf("/session/%s?from=%d", rounding, messages-10))
	if got := b.text("#talk"); !strings.Contains(got, fmt.Sprintf("This is number %d.", messages-10)) {
		t.Errorf("the end says %.200q", got)
	}
}

// messages returns how many messages the store has of a session.
func (s *story) messages(sid string) int {
	s.t.Helper()
	c := s.serve(true).client()
	total, _ := c.json("/session/" + sid)["total"].(float64)
	return int(total)
}
