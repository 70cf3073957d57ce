package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// ourField matches the lines that `blame --porcelain` has beside git's.
var ourField = regexp.MustCompile(`(?m)^(class|agent|model|session|turn|tool-use|checkpoint|linked-without-trailer|written-in|evidence) .*\n`)

// nowTime matches the time of lines that are not committed, which is that of the call.
var nowTime = regexp.MustCompile(`(-mail <not\.committed\.yet>\n(?:author|committer)-time) \d+`)

// TestBlamePorcelainIsGits compares `entire blame --porcelain` without our fields with git's own.
func TestBlamePorcelainIsGits(t *testing.T) {
	t.Parallel()
	e := newEditing(t)
	e.run("", "git", "config", "blame.markIgnoredLines", "true")
	e.write("an odd \u00e9 name.txt", "latin1 \xe9\r\nwindows\r\n\tclass agent\nno newline")
	e.commit("odd text\n\nclass agent")
	e.run("", "git", "mv", "poem.txt", "verse.txt")
	e.write("verse.txt", "the first line\n\tthe rose of the garden is red\nthe violet in the meadow is blue\na person's\n")
	e.commit("rename and indent")
	e.turn("Begin with a title", "verse.txt", "A title\nthe first line\n\tthe rose of the garden is red\nthe violet in the meadow is blue\na person's\n")
	e.write("new.txt", "in no commit\n")
	for _, file := range []string{"verse.txt", "an odd \u00e9 name.txt"} {
		for _, option := range []string{"--porcelain", "--line-porcelain"} {
			for _, more := range [][]string{nil, {"-L", "2,3"}, {"-L", "1,1", "-L", "3,+1"}, {"HEAD"}, {"HEAD", "-L", "2,+2"}} {
				ours := append([]string{"blame", option}, more...)
				if len(more) > 0 && more[0] == "HEAD" {
					ours = append([]string{"blame", option, "--rev"}, more...)
				}
				want := e.printed("git", append(append([]string{"blame", option}, more...), "--", file)...)
				got := e.printed("entire", append(ours, "--", file)...)
				if bytes.Count(got, []byte("\nclass ")) != bytes.Count(got, []byte("\n\t")) && !strings.Contains(string(got), "\tclass agent") {
					t.Errorf("%s %v of %s: not each line has an owner:\n%s", option, more, file, got)
				}
				if got = ourField.ReplaceAll(got, nil); !bytes.Equal(nowTime.ReplaceAll(got, []byte("$1")), nowTime.ReplaceAll(want, []byte("$1"))) {
					t.Errorf("%s %v of %s:\n%s\ngit:\n%s", option, more, file, got, want)
				}
			}
		}
	}
	got := string(e.printed("entire", "blame", "--line-porcelain", "verse.txt"))
	if !regexp.MustCompile(`turn 1\ncheckpoint [0-9a-f]{12}\nwritten-in [0-9a-f]{40}\nevidence recorded\n\t\tthe rose`).MatchString(got) {
		t.Errorf("an indented line keeps its owner, and the commit that wrote it is named:\n%s", got)
	}
	if got := string(e.printed("entire", "blame", "--porcelain", "new.txt")); !strings.Contains(got, "author Not Committed Yet\n") || !strings.HasSuffix(got, "\tin no commit\n") {
		t.Errorf("a file that no commit has:\n%s", got)
	}
}

// printed returns the standard output of a command.
func (e *editing) printed(name string, args ...string) []byte {
	e.t.Helper()
	cmd := e.command(name, args...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		e.t.Fatalf("%s %q: %v\n%s", name, args, err, complaint.Bytes())
	}
	return out
}
