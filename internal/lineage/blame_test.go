package lineage

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
			if l.commit == nil {
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
	if first.line != 3 || first.text != "text" || first.commit.path != "new" || first.commit.parentPath != "old name" || first.commit.author != "A B" {
		t.Errorf("first %+v %+v", first, first.commit)
	}
	if second.commit.path != "other" || second.commit.parentPath != "aé" || second.commit.parent != git.MustOID(two) || second.commit.author != "A B" || second.text != "\tmore" {
		t.Errorf("second %+v %+v", second, second.commit)
	}
	if third.commit != second.commit || third.number != 3 {
		t.Errorf("third %+v", third)
	}
	if _, err := parseBlame([]byte(one + " 3 1 1\nauthor A\n")); err == nil {
		t.Error("cut off, and not refused")
	}
}
