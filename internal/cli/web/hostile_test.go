package web_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"entire/internal/timeline"
)

// The texts of somebody who wants more than to be read.
const (
	markup   = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`
	escapes  = "\x1b[31mred\x1b]0;title\x07"
	reversed = "\u202egnp.exe\u2066"
)

// newHostile is a repository in which prompts, answers, paths and files are hostile.
func newHostile(t *testing.T) *story {
	s := newStory(t, map[string]string{"a.txt": "one\n"})
	path := s.hostilePath()
	s.prompt(rounding, "Prompt "+markup+escapes+reversed)
	s.says(rounding, "Said "+markup+escapes)
	s.tool(rounding, "Bash"+markup, map[string]any{"command": "echo " + markup + escapes + reversed}, "result "+markup+escapes, true)
	s.writes(rounding, path, "let a = '"+markup+"' // "+escapes+reversed+"\n"+strings.Repeat("x", 10<<20)+"\nend\n")
	s.stops(rounding, "Answer "+markup+reversed)
	s.commit("Commit " + markup + escapes + reversed)
	return s
}

func TestHostile(t *testing.T) {
	s := newHostile(t)
	w := s.serve(false)
	b := w.tab().enter("/")
	c := w.client()
	for _, page := range s.hostilePages() {
		b.open(page)
		b.until(complete)
		if title := value[string](b, "document.title"); title == "owned" {
			t.Errorf("%s: a script of others ran", page)
		}
		if n := value[int](b, `document.querySelectorAll("main img, main script, main [onerror]").length`); n > 0 {
			t.Errorf("%s: %d elements of others", page, n)
		}
		for _, form := range []string{page, asJSON(page)} {
			res, body := c.get(form)
			if i := bytes.IndexFunc(body, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == 0x202e || r == 0x2066 }); i >= 0 || res.StatusCode != 200 {
				t.Errorf("%s: %s, with %q", form, res.Status, body[max(i-20, 0):min(i+20, len(body))])
			}
		}
	}
	turn := s.points(timeline.Turn)[0]
	b.open("/point/" + turn)
	for _, want := range []string{markup, `\x1b[31mred`, `\u202egnp.exe`} {
		if got := b.text("main"); !strings.Contains(got, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if got := b.text("#f1"); !strings.Contains(got, "10485760 bytes in this line") || len(got) > 10_000 {
		t.Errorf("the long line is shown as %d bytes: %.300s", len(got), got)
	}
	// The file with a line feed in its name has a page of its own.
	b.follow(".path a")
	if got := b.text("h1"); !strings.Contains(got, `new\nline`) {
		t.Errorf("it is named %q", got)
	}
}

func (s *story) hostilePath() string {
	if s.Exists("big.go") {
		return "big.go"
	}
	return "dir/new\nline " + "\x1b[1m" + `<b>'"` + reversed + ".js"
}

func asJSON(page string) string {
	path, query, found := strings.Cut(page, "?")
	if found {
		return path + ".json?" + query
	}
	return path + ".json"
}

func (s *story) hostilePages() []string {
	q := "?path=" + url.QueryEscape(s.hostilePath()) + "&line=1"
	return []string{"/timeline", "/point/" + s.points(timeline.Turn)[0], "/point/" + s.points(timeline.Commit)[0], "/files", "/file" + q, "/file" + q + "&at=" + s.points(timeline.Turn)[0], "/why" + q,
		"/sessions", "/session/" + rounding, "/session/" + rounding + "?find=e&from=2", "/search?q=prompt+result", "/usage", "/usage?by=session", "/usage?by=file", "/usage?since=%1b%5b31m", "/status", "/doctor", "/rewind?to=" + s.points(timeline.Turn)[0],
		"/diff?a=" + s.points(timeline.Commit)[0], "/diff" + strings.Replace(q, "&line=1", "&a="+s.points(timeline.Turn)[0], 1), "/review?range=HEAD"}
}

// pageMax is how many bytes a page may take on its way to the browser.
const pageMax = 60 << 10

// TestWeight measures pages whose content hardly compresses and is far too much for one page.
func TestWeight(t *testing.T) {
	s := newStory(t, map[string]string{"a.txt": "one\n"})
	random := rand.New(rand.NewPCG(1, 2))
	noise := func(n int) string {
		var b strings.Builder
		for b.Len() < n {
			for range 60 {
				b.WriteByte(byte('!' + random.IntN(94)))
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
	for i := range 3 {
		s.prompt(rounding, noise(20<<10))
		for range 20 {
			s.thinks(rounding, noise(9<<10))
		}
		for k := range 60 {
			s.Write(fmt.Sprintf("many/%d-%d.txt", i, k), noise(3<<10))
		}
		s.writes(rounding, "big.go", noise(900<<10))
		s.stops(rounding, noise(30<<10))
	}
	s.commit(noise(9 << 10))
	c := s.serve(false).client()
	for _, page := range append(s.hostilePages(), "/point/"+s.points(timeline.Turn)[0]+"?file=big.go&hunk=0") {
		res, body := c.get(page, "Accept-Encoding", "gzip")
		if len(body) > pageMax || res.Header.Get("Content-Encoding") != "gzip" {
			zip, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			whole, _ := io.ReadAll(zip)
			t.Errorf("%s takes %d bytes, %d uncompressed", page, len(body), len(whole))
		}
	}
}
