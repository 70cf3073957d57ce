package merge3

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestMerge(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		base, ours, theirs string
		want               string
		conflicts          int
		marked             string
	}{
		"one side":                {base: "a\nb\n", ours: "a\nb\n", theirs: "a\nx\n", want: "a\nx\n"},
		"both the same":           {base: "a\n", ours: "b\n", theirs: "b\n", want: "b\n"},
		"apart":                   {base: "a\nb\nc\n", ours: "x\nb\nc\n", theirs: "a\nb\ny\n", want: "x\nb\ny\n"},
		"the same and more":       {base: "a\nb\nc\n", ours: "x\nb\nc\n", theirs: "x\nb\ny\n", want: "x\nb\ny\n"},
		"touching":                {base: "a\nb\n", ours: "x\nb\n", theirs: "a\ny\n", conflicts: 1, marked: "<<<<<<< now\nx\nb\n=======\na\ny\n>>>>>>> then\n"},
		"same line":               {base: "1\na\n2\n", ours: "1\nx\n2\n", theirs: "1\ny\n2\n", conflicts: 1, marked: "1\n<<<<<<< now\nx\n=======\ny\n>>>>>>> then\n2\n"},
		"line ends kept":          {base: "a\r\nb\r\nc\r\n", ours: "x\r\nb\r\nc\r\n", theirs: "a\r\nb\r\nc\r\nd", want: "x\r\nb\r\nc\r\nd"},
		"only the ends differ":    {base: "a\nb\nc\n", ours: "a\r\nb\nc\n", theirs: "a\nb\nc", want: "a\r\nb\nc"},
		"last newline taken":      {base: "a\nb\n", ours: "a\nb", theirs: "x\na\nb\n", want: "x\na\nb"},
		"markers with line ends":  {base: "a\r\n", ours: "x\r\n", theirs: "y", conflicts: 1, marked: "<<<<<<< now\r\nx\r\n=======\r\ny\r\n>>>>>>> then\r\n"},
		"inserted at one place":   {base: "a\nb\n", ours: "a\n1\nb\n", theirs: "a\n2\nb\n", conflicts: 1, marked: "a\n<<<<<<< now\n1\n=======\n2\n>>>>>>> then\nb\n"},
		"removed and changed":     {base: "a\nb\nc\n", ours: "a\nc\n", theirs: "a\nB\nc\n", conflicts: 1, marked: "a\n<<<<<<< now\n=======\nB\n>>>>>>> then\nc\n"},
		"all removed, one change": {base: "a\nb\n", ours: "", theirs: "a\nx\n", conflicts: 1, marked: "<<<<<<< now\n=======\na\nx\n>>>>>>> then\n"},
		"from nothing":            {base: "", ours: "a\n", theirs: "b\n", conflicts: 1, marked: "<<<<<<< now\na\n=======\nb\n>>>>>>> then\n"},
		"binary":                  {base: "a\x00\nb\n", ours: "x\x00\nb\n", theirs: "a\x00\ny\n", conflicts: 1},
		"binary, one side":        {base: "a\x00\nb\n", ours: "a\x00\nb\n", theirs: "a\x00\ny\n", want: "a\x00\ny\n"},
		"no text in any encoding": {base: "\xff\nb\nc\n", ours: "\xfe\nb\nc\n", theirs: "\xff\nb\n\xfd\n", want: "\xfe\nb\n\xfd\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Merge([]byte(row.base), []byte(row.ours), []byte(row.theirs))
			if len(r.Conflicts) != row.conflicts || string(r.Bytes()) != row.want {
				t.Errorf("%q, conflicts %v", r.Bytes(), r.Conflicts)
			}
			if got := string(r.Marked("now", "then")); row.conflicts > 0 && got != row.marked {
				t.Errorf("marked: %q", got)
			}
		})
	}
}

// distinct are texts without a line twice, so that there is one way only to pair
// them, and edits of them.
func distinct(t *rapid.T) (base, ours, theirs []byte) {
	var lines []string
	for i := range rapid.IntRange(0, 12).Draw(t, "lines") {
		lines = append(lines, fmt.Sprintf("line %d of the base\n", i))
	}
	edit := func(who string) []byte {
		var out []string
		for i, l := range lines {
			switch rapid.IntRange(0, 9).Draw(t, who) {
			case 0:
				out = append(out, fmt.Sprintf("%s wrote %d\n", who, i))
			case 1:
			case 2:
				out = append(out, l, fmt.Sprintf("%s added %d\n", who, i))
			case 3:
				out = append(out, fmt.Sprintf("both wrote %d\n", i))
			default:
				out = append(out, l)
			}
		}
		text := strings.Join(out, "")
		if rapid.IntRange(0, 5).Draw(t, who+" end") == 0 {
			text = strings.TrimSuffix(text, "\n")
		}
		return []byte(text)
	}
	return []byte(strings.Join(lines, "")), edit("ours"), edit("theirs")
}

