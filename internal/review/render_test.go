package review

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"entire/agent"
)

// hostile are names and prompts that would like to be more than text.
func hostile() []string {
	return []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, "</code></summary></details><h1>", "`code` **bold** [link](http://x) ![i](http://x)",
		"a|b|c", "| --- |\n| x |", "@everybody see www.example.com and https://example.com #1", "\x1b[31mred\x07 \u202eevil", "_under_ ~~gone~~ \\back {{.Owners}}",
		"</pre><iframe src=//x>", "\xff\xfe", "javascript:alert(1)", "a\tb\r\nc", "<!-- -->", "&lt;b&gt;",
	}
}

func hostileDocument() *Document {
	var b Builder
	h := hostile()
	b.Commit(Commit{ID: oneID, Author: h[0], Time: "2026-03-01T12:00:00Z", Subject: h[1]})
	for i, name := range h {
		owner := Owner{Class: Agent, Session: "s" + fmt.Sprint(i), Agent: name, Model: name}
		b.File(File{Path: name, OldPath: "old " + name, Lines: 2, OldLines: 2},
			[]Line{{1, name, owner, oneID}, {2, name, Owner{Class: Human}, oneID}}, []Line{{1, name, owner, oneID}, {2, name, Owner{Class: Unknown}, ""}})
	}
	var sessions []Session
	for i := range h {
		sessions = append(sessions, Session{ID: "s" + fmt.Sprint(i), Prompts: append([]string{strings.Join(valids(h), "\n")}, valids(h)...),
			Usage: &agent.TokenUsage{InputTokens: 1234567}, Counted: &Counted{1, 2}})
	}
	d := b.Document(Range{h[0] + h[3], oneID, oneID}, sessions)
	d.Problems = valids(h)
	return d
}

func valids(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, valid(s))
	}
	return out
}

var tags = regexp.MustCompile(`<[^>]*>?`)

func TestMarkdownOfHostileNames(t *testing.T) {
	t.Parallel()
	for _, by := range append(Axes(), "") {
		d := hostileDocument()
		if by != "" {
			d.Group(by)
		}
		text := d.Markdown()
		for _, tag := range tags.FindAllString(text, -1) {
			switch tag {
			case "<code>", "</code>", "<details>", "</details>", "<summary>", "</summary>":
			default:
				t.Fatalf("by %q: a tag of its own: %q", by, tag)
			}
		}
		if open, closed := strings.Count(text, "<details>"), strings.Count(text, "</details>"); open != closed {
			t.Errorf("%d details are opened and %d closed", open, closed)
		}
		ours := regexp.MustCompile("<code>([^<]*)</code>")
		for _, m := range ours.FindAllStringSubmatch(text, -1) {
			rest := regexp.MustCompile(`&#[0-9]+;`).ReplaceAllString(m[1], "")
			if i := strings.IndexAny(rest, "`*_[]()!|@#~\\<>{}&:\n\x1b\u202e"); i >= 0 && rest[i] != '(' && rest[i] != ')' || strings.Contains(rest, "www.") {
				t.Errorf("not harmless: %q", m[1])
			}
		}
		outside := ours.ReplaceAllString(text, "")
		for _, word := range []string{"alert", "example.com", "onerror", "bold"} {
			if strings.Contains(outside, word) {
				t.Errorf("by %q: %s is outside of <code>", by, word)
			}
		}
		for line := range strings.Lines(outside) {
			if strings.HasPrefix(line, "|") && strings.Count(line, "|") != 7 && strings.Count(line, "|") != 4 {
				t.Errorf("a row of other columns: %q", line)
			}
		}
	}
}

