//go:build linux || darwin

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"entire/internal/recording"
	"entire/internal/testrepo"
)

// TestTwoWritersAndAReader has an agent at work, a person who rewinds in a browser, and the terminal
// program open beside them: each sees what the others do, and nothing is lost. How long each took to
// see it is logged.
func TestTwoWritersAndAReader(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	screen := p.terminal()
	p.see(screen, "third") // the newest commit
	pages := p.browser()
	told := pages.events()

	p.prompts("Write the first story")
	p.write("story.txt", "once upon a time\n")
	p.stops()
	p.see(screen, "Write the first story")
	p.hear(told, "a turn's end")
	point := pages.pointNamed("Write the first story")

	p.prompts("Write the second story")
	p.write("second.txt", "there was a second one\n")
	p.write("story.txt", "once upon another time\n")
	p.stops()
	p.see(screen, "Write the second story")

	// Another session is in the middle of a turn when the person goes back.
	p.begins("b1a7c0de-0000-4000-8000-0000000000fb")
	p.prompts("Write the third story")
	p.write("third.txt", "in the middle of the third\n")
	calm(told)
	pages.rewind("/rewind?to=" + point + "&what=files")
	p.hear(told, "a rewind")
	p.see(screen, "rewind to")
	p.has("story.txt", "once upon a time\n")
	p.has("third.txt", "in the middle of the third\n")
	p.write("third.txt", "the end of the third\n")
	p.stops()
	p.see(screen, "Write the third story")

	// Everything that there was can be had again.
	pages.rewind("/undo")
	p.has("story.txt", "once upon another time\n")
	p.has("second.txt", "there was a second one\n")
	p.has("third.txt", "the end of the third\n")
	p.see(screen, "undo of")
	if got := p.git("fsck", "--no-dangling"); got != "" {
		t.Errorf("git fsck: %s", got)
	}
	if err := screen.Press("q"); err != nil {
		t.Fatal(err)
	}
	if err := screen.Ended(); err != nil {
		t.Errorf("the terminal program: %v", err)
	}
}

// people are those who work in one repository.
type people struct {
	t          *testing.T
	dir        string
	env        []string
	session    string
	transcript string
	lines      int
}

func newPeople(t *testing.T) *people {
	t.Helper()
	home := testrepo.NewHome(t)
	p := &people{t: t, dir: filepath.Join(t.TempDir(), "repo"), env: append(testrepo.Environ(home), "TMPDIR="+t.TempDir())}
	if err := testrepo.CopyTree(scenarioTemplate(t), p.dir); err != nil {
		t.Fatal(err)
	}
	p.begins("5e55104f-0000-4000-8000-0000000000fa")
	return p
}

// begins begins a session; the hooks that follow are of it.
func (p *people) begins(session string) {
	p.session, p.transcript = session, filepath.Join(p.t.TempDir(), session+".jsonl")
}

func (p *people) run(stdin string, name string, args ...string) string {
	p.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = p.dir, append(p.env, "ENTIRE_TEST_TTY=0"), strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (p *people) git(args ...string) string { p.t.Helper(); return p.run("", "git", args...) }

func (p *people) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *people) has(name, want string) {
	p.t.Helper()
	if data, err := os.ReadFile(filepath.Join(p.dir, name)); err != nil || string(data) != want {
		p.t.Errorf("%s is %q (%v), want %q", name, data, err, want)
	}
}

func (p *people) hook(verb string, more map[string]string) {
	p.t.Helper()
	payload := map[string]string{"session_id": p.session, "transcript_path": p.transcript, "cwd": p.dir, "hook_event_name": verb}
	maps.Copy(payload, more)
	data, err := json.Marshal(payload)
	if err != nil {
		p.t.Fatal(err)
	}
	p.run(string(data), "entire", "hooks", "claude-code", verb)
}

func (p *people) says(kind, text string) {
	p.t.Helper()
	p.lines++
	data, err := json.Marshal(map[string]any{"type": kind, "uuid": fmt.Sprint("u", p.lines), "message": map[string]any{"role": kind, "content": text}})
	if err != nil {
		p.t.Fatal(err)
	}
	f, err := os.OpenFile(p.transcript, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(append(data, '\n')); err != nil {
		p.t.Fatal(err)
	}
}

func (p *people) prompts(text string) {
	p.t.Helper()
	p.says("user", text)
	p.hook("user-prompt-submit", map[string]string{"prompt": text})
}

func (p *people) stops() {
	p.t.Helper()
	p.says("assistant", "Done.")
	p.hook("stop", nil)
}

// terminal starts the terminal program.
func (p *people) terminal() *recording.Session {
	p.t.Helper()
	cmd := exec.Command("entire")
	cmd.Dir, cmd.Env = p.dir, p.env
	s, err := recording.Start(cmd, recording.Options{Columns: 100, Rows: 30, Dark: true})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { s.Close() })
	return s
}

