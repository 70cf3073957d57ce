package legible

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/iotest"
)

func TestText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\ttext\n":            "plain\ttext\n",
		"naïve 日本 ✓ −":             "naïve 日本 ✓ −",
		"a\x1b]0;title\x07b":       `a\x1b]0;title\x07b`,
		"\x1b[31mred":              `\x1b[31mred`,
		"\u009b31m\x7f":            `\u009b31m\u007f`,
		"a\u202eb\u2066c\u2069":    `a\u202eb\u2066c\u2069`,
		"\u200e\u200f\u061c":       `\u200e\u200f\u061c`,
		"a\u200bb\u2060\ufeff\xad": `a\u200bb\u2060\ufeff\xad`,
		"soft\u00adhyphen":         `soft\u00adhyphen`,
		"tag\U000e0041":            `tag\udb40\udc41`,
		"bad\xff\xc3":              `bad\xff\xc3`,
		"one\r\ntwo\rthree\r":      "one\ntwo\\rthree\\r",
		"\u2028\u2029":             `\u2028\u2029`,
		"filler\u3164":             `filler\u3164`,
		"👩\u200d💻 ❤\ufe0f\u200d🔥":  "👩\u200d💻 ❤\ufe0f\u200d🔥",
		"a\u200db 👩\u200d 👩\u200d": `a\u200db 👩\u200d 👩\u200d`,
		"\u0600١٢":                 "\u0600١٢", // a sign that is seen
	} {
		got := Text(in)
		if got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
		if again := Text(got); again != got {
			t.Errorf("Text of %q again is %q", got, again)
		}
	}
	if got, want := Line("\r\none\n\ntwo\x1b\n"), `one; two\x1b`; got != want {
		t.Errorf("Line = %q, want %q", got, want)
	}
}

// Everything that is escaped keeps JSON valid, with the same meaning.
func TestTextOfJSON(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for r := rune(0); r <= 0xe01ff; r++ {
		if r < 0xd800 || r > 0xdfff {
			all.WriteRune(r)
		}
	}
	data, err := json.Marshal(all.String())
	if err != nil {
		t.Fatal(err)
	}
	shown := Text(string(data))
	for _, r := range shown {
		if hidden(r) {
			t.Fatalf("%U is left", r)
		}
	}
	var back string
	if err := json.Unmarshal([]byte(shown), &back); err != nil || back != all.String() {
		t.Errorf("the JSON says something else: %v", err)
	}
}

// However text is cut into pieces, the same comes out, and only what has the mark
// is a sequence.
func TestWriter(t *testing.T) {
	t.Parallel()
	const mark = "4711"
	ours := Mark("\x1b[1;33mgold\x1b[m", mark)
	text := ours + "\x1b[31m日本\u202e\xff\x1b[4712;1m\x1b[4711\x1b[4711;1H one\r\ntwo\r3 👩\u200d💻 " + ours + "\x1b[47"
	want := "\x1b[1;33mgold\x1b[m" + `\x1b[31m日本\u202e\xff\x1b[4712;1m\x1b[4711\x1b[4711;1H one` + "\n" + `two\r3 👩` + "\u200d💻 " + "\x1b[1;33mgold\x1b[m" + `\x1b[47`
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		w := NewWriter(&out, mark)
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if _, err := w.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := w.Flush(); err != nil || out.String() != want {
			t.Fatalf("in pieces of %d: %q\nwant %q (%v)", size, out.String(), want, err)
		}
	}
	if got := Marked(text, mark); got != want {
		t.Errorf("Marked = %q", got)
	}
	if got := Marked(text, ""); strings.Contains(got, "\x1b") {
		t.Errorf("without a mark a sequence passes: %q", got)
	}
	if _, err := NewWriter(iotest.TruncateWriter(failing{}, 3), "").Write([]byte("text")); err == nil {
		t.Error("the error of the writer below is lost")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, bytes.ErrTooLarge }

func TestRedrawing(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := Redrawing(&out)
	for _, piece := range []string{"10%\r", "20%\x1b[K", "\r\x1b", "[K\x1b[31m\n"} {
		if _, err := w.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := out.String(), "10%\r20%\x1b[K\r\x1b[K"+`\x1b[31m`+"\n"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
}

func FuzzWriter(f *testing.F) {
	f.Add("a\u202e\x1b[1m\xff👩\u200d💻", uint8(3))
	f.Add("\xa9\u200d\xf0", uint8(0))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		var out bytes.Buffer
		w := NewWriter(&out, "99")
		for rest := text; rest != ""; {
			n := min(int(size)+1, len(rest))
			w.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		w.Flush()
		if got := Marked(text, "99"); got != out.String() {
			t.Errorf("pieces: %q, at once: %q", out.String(), got)
		}
		if got := Text(text); Text(got) != got || strings.ContainsRune(got, '\x1b') {
			t.Errorf("Text(%q) = %q", text, got)
		}
	})
}
