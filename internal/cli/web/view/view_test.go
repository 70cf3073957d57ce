package view

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"entire/agent"
	"entire/internal/cli/sessionlib"
	"entire/internal/patch"
)

func TestProse(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain <b>":                    "<p>plain &lt;b&gt;</p>",
		"# Head\ntext":                 `<p class="heading">Head</p><p>text</p>`,
		"a `b<` **c** *d* 2*3":         "<p>a <code>b&lt;</code> <strong>c</strong> *d* 2*3</p>",
		"- one\n  more\n- two\n\n3. x": "<ul><li>one\nmore</li><li>two</li></ul><ol><li>x</li></ol>",
		"> said\n> so":                 "<blockquote>said\nso</blockquote>",
		"| a | b |\n|---|---|":         "<pre>| a | b |\n|---|---|</pre>",
		"```\n<x>\n```\nend":           "<pre>&lt;x&gt;</pre><p>end</p>",
		"```go\nfunc f() {}\n":         `<pre><span class="k">func</span> <span class="f">f</span>() {}</pre>`,
		"[a](javascript:x)":            "<p>[a](javascript:x)</p>",
		"` `` **":                      "<p><code> </code>` **</p>",
		"":                             "",
	} {
		if got := string(Prose(in)); got != want {
			t.Errorf("%q\ngot  %s\nwant %s", in, got, want)
		}
	}
}

// ours are the tags that pages of text have.
var ours = regexp.MustCompile(`</?(p|ul|ol|li|pre|code|strong|blockquote|b|i|span)( class="[a-z]+")?>`)

// FuzzProse: whatever was typed, nothing but our tags is made of it, and each is closed.
func FuzzProse(f *testing.F) {
	for _, seed := range []string{"# a\n\n- b `c`\n```go\nx := \"<y>\"\n```\n> d **e** <f>", "1) x\n  y\n| z |", "```", "**``**`", "\r\n- \t\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := string(Prose(text))
		open := 0
		for _, tag := range ours.FindAllString(got, -1) {
			if strings.HasPrefix(tag, "</") {
				open--
			} else {
				open++
			}
		}
		if rest := ours.ReplaceAllString(got, ""); strings.ContainsAny(rest, "<>") || open != 0 {
			t.Errorf("%q becomes %q, with %d tags open", text, got, open)
		}
	})
}

func TestCodeHTML(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 5000)
	for _, row := range []struct {
		tokens []patch.Token
		want   string
	}{
		{[]patch.Token{{Text: "a<"}, {Text: "b", Kind: patch.Name}, {Text: "func", Kind: patch.Keyword}}, `a&lt;b<span class="k">func</span>`},
		{[]patch.Token{{Text: "x", Changed: true}, {Text: "\"s\"", Kind: patch.String, Changed: true}}, `<b>x</b><b class="s">&#34;s&#34;</b>`},
		{[]patch.Token{{Text: "line\r"}}, "line"},
		{[]patch.Token{{Text: "line"}, {Text: "\r", Changed: true}}, "line<b>\r</b>"},
		{[]patch.Token{{Text: long}}, strings.Repeat("ä", lineMax/2) + `<i class="cut"> … 10000 bytes in this line</i>`},
	} {
		if got := string(codeHTML(row.tokens)); got != row.want {
			t.Errorf("got  %.200s\nwant %.200s", got, row.want)
		}
	}
}

func TestRoom(t *testing.T) {
	t.Parallel()
	same, n := NewRoom(1000), 0
	for same.Take("the same line again and again\n") {
		n++
	}
	if n < 60 {
		t.Errorf("there was room for %d lines that are the same", n)
	}
	r := NewRoom(1000)
	text := strings.Repeat("word ", 100_000)
	if got := r.Cut(text, 10_000); len(got) == 0 || len(got) > 10_000 || !strings.HasPrefix(text, got) {
		t.Errorf("cut to %d bytes", len(got))
	}
	if got := r.Cut("ääää", 5); got != "ää" {
		t.Errorf("cut to %q", got)
	}
}

func TestInputText(t *testing.T) {
	t.Parallel()
	got := InputText([]byte(`{"file_path":"a.go","new_string":"one\ntwo\n","n":3,"o":{"x":[1]}}`))
	if want := "file_path: a.go\nnew_string:\n  one\n  two\nn: 3\no: {\"x\":[1]}"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := html.EscapeString(InputText([]byte("not json"))); got != "not json" {
		t.Errorf("got %q", got)
	}
}

func TestMarks(t *testing.T) {
	for _, row := range []struct {
		text, find string
		want       []Part
	}{
		{"Cents and cents.", "cents", []Part{{"", false}, {"Cents", true}, {" and ", false}, {"cents", true}, {".", false}}},
		{"(a) or a+", "a+", []Part{{"(a) or ", false}, {"a+", true}, {"", false}}},
		{"İstanbul", "STAN", []Part{{"İ", false}, {"stan", true}, {"bul", false}}},
		{"all of it", "", []Part{{"all of it", false}}},
		{"nothing", "\xff", []Part{{"nothing", false}}},
	} {
		if got := marks(row.text, row.find); !slices.Equal(got, row.want) {
			t.Errorf("%q in %q: %v", row.find, row.text, got)
		}
	}
}

func TestRewindsAreOneLine(t *testing.T) {
	t.Parallel()
	var said []Said
	say := func(m agent.Message) {
		said = append(said, Said{Number: len(said) + 1, SaidEntry: sessionlib.SaidEntry{Message: m}})
	}
	back := agent.Message{Role: agent.RoleSystem, Rewind: &agent.Rewind{To: "u1"}}
	say(agent.Message{Role: agent.RoleUser, Content: "first"})
	for range 3 {
		say(back)
	}
	say(agent.Message{Role: agent.RoleUser, Content: "second"})
	say(back)
	conversations, n := Entries(said, "", NewRoom(1<<20))
	if n != len(said) || len(conversations) != 4 || conversations[1].Kind != "rewind" || conversations[1].Times != 2 || conversations[1].Number != 4 || conversations[3].Times != 0 {
		t.Errorf("%d of %d messages are %+v", n, len(said), conversations)
	}
}