// TestMarkdownOfJoinedPictures: an emoji of several stays one, and the joiner between letters is shown as what it is.
func TestMarkdownOfJoinedPictures(t *testing.T) {
	t.Parallel()
	family := "\U0001F469\u200d\U0001F469\u200d\U0001F467"
	for in, want := range map[string]string{family: "<code>" + family + "</code>", "a\u200db": "<code>a\ufffdb</code>"} {
		if got := code(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestMarkdownFitsAComment(t *testing.T) {
	t.Parallel()
	var b Builder
	owner := Owner{Class: Agent, Session: "s"}
	var prompts []string
	for i := range 3000 {
		b.File(File{Path: fmt.Sprintf("%s/file-%05d_with_underscores.go", strings.Repeat("long/", 20), i), Lines: 1}, []Line{{1, "x", owner, ""}}, nil)
		prompts = append(prompts, strings.Repeat("do <it> ", 500))
	}
	var sessions []Session
	for i := range 300 {
		sessions = append(sessions, Session{ID: "s" + fmt.Sprint(i), Prompts: prompts})
	}
	if n := len([]rune(b.Document(Range{"r", "", oneID}, sessions).Markdown())); n > 65_000 {
		t.Errorf("%d characters", n)
	}
}

func TestHTMLOfHostileNames(t *testing.T) {
	t.Parallel()
	for _, by := range append(Axes(), "") {
		d := hostileDocument()
		if by != "" {
			d.Group(by)
		}
		var out bytes.Buffer
		if err := d.HTML(&out); err != nil {
			t.Fatal(err)
		}
		page := out.String()
		for _, tag := range tags.FindAllString(page, -1) {
			name, _, _ := strings.Cut(strings.Trim(tag, "</>"), " ")
			switch name {
			case "!doctype", "html", "head", "meta", "link", "title", "style", "body", "h1", "h2", "p", "div", "i", "ul", "li", "span", "table", "tr", "th", "td", "details", "summary", "code", "pre",
				"dl", "dt", "dd", "input", "label":
			default:
				t.Fatalf("by %q: a tag of its own: %q", by, tag)
			}
			for _, word := range []string{"onerror", "src=", "http:", "javascript"} {
				if strings.Contains(tag, word) && !strings.Contains(tag, "title=") {
					t.Errorf("%s in %q", word, tag)
				}
			}
		}
		for _, bad := range []string{"url(", "@import", "ZgotmplZ", "\x1b", "\u202e", "{{"} {
			if strings.Contains(strings.ReplaceAll(page, "{{.Owners}}", ""), bad) {
				t.Errorf("by %q: %q in the page", by, bad)
			}
		}
		if !strings.Contains(page, "&lt;script&gt;alert(1)&lt;/script&gt;") || !strings.Contains(page, "width:50.00%") {
			t.Errorf("by %q: the names or the bars are missing", by)
		}
	}
}

func TestHTMLIsBounded(t *testing.T) {
	t.Parallel()
	var b Builder
	owner := Owner{Class: Agent, Session: "s"}
	var lines []Line
	for n := range 60_000 {
		lines = append(lines, Line{n + 1, "text of a line", owner, ""})
	}
	b.File(File{Path: "big", Lines: len(lines)}, lines, nil)
	var out bytes.Buffer
	if err := b.Document(Range{"r", "", oneID}, nil).HTML(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "and 59500 more lines") || strings.Count(out.String(), "text of a line") != hunkLines {
		t.Errorf("%d lines are shown", strings.Count(out.String(), "text of a line"))
	}
}

// Whatever lines there are, the document is valid.
func FuzzBuilder(f *testing.F) {
	f.Add([]byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09"))
	f.Add([]byte("\x81\x00\x40\x11\x22\x93\xf4"))
	f.Fuzz(func(t *testing.T, data []byte) {
		classes := []string{Agent, Human, Unknown, Older, ""}
		var b Builder
		b.Commit(Commit{ID: oneID, Time: "2026-03-01T12:00:00Z"})
		for file := 0; len(data) > 0 && file < 5; file++ {
			n := min(int(data[0]%40)+1, len(data))
			part := data[:n]
			data = data[n:]
			lines := [2][]Line{}
			at := [2]int{}
			for _, c := range part {
				side := int(c) & 1
				at[side] += 1 + int(c)>>6
				owner := Owner{Class: classes[int(c>>1)%5], Session: fmt.Sprint(c >> 3 & 1), Turn: int(c >> 4 & 1)}
				lines[side] = append(lines[side], Line{at[side], string(part), owner, []string{oneID, ""}[c>>5&1]})
			}
			b.File(File{Path: fmt.Sprintf("%d%s", file, part), Lines: at[0] + int(part[0])%3, OldLines: at[1]}, lines[0], lines[1])
		}
		d := b.Document(Range{string(data), "", oneID}, nil)
		if err := d.Group(Axes()[len(data)%5]); err != nil {
			t.Fatal(err)
		}
		text, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(text); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		d.Markdown()
		if err := d.HTML(&bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
	})
}