// see waits until the terminal shows a text.
func (p *people) see(s *recording.Session, text string) {
	p.t.Helper()
	begun := time.Now()
	if err := s.Wait(text); err != nil {
		p.t.Fatal(err)
	}
	p.t.Logf("the terminal shows %q after %v", text, time.Since(begun).Round(time.Millisecond))
}

// A pagesClient is a browser without a screen.
type pagesClient struct {
	*people
	http.Client
	origin string
	base   string // the folder of the pages, which entering tells
}

// browser starts the pages and enters them.
func (p *people) browser() *pagesClient {
	p.t.Helper()
	cmd := exec.Command("entire", "web", "--no-open")
	cmd.Dir, cmd.Env = p.dir, append(p.env, "ENTIRE_TEST_TTY=0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	link, err := bufio.NewReader(out).ReadString('\n')
	address, token, found := strings.Cut(strings.TrimSpace(link), "#")
	if err != nil || !found {
		p.t.Fatalf("entire web prints %q (%v)", link, err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		p.t.Fatal(err)
	}
	c := &pagesClient{people: p, Client: http.Client{Jar: jar}, origin: strings.TrimSuffix(address, "/")}
	_, entered := c.post("/enter", url.Values{"token": {token}})
	c.base = "/" + strings.Split(entered.Path, "/")[1]
	return c
}

// read sends a request and returns the page, and its address after redirections.
func (c *pagesClient) read(r *http.Request, err error) (string, *url.URL) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
	res, err := c.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		c.t.Fatalf("%s %s: %s, %v\n%s", r.Method, r.URL, res.Status, err, body)
	}
	return string(body), res.Request.URL
}

func (c *pagesClient) get(path string) string {
	c.t.Helper()
	page, _ := c.read(http.NewRequest("GET", c.origin+c.base+path, nil))
	return page
}

func (c *pagesClient) post(path string, form url.Values) (string, *url.URL) {
	c.t.Helper()
	r, err := http.NewRequest("POST", c.origin+path, strings.NewReader(form.Encode()))
	if err == nil {
		r.Header.Set("Origin", c.origin)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return c.read(r, err)
}

// pointNamed returns the ID of the newest point with a prompt.
func (c *pagesClient) pointNamed(prompt string) string {
	c.t.Helper()
	var list struct {
		Points []struct{ ID, Prompt string }
	}
	page := c.get("/timeline.json")
	if err := json.Unmarshal([]byte(page), &list); err != nil {
		c.t.Fatalf("%v in %s", err, page)
	}
	for _, point := range list.Points {
		if point.Prompt == prompt {
			return point.ID
		}
	}
	c.t.Fatalf("no point has the prompt %q: %s", prompt, page)
	return ""
}

var confirmForm = regexp.MustCompile(`(?s)<form class="confirm"[^>]* action="([^"]*)">(.*?)</form>`)
var hiddenInput = regexp.MustCompile(`name="([^"]*)" value="([^"]*)"`)

// rewind opens the preview of a rewind and confirms it.
func (c *pagesClient) rewind(path string) {
	c.t.Helper()
	page := c.get(path)
	form := confirmForm.FindStringSubmatch(page)
	if form == nil {
		c.t.Fatalf("%s has nothing to confirm:\n%s", path, page)
	}
	values := url.Values{}
	for _, input := range hiddenInput.FindAllStringSubmatch(form[2], -1) {
		values.Set(html.UnescapeString(input[1]), html.UnescapeString(input[2]))
	}
	c.post(html.UnescapeString(form[1]), values)
}

// events sends a value for each change that the pages are told of.
func (c *pagesClient) events() <-chan struct{} {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	r, err := http.NewRequestWithContext(ctx, "GET", c.origin+c.base+"/events", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	res, err := c.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { cancel(); res.Body.Close() })
	told := make(chan struct{}, 100)
	go func() {
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			if lines.Text() == "event: changed" {
				told <- struct{}{}
			}
		}
	}()
	return told
}

// hear waits until the pages are told of a change.
func (p *people) hear(told <-chan struct{}, of string) {
	p.t.Helper()
	begun := time.Now()
	select {
	case <-told:
		p.t.Logf("the pages hear of %s after %v", of, time.Since(begun).Round(time.Millisecond))
	case <-time.After(recording.Waiting):
		p.t.Fatalf("the pages were not told of %s", of)
	}
	calm(told)
}

// calm waits until the pages are told of nothing more.
func calm(told <-chan struct{}) {
	for {
		select {
		case <-told:
		case <-time.After(500 * time.Millisecond):
			return
		}
	}
}