func TestAsGitMerges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		base, ours, theirs := distinct(rt)
		want, clean := gitMerge(t, dir, base, ours, theirs)
		got := Merge(base, ours, theirs)
		if got.Clean() != clean {
			rt.Fatalf("clean %v, git says %v\n%q\n%q\n%q\n%s", got.Clean(), clean, base, ours, theirs, want)
		}
		if clean && !bytes.Equal(got.Bytes(), want) {
			rt.Fatalf("%q, git has %q", got.Bytes(), want)
		}
	})
}

func gitMerge(t *testing.T, dir string, base, ours, theirs []byte) ([]byte, bool) {
	t.Helper()
	for name, text := range map[string][]byte{"base": base, "ours": ours, "theirs": theirs} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("git", "merge-file", "-p", "ours", "base", "theirs")
	cmd.Dir = dir
	out, err := cmd.Output()
	return out, err == nil
}

// anyText has few distinct lines, so that there are many ways to pair them.
func anyText(t *rapid.T, name string) []byte {
	ends := rapid.SampledFrom([]string{"\n", "\r\n", "\n", "\n\n"})
	var b strings.Builder
	for range rapid.IntRange(0, 14).Draw(t, name) {
		b.WriteString(rapid.SampledFrom([]string{"a", "b", "c", "{", "}", "\tx", "x"}).Draw(t, name) + ends.Draw(t, name))
	}
	text := b.String()
	if rapid.Bool().Draw(t, name+" ends") {
		text = strings.TrimRight(text, "\r\n")
	}
	return []byte(text)
}

func TestLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base, x, y := anyText(t, "base"), anyText(t, "x"), anyText(t, "y")
		is := func(law string, r Result, want []byte) {
			if !r.Clean() || !bytes.Equal(r.Bytes(), want) {
				t.Fatalf("%s: %q, want %q", law, r.Bytes(), want)
			}
		}
		is("one side", Merge(base, x, base), x)
		is("other side", Merge(base, base, x), x)
		is("both alike", Merge(base, x, x), x)
		xy, yx := Merge(base, x, y), Merge(base, y, x)
		if xy.Clean() != yx.Clean() || !bytes.Equal(xy.Bytes(), yx.Bytes()) {
			t.Fatalf("sides matter: %q, %q", xy.Bytes(), yx.Bytes())
		}
		checkSpans(t, xy, base, x, y)
	})
}

// checkSpans: what lies outside of the conflicts is in order and within the texts.
func checkSpans(t *rapid.T, r Result, base, ours, theirs []byte) {
	last := Region{}
	for _, c := range r.Conflicts {
		for _, s := range [][3]int{
			{last.Base.End, c.Base.Begin, c.Base.End}, {last.Ours.End, c.Ours.Begin, c.Ours.End}, {last.Theirs.End, c.Theirs.Begin, c.Theirs.End},
		} {
			if s[0] > s[1] || s[1] > s[2] {
				t.Fatalf("conflicts out of order: %v", r.Conflicts)
			}
		}
		last = c
	}
	if last.Base.End > split(base).lines() || last.Ours.End > split(ours).lines() || last.Theirs.End > split(theirs).lines() {
		t.Fatalf("conflict beyond the end: %v", last)
	}
}

// TestUndoingAChangeInside is what a rewind asks for: the change from x to y is
// taken out of z, where z was made of y by changes far from it.
func TestUndoingAChangeInside(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "context")
		block := func(name string, k int) (lines []string) {
			for i := range k {
				lines = append(lines, fmt.Sprintf("%s %d\n", name, i))
			}
			return lines
		}
		keep := strings.Join(block("kept", n), "")
		x1, y1 := strings.Join(block("x", rapid.IntRange(0, 4).Draw(t, "x")), ""), strings.Join(block("y", rapid.IntRange(0, 4).Draw(t, "y")), "")
		end1, end2 := strings.Join(block("end", 2), ""), strings.Join(block("other", rapid.IntRange(0, 3).Draw(t, "z")), "")
		r := Merge([]byte(y1+keep+end1), []byte(y1+keep+end2), []byte(x1+keep+end1))
		if string(r.Bytes()) != x1+keep+end2 {
			t.Fatalf("%q", r.Bytes())
		}
	})
}

func TestTimeIsBounded(t *testing.T) {
	t.Parallel()
	var texts [3]bytes.Buffer
	for i := range 200_000 { // nothing unique to hold on to
		for k := range texts {
			fmt.Fprintf(&texts[k], "%d\n", (i*(k+7)+i/(k+3))%97)
		}
	}
	began := time.Now()
	Merge(texts[0].Bytes(), texts[1].Bytes(), texts[2].Bytes())
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
}

func FuzzMerge(f *testing.F) {
	f.Add([]byte("a\nb\n"), []byte("a\r\nb"), []byte("\x00"))
	f.Fuzz(func(t *testing.T, base, x, y []byte) {
		if r := Merge(base, base, x); !bytes.Equal(r.Bytes(), x) {
			t.Errorf("%q becomes %q", x, r.Bytes())
		}
		r := Merge(base, x, y)
		if marked := r.Marked("a", "b"); !r.Clean() && marked != nil && !bytes.Contains(marked, []byte("<<<<<<< a")) {
			t.Errorf("a conflict without markers: %q", marked)
		}
	})
}
