package gitblame

import (
	"testing"

	"entire/internal/git"
)

func FuzzParseBlame(f *testing.F) {
	f.Add([]byte("1111111111111111111111111111111111111111 1 1 2\nauthor A\nauthor-mail <a@b>\nauthor-time 5\nsummary s\nprevious 2222222222222222222222222222222222222222 \"a\\303\\251\"\nfilename x\n\tone\n1111111111111111111111111111111111111111 2 2\n\ttwo\n"))
	f.Add([]byte("0000000000000000000000000000000000000000 1 1 1\nfilename x\n\t\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, err := parseBlame(data)
		if err != nil {
			return
		}
		for _, l := range lines {
			if l.Commit == nil {
				t.Fatal("a line without a commit")
			}
		}
	})
}

func TestParseBlame(t *testing.T) {
	t.Parallel()
	const one, two = "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"
	lines, err := parseBlame([]byte(one + " 3 1 1\nauthor A B\nauthor-mail <a@b>\nauthor-time 5\nsummary s\nprevious " + two + " old name\nfilename new\n\ttext\n" +
		one + " 7 2 1\nprevious " + two + " \"a\\303\\251\"\nfilename other\n\t\tmore\n" + one + " 8 3\n\t\n"))
	if err != nil || len(lines) != 3 {
		t.Fatalf("%v, %d lines", err, len(lines))
	}
	first, second, third := lines[0], lines[1], lines[2]
	if first.Origin != 3 || first.Text != "text" || first.Commit.Path != "new" || first.Commit.ParentPath != "old name" || first.Commit.Author != "A B" {
		t.Errorf("first %+v %+v", first, first.Commit)
	}
	if second.Commit.Path != "other" || second.Commit.ParentPath != "aé" || second.Commit.Parent != git.MustOID(two) || second.Commit.Author != "A B" || second.Text != "\tmore" {
		t.Errorf("second %+v %+v", second, second.Commit)
	}
	if third.Commit != second.Commit || third.Number != 3 {
		t.Errorf("third %+v", third)
	}
	if _, err := parseBlame([]byte(one + " 3 1 1\nauthor A\n")); err == nil {
		t.Error("cut off, and not refused")
	}
}
