package cliui

import (
	"testing"
	"time"
)

func TestAgo(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "just now", 59 * time.Second: "just now", time.Minute: "1m ago", 59 * time.Minute: "59m ago",
		time.Hour: "1h ago", 23 * time.Hour: "23h ago", 24 * time.Hour: "1d ago", 100 * time.Hour: "4d ago",
	} {
		if got := Ago(d); got != want {
			t.Errorf("ago(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestShownName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a b.txt": "a b.txt", "ä": "ä", "new\nline": `"new\nline"`, "\x1b[31m": `"\x1b[31m"`, "bad\xff": `"bad\xff"`,
		"a\"b": `"a\"b"`, "\u009b2J": `"\u009b2J"`, "a\u202eb": `"a\u202eb"`, "naïve 日本": "naïve 日本",
	} {
		if got := ShownName(in); got != want {
			t.Errorf("shownName(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	t.Parallel()
	if got, want := Printable("a\x1b]0;title\x07b\tc\r\nd\u009b31m\x7f"), `a\x1b]0;title\x07b`+"\tc\n"+`d\u009b31m\u007f`; got != want {
		t.Errorf("printable = %q, want %q", got, want)
	}
}

func TestSomeNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		files []string
		want  string
	}{
		{[]string{"a"}, "a"},
		{[]string{"a", "b\nc"}, `a, "b\nc"`},
		{[]string{"1", "2", "3", "4", "5"}, "1, 2, 3, 4, 5"},
		{[]string{"1", "2", "3", "4", "5", "6"}, "1, 2, 3, 4, 5, …"},
	} {
		if got := SomeNames(test.files); got != test.want {
			t.Errorf("someNames(%q) = %s", test.files, got)
		}
	}
	if one, two := Count(1, "file"), Count(2, "file"); one != "1 file" || two != "2 files" {
		t.Errorf("count: %s, %s", one, two)
	}
}
