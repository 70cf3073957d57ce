package patch_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"entire/internal/patch"
	"entire/internal/testrepo"
)

// gitPatch returns the patch between two commits as internal/timeline asks git for it.
func gitPatch(r *testrepo.Repo, more ...string) []byte {
	args := append([]string{"diff-tree", "-r", "-p", "--no-textconv", "--no-ext-diff", "--full-index", "--binary"}, more...)
	out, err := r.Command("git", append(args, "HEAD~1", "HEAD")...).Output()
	if err != nil {
		panic(err)
	}
	return out
}

// brief is a file in one line per thing, without what the tests of lines show.
func brief(f patch.File) string {
	s := fmt.Sprintf("%s %q %q %s>%s +%d -%d hunks %d", f.Action, f.Old, f.New, f.OldMode, f.NewMode, f.Insertions, f.Deletions, len(f.Hunks))
	if f.Binary {
		s += " binary"
	}
	return s
}

func TestParseReadsWhatGitPrints(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 10<<20)
	many := strings.Repeat("line\n", 40)
	r := testrepo.New(t, testrepo.Files(map[string]string{
		"changed":                "a\nb\nc\n",
		"removed":                "gone\n",
		"mode":                   "#!/bin/sh\n",
		"both":                   "one\n",
		"name a/name b":          "x\n",
		"dir/b b/dir":            "spaces\n",
		"\"quoted\"\t\\ü":        "q\n",
		"line\nfeed":             "n\n",
		"binary":                 "\x00\x01",
		"noeol":                  "last",
		"crlf":                   "a\r\nb\r\n",
		"long":                   long + "\nnext\n",
		"from there":             many + "original\n",
		"empty-gone":             "",
		"minus":                  "-- a/x\n",
		"two":                    many + "middle\n" + many,
		"utf8-\xc3\xa9/\xf0\x9f": "é\n",
	}))
	r.Write("changed", "a\nB\nc\n")
	r.Remove("removed")
	r.Chmod("mode", 0o755)
	r.Write("both", "two\n")
	r.Chmod("both", 0o755)
	r.Write("name a/name b", "y\n")
	r.Write("dir/b b/dir", "spaces!\n")
	r.Write("\"quoted\"\t\\ü", "Q\n")
	r.Write("line\nfeed", "N\n")
	r.Write("binary", "\x00\x02")
	r.Write("noeol", "last\n")
	r.Write("crlf", "a\r\nB\r\n")
	r.Write("long", long+"y\nnext\n")
	r.Remove("from there")
	r.Write("moved to", many+"original\n")
	r.Remove("empty-gone")
	r.Write("empty-new", "")
	r.Write("new", "fresh")
	r.Write("minus", "++ b/x\n")
	r.Write("two", "first\n"+many+"middle\n"+many+"last\n")
	r.Symlink("target", "link")
	r.Write("utf8-\xc3\xa9/\xf0\x9f", "è\n")
	r.Commit("work")

	files, err := patch.Parse(gitPatch(r, "-M"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range files {
		got[f.Path()] = brief(f)
	}
	want := map[string]string{
		"changed":                `write "changed" "changed" 100644>100644 +1 -1 hunks 1`,
		"removed":                `remove "removed" "" 100644> +0 -1 hunks 1`,
		"mode":                   `mode "mode" "mode" 100644>100755 +0 -0 hunks 0`,
		"both":                   `write "both" "both" 100644>100755 +1 -1 hunks 1`,
		"name a/name b":          `write "name a/name b" "name a/name b" 100644>100644 +1 -1 hunks 1`,
		"dir/b b/dir":            `write "dir/b b/dir" "dir/b b/dir" 100644>100644 +1 -1 hunks 1`,
		"\"quoted\"\t\\ü":        `write "\"quoted\"\t\\ü" "\"quoted\"\t\\ü" 100644>100644 +1 -1 hunks 1`,
		"line\nfeed":             `write "line\nfeed" "line\nfeed" 100644>100644 +1 -1 hunks 1`,
		"binary":                 `write "binary" "binary" 100644>100644 +0 -0 hunks 0 binary`,
		"noeol":                  `write "noeol" "noeol" 100644>100644 +1 -1 hunks 1`,
		"crlf":                   `write "crlf" "crlf" 100644>100644 +1 -1 hunks 1`,
		"long":                   `write "long" "long" 100644>100644 +1 -1 hunks 1`,
		"moved to":               `rename "from there" "moved to" > +0 -0 hunks 0`,
		"empty-new":              `rename "empty-gone" "empty-new" > +0 -0 hunks 0`,
		"new":                    `create "" "new" >100644 +1 -0 hunks 1`,
		"minus":                  `write "minus" "minus" 100644>100644 +1 -1 hunks 1`,
		"two":                    `write "two" "two" 100644>100644 +2 -0 hunks 2`,
		"link":                   `create "" "link" >120000 +1 -0 hunks 1`,
		"utf8-\xc3\xa9/\xf0\x9f": `write "utf8-é/\xf0\x9f" "utf8-é/\xf0\x9f" 100644>100644 +1 -1 hunks 1`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseKeepsEachLine(t *testing.T) {
	t.Parallel()
	files, err := patch.Parse([]byte("a message\n\ndiff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n" +
		"@@ -3,3 +3,2 @@ func main() {\n same\r\n-old\n-last\n\\ No newline at end of file\n+new\n\\ No newline at end of file\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []patch.Hunk{{OldFrom: 3, OldLines: 3, NewFrom: 3, NewLines: 2, Section: "func main() {", Lines: []patch.Line{
		{Op: ' ', Text: "same\r", Old: 3, New: 3},
		{Op: '-', Text: "old", Old: 4},
		{Op: '-', Text: "last", Old: 5, NoNewline: true},
		{Op: '+', Text: "new", New: 4, NoNewline: true},
	}}}
	if diff := cmp.Diff(want, files[0].Hunks); diff != "" {
		t.Error(diff)
	}
}

func TestParseRefusesWhatGitDoesNotWrite(t *testing.T) {
	t.Parallel()
	const head = "diff --git a/f b/f\n--- a/f\n+++ b/f\n"
	for _, row := range []struct{ name, text, want string }{
		{"a hunk without an end", head + "@@ -1,2 +1 @@\n-a\n", "line 9: the hunk ends early: 1 lines of the old and 1 of the new"},
		{"a line too many", head + "@@ -1 +1 @@\n-a\n-b\n", "is no line of the hunk"},
		{"no line", head + "@@ -1 +1 @@\n?a\n", `"?a" is no line of the hunk`},
		{"no numbers", head + "@@ -a +1 @@\n", "is no beginning of a hunk"},
		{"no end of the numbers", head + "@@ -1 +1\n", "is no beginning of a hunk"},
		{"line zero", head + "@@ -0,1 +1 @@\n", "is no beginning of a hunk"},
		{"a number out of range", head + "@@ -99999999999,1 +1 @@\n", "is no beginning of a hunk"},
		{"a path without an end", "diff --git a/f b/f\n--- \"a/f\n", "a quoted path has no end"},
		{"no escape", "diff --git a/f b/f\n--- \"a/\\q\"\n", "no escape in a quoted path"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			files, err := patch.Parse([]byte("diff --git a/before b/before\nold mode 100644\nnew mode 100755\n" + row.text))
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("error %v, want %q", err, row.want)
			}
			if len(files) != 1 || files[0].Old != "before" {
				t.Errorf("the file before it is lost: %v", files)
			}
		})
	}
}

// FuzzParse: whatever is read can be written as a patch that reads the same, is paired without loss and
// can be coloured without a change of its text.
func FuzzParse(f *testing.F) {
	f.Add([]byte("diff --git a/f.go b/f.go\nindex 1..2 100644\n--- a/f.go\n+++ b/f.go\n@@ -1,2 +1,2 @@ x\n a\n-b c\n+b d\n\\ No newline\n"))
	f.Add([]byte("diff --git \"a/\\303\\274\" b/x y\nsimilarity index 90%\nrename from \"\\303\\274\"\nrename to x y\n"))
	f.Add([]byte("diff --git a/x b/x\nnew file mode 100644\nindex 0..1\nGIT binary patch\nliteral 1\nIcmZPo000310RR91\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		files, err := patch.Parse(text)
		if err != nil {
			return
		}
		for _, file := range files {
			checkPairs(t, file)
			checkColours(t, file)
			if file.Binary || file.Old == "" && file.New == "" {
				continue
			}
			again, err := patch.Parse([]byte(file.Text(file.Hunks)))
			if err != nil || len(again) != 1 {
				t.Fatalf("%v, %d files: %s", err, len(again), file.Text(file.Hunks))
			}
			if file.Insertions != again[0].Insertions || file.Deletions != again[0].Deletions || len(file.Hunks) != len(again[0].Hunks) {
				t.Fatalf("%+v\nis read again as\n%+v", file, again[0])
			}
		}
	})
}

func checkPairs(t *testing.T, file patch.File) {
	for _, h := range file.Hunks {
		var left, right, old, new bytes.Buffer
		for _, l := range h.Lines {
			if l.Op != '+' {
				fmt.Fprintln(&old, l.Text)
			}
			if l.Op != '-' {
				fmt.Fprintln(&new, l.Text)
			}
			end := 0
			for _, m := range l.Marks {
				if m.From < end || m.To <= m.From || m.To > len(l.Text) {
					t.Fatalf("mark %v of %q", m, l.Text)
				}
				end = m.To
			}
		}
		for _, p := range h.Pairs() {
			if p.Left != nil {
				fmt.Fprintln(&left, p.Left.Text)
			}
			if p.Right != nil {
				fmt.Fprintln(&right, p.Right.Text)
			}
		}
		if left.String() != old.String() || right.String() != new.String() {
			t.Fatalf("pairs lose a line of\n%+v", h)
		}
	}
}

func checkColours(t *testing.T, file patch.File) {
	for i, lines := range file.Colour() {
		for j, tokens := range lines {
			text := ""
			for _, token := range tokens {
				text += token.Text
			}
			if want := file.Hunks[i].Lines[j].Text; text != want {
				t.Fatalf("coloured %q, want %q", text, want)
			}
		}
	}
}
