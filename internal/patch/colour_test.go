package patch_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/patch"
)

// shown writes tokens as kind:text.
func shown(lines [][]patch.Token) string {
	var out []string
	for _, tokens := range lines {
		var line []string
		for _, token := range tokens {
			text := token.Text
			if token.Changed {
				text = "[" + text + "]"
			}
			if strings.TrimSpace(token.Text) != "" {
				line = append(line, token.Kind.String()+":"+text)
			}
		}
		out = append(out, strings.Join(line, " "))
	}
	return strings.Join(out, "\n")
}

func TestColour(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ file, text, want string }{
		{"a.go", "func f(n int) string { return \"x\" } // é\r\n", `keyword:func function:f punctuation:( name:n type:int punctuation:) type:string punctuation:{ keyword:return string:"x" punctuation:} comment:// é`},
		{"a.go", "/* one\ntwo */ x := 0x1F\n", "comment:/* one\ncomment:two */ name:x operator::= number:0x1F"},
		{"dir/a.py", "def f(): return None", "keyword:def function:f punctuation:(): keyword:return constant:None"},
		{"README.md", "# Title\n\nsome `code`\n", "heading:# Title\n\nplain:some  string:`code`"},
		{"Makefile", "all: build ## help\n", "function:all operator:: name:build comment:## help"},
		{"a.unknown", "func f\n", "plain:func f"},
		{"a.go", "bad \xff one\n", "name:bad plain: \xff  name:one"},
	} {
		if got := shown(patch.Colour(row.file, row.text)); got != row.want {
			t.Errorf("%s: %q\ngot  %q\nwant %q", row.file, row.text, got, row.want)
		}
	}
}

func TestColourIsBounded(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a long line": "x := 1 // " + strings.Repeat("x", 2000) + "\n",
		"a long text": strings.Repeat("x := 1\n", 40_000),
	} {
		lines := patch.Colour("a.go", text)
		if len(lines) != strings.Count(text, "\n") {
			t.Errorf("%s: %d lines", name, len(lines))
		}
		for _, tokens := range lines {
			if len(tokens) != 1 || tokens[0].Kind != patch.Plain {
				t.Errorf("%s: %v", name, tokens)
				break
			}
		}
	}
}

func TestColourOfAHunk(t *testing.T) {
	t.Parallel()
	h := hunk(t, " x := 1", "-y := count + 1", "+y := total + 1")
	want := "name:x operator::= number:1\nname:y operator::= name:[count] operator:+ number:1\nname:y operator::= name:[total] operator:+ number:1"
	if got := shown(h.Colour("a.go")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestEveryLanguageIsRead runs each lexer once: over the tree's own sources and over its own definition.
func TestEveryLanguageIsRead(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("lexers/*.xml")
	if err != nil || len(paths) < 50 {
		t.Fatalf("%d languages, %v", len(paths), err)
	}
	names := patch.LexerFiles()
	if len(names) < len(paths) {
		t.Errorf("%d of %d definitions can be read", len(names), len(paths))
	}
	sample := "# head\nfunc f(a, b) { return \"x\" + 'y' + 1.5; } // é \n<a href=\"b\">c</a>\n/* c\n*/\n-- d\n@x\n{{ x }}\n{% if x %}\n"
	for _, name := range names {
		lines := patch.Colour(name, sample)
		var text strings.Builder
		kinds := 0
		for _, tokens := range lines {
			for _, token := range tokens {
				text.WriteString(token.Text)
				if token.Kind != patch.Plain {
					kinds++
				}
			}
			text.WriteByte('\n')
		}
		if text.String() != sample {
			t.Errorf("%s: the text became %q", name, text.String())
		}
		if kinds == 0 {
			t.Errorf("%s: nothing has a colour", name)
		}
	}
}

// TestDefinitionsAreChromas: go generate would change nothing.
func TestDefinitionsAreChromas(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/alecthomas/chroma/v2").Output()
	if err != nil || strings.TrimSpace(string(out)) == "" {
		t.Skip("the module's sources are not here")
	}
	paths, err := filepath.Glob("lexers/*.xml")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		name := strings.NewReplacer("c_sharp", "c#", "cpp", "c++").Replace(filepath.Base(path))
		theirs, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "lexers", "embedded", name))
		if err != nil {
			t.Fatal(err)
		}
		ours, err := os.ReadFile(path)
		if err != nil || string(ours) != string(theirs) {
			t.Errorf("%s differs from chroma's: %v", path, err)
		}
	}
}
