//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// titles prints how long `search --titles` takes in clones whose n commits each name a checkpoint.
func (l *lab) titles(sizes string) error {
	fmt.Println("| commits that name a checkpoint | ten hits | a word that nobody wrote |")
	fmt.Println("|---|---|---|")
	for size := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			return err
		}
		if err := l.titlesOf(n); err != nil {
			return fmt.Errorf("%d commits: %w", n, err)
		}
	}
	return nil
}

func (l *lab) titlesOf(n int) error {
	dir, common := filepath.Join(l.root, "titles"), ""
	defer os.RemoveAll(dir)
	if _, err := l.do(l.root, "git", "init", "-q", "titles"); err != nil {
		return err
	}
	err := l.fastImport(dir, func(s stream) {
		m := newMaker()
		common = m.words[0]
		for i := range n {
			c := m.next(i, n)
			s.commit("refs/heads/main", c.author, c.at, m.sentence(9)+"\n\nEntire-Checkpoint: "+c.id+"\n")
		}
	})
	if err != nil {
		return err
	}
	row := thousands(n)
	for _, word := range []string{common, "nobodywrotethis"} {
		took, err := l.do(dir, l.bin, "search", "--titles", word, "--no-pager")
		if err != nil {
			return err
		}
		row += fmt.Sprintf(" | %.2f s", took.Seconds())
	}
	fmt.Println("| " + row + " |")
	return nil
}
