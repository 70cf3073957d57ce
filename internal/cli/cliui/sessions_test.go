package cliui

import (
	"testing"
	"time"
)

func TestShellWord(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"/a/b-1.c": "/a/b-1.c", "/a b": "'/a b'", "/it's": `'/it'\''s'`, "": "''", "/ü": "/ü", "/a;b": "'/a;b'"} {
		if got := ShellWord(path); got != want {
			t.Errorf("shellWord(%q) = %s, want %s", path, got, want)
		}
	}
}

func TestNumberAndAge(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for n, want := range map[int]string{0: "-", 9999: "9999", 10_000: "10k", 999_999: "999k", 1_250_000: "1.2M", 12_000_000: "12M"} {
		if got := ShortNumber(n); got != want {
			t.Errorf("number(%d) = %s, want %s", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		-time.Hour: "now", time.Minute: "1m", 2 * time.Hour: "2h", 99 * 24 * time.Hour: "99d", 100 * 24 * time.Hour: "2026-03",
	} {
		if got := ShortAge(d, at); got != want {
			t.Errorf("age(%v) = %s, want %s", d, got, want)
		}
	}
	if got := ShortAge(time.Hour, time.Time{}); got != "-" {
		t.Errorf("age of no time is %s", got)
	}
}
