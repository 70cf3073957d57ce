package hooks

import (
	"strings"
	"testing"
)

// Hook files are written by anybody: reading one never panics, and only a script
// that render made is taken for an unedited one of ours.
func FuzzContent(f *testing.F) {
	for _, name := range Names() {
		f.Add(Render(name, Options{}))
		f.Add(Render(name, Options{LocalDev: true}))
	}
	f.Add("#!/bin/sh\n. \"$(dirname \"$0\")/h\"")
	f.Add("# Entire CLI hooks")
	f.Add(sumPrefix)
	f.Fuzz(func(t *testing.T, content string) {
		hook := hookFile{exists: true, content: content}
		if intact(content) {
			unsealed := strings.Replace(content, sumPrefix+checksumIn(content), sumPrefix, 1)
			if hook.edited() || seal(unsealed) != content {
				t.Errorf("intact, but not as sealed: %q", content)
			}
		}
		if source, ok := chainable(content); source != "" && !ok {
			t.Errorf("%q is read by %s and cannot be", content, source)
		}
		if callsUs(CommitMsg, content) && !strings.Contains(content, "hooks git commit-msg") {
			t.Errorf("%q calls us", content)
		}
		managerOf(content)
		hook.ours()
	})
}

func checksumIn(content string) string {
	_, rest, _ := strings.Cut(content, sumPrefix)
	sum, _, _ := strings.Cut(rest, "\n")
	return sum
}

// A program that writes other scripts than the one before it has another stamp, so that
// those of the one before are replaced at the next event.
func TestStampFollowsTheScripts(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, name := range Names() {
		all.WriteString(Render(name, Options{}))
	}
	if sum := checksum(all.String()); sum != scripts {
		t.Errorf("the scripts are others than those of %q: set it to %q", scripts, sum)
	}
	if !strings.HasPrefix(Stamp(t.TempDir()), scripts+"\n") {
		t.Error("the stamp does not say which scripts are written")
	}
}

func TestEveryEditIsNoticed(t *testing.T) {
	t.Parallel()
	script := Render(CommitMsg, Options{})
	if !intact(script) {
		t.Fatal("our own script is not intact")
	}
	for at := range script {
		changed := hookFile{content: script[:at] + "X" + script[at+1:]}
		stillOurs := strings.Contains(changed.content, sumPrefix)
		if stillOurs && script[at] != 'X' && !changed.edited() {
			t.Errorf("byte %d changed unnoticed", at)
		}
	}
}

func TestNextNameIsYoungest(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		taken []string
		want  string
	}{
		{nil, "a.pre-entire"},
		{[]string{"a.pre-entire"}, "a.pre-entire.1"},
		{[]string{"a.pre-entire.2"}, "a.pre-entire.3"},
		{[]string{"a.pre-entire", "a.pre-entire.9", "a.pre-entire.10"}, "a.pre-entire.11"},
	} {
		if got := nextName("a"+backupSuffix, row.taken); got != row.want {
			t.Errorf("after %v comes %s, want %s", row.taken, got, row.want)
		}
	}
}
