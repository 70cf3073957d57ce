package main

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Owners of lines: this many files of this many lines are changed in one commit.
const (
	attributedFiles = 50
	attributedLines = 2000
)

// ownersOfLines is a commit whose every file is attributed, line by line: all of
// the hooks' work, beside the commit itself.
func ownersOfLines(l *lab) {
	r := l.repo(l.sizes[0])
	r.rewriteLines(0)
	r.commitPlain()
	s := map[string]series{}
	for n := range l.reps {
		k := r.talk()
		k.prompt()
		r.rewriteLines(2*n + 1)
		k.stop()
		s["linked"] = append(s["linked"], r.linked())
		k.end()
		r.rewriteLines(2*n + 2)
		s["plain"] = append(s["plain"], r.commitPlain())
	}
	size := fmt.Sprintf("%d files of %s lines", attributedFiles, thousands(attributedLines))
	l.times("commit, lines attributed", size, s["plain"], s["linked"], median, 1.2, 50+150)
}

// rewriteLines writes the files anew, other lines of them changed each time.
func (r *repo) rewriteLines(n int) {
	for i := range attributedFiles {
		var b strings.Builder
		for k := range attributedLines {
			if (k+n)%40 == 0 {
				fmt.Fprintf(&b, "    result = changed(%d, %d)\n", n, k)
			} else {
				fmt.Fprintf(&b, "    value_%d = compute(%d, %d)\n", k, i, k)
			}
		}
		r.write(filepath.Join(r.dir, fmt.Sprintf("lines_%d.py", i)), []byte(b.String()))
	}
}
