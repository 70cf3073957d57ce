package static

import (
	"net/url"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	t.Parallel()
	s := &site{names: map[string]string{}, max: 100}
	seen := map[string]string{}
	for _, row := range []struct {
		page, query, want string // want "" for no page, "?" for any name
	}{
		{"/timeline", "", "index.html"},
		{"/timeline", "from=100", "timeline-100.html"},
		{"/timeline", "at=abc", ""},
		{"/point/abc", "", "point-abc.html"},
		{"/point/abc", "file=x.go", "?"},
		{"/session/s%20x", "", "?"},
		{"/session/abc", "from=81", "session-abc-81.html"},
		{"/session/abc/image", "message=u&n=1", "?"},
		{"/session/abc/title", "", ""},
		{"/file", "path=a/b.go", "?"},
		{"/file", "path=c/b.go", "?"},
		{"/file", "path=../../etc/x", "?"},
		{"/file", "", ""},
		{"/search", "q=x", ""},
		{"/rewind", "to=abc", ""},
		{"/prefer", "theme=dark", ""},
		{"/review", "range=main..HEAD", "?"},
	} {
		q, err := url.ParseQuery(row.query)
		if err != nil {
			t.Fatal(err)
		}
		got := s.name(row.page, q)
		if row.want != "?" && got != row.want || row.want == "?" && got == "" {
			t.Errorf("%s?%s is %q, want %q", row.page, row.query, got, row.want)
		}
		if strings.ContainsAny(got, `/\`) || strings.HasPrefix(got, ".") {
			t.Errorf("%s?%s is written to %q", row.page, row.query, got)
		}
		if other := seen[got]; got != "" && other != "" {
			t.Errorf("%s and %s have the same name %q", other, row.page+row.query, got)
		}
		seen[got] = row.page + row.query
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	secret := "ghp" + "_" + "x7Kq2vB9mZ4tR8wL1nY6cD3fG5hJ0sPaEu9T"
	in := `<p title="a">token = &#34;` + secret + `&#34; &lt;b&gt; /home/me/repo/a.go /home/me/x</p><a href="" data-row>gone</a> <a href="b.html">there</a>`
	want := `<p title="a">token = &#34;REDACTED&#34; &lt;b&gt; a.go ~/x</p><span>gone</span> <a href="b.html">there</a>`
	if got := string(clean([]byte(in), shortener("/home/me/repo", "/home/me"))); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// FuzzClean: a page stays a page, whatever its text is.
func FuzzClean(f *testing.F) {
	f.Add(`<p>a &lt;b&gt;</p><a class="x" href="">y</a>`)
	f.Add(`<a href=""`)
	f.Add(`x</a><style>a>b{}</style>`)
	f.Fuzz(func(t *testing.T, page string) {
		once := string(clean([]byte(page), shortener("/top", "/home/me")))
		if again := string(clean([]byte(once), shortener("/top", "/home/me"))); strings.Count(again, "<") > strings.Count(once, "<") {
			t.Errorf("%q becomes %q, then %q", page, once, again)
		}
	})
}
