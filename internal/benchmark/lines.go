package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Attribution: this many files of this many lines are changed in one commit.
const (
	attributedFiles = 50
	attributedLines = 2000
)

// ownersOfLines measures a commit whose files are all attributed line by line: the commit and all work
// of the hooks.
func ownersOfLines(l *lab) {
	r := l.repo(l.sizes[0])
	r.rewriteLines(0)
	r.commitPlain()
	s := map[string]series{}
	for n := range l.reps {
		k := r.newSession()
		k.prompt()
		r.rewriteLines(2*n + 1)
		k.stop()
		s["linked"] = append(s["linked"], r.commitLinked())
		k.end()
		r.rewriteLines(2*n + 2)
		s["plain"] = append(s["plain"], r.commitPlain())
	}
	size := fmt.Sprintf("%d files of %s lines", attributedFiles, thousands(attributedLines))
	l.times("commit, lines attributed", size, s["plain"], s["linked"], median, 1.2, 50+150)
}

// equalLines is how often one line stands in a file that an agent wrote, and how often a person adds it.
const equalLines = 3000

// ownersOfEqualLines measures a commit of a file of data in which a person repeats the agent's lines, and blame of it.
func ownersOfEqualLines(l *lab) {
	r := l.repo(l.sizes[0])
	rows := strings.Repeat("    assert.Equal(t, want, got, \"the same in each row\")\n", equalLines)
	s := map[string]series{}
	for n := range l.reps {
		path := filepath.Join(r.dir, fmt.Sprintf("rows_%d.go", n))
		k := r.newSession()
		k.prompt()
		k.create(path, rows)
		k.stop()
		r.write(path, []byte(rows+rows))
		s["linked"] = append(s["linked"], r.commitLinked())
		k.end()
		s["git blame"] = append(s["git blame"], r.measure(r.dir, nil, "git", "blame", path))
		s["blame"] = append(s["blame"], r.blame(path))
		r.write(path, []byte(rows+rows+rows))
		s["plain"] = append(s["plain"], r.commitPlain())
	}
	size := fmt.Sprintf("%s equal lines of both", thousands(equalLines))
	l.times("commit, equal lines", size, s["plain"], s["linked"], median, 1.2, 100)
	l.times("blame, equal lines", size, s["git blame"], s["blame"], median, 2, 100)
}

// Blame: a file of this many lines, written by that many linked commits.
const (
	blamedLines   = 5000
	blamedCommits = 200
	blamedEvery   = 97 // each commit writes one line in this many
)

// blames measures entire blame and git blame on a file written by linked commits: with the list of
// recorded lines, and without.
func blames(l *lab) {
	r := l.repo(l.sizes[0])
	path := r.writtenByCommits(blamedLines, blamedCommits)
	s := map[string]series{}
	for range l.reps {
		s["git"] = append(s["git"], r.measure(r.dir, nil, "git", "blame", path))
		s["first"] = append(s["first"], r.blame(path))
		s["again"] = append(s["again"], r.blame(path))
		if r.ok() {
			l.check(os.RemoveAll(filepath.Join(r.dir, ".git", "entire", "cache")))
		}
	}
	size := fmt.Sprintf("%s lines, %d commits", thousands(blamedLines), blamedCommits)
	l.times("blame", size, s["git"], s["again"], median, 2, 100)
	l.times("blame, for the first time", size, s["git"], s["first"], median, 2, 100)
}

// writtenByCommits makes a file whose lines linked commits wrote, and returns its path.
func (r *repo) writtenByCommits(count, commits int) string {
	path := filepath.Join(r.dir, "blamed.py")
	lines := make([]string, count)
	for i := range lines {
		lines[i] = fmt.Sprintf("    value_%d = compute(%d)\n", i, i)
	}
	save := func() { r.write(path, []byte(strings.Join(lines, ""))) }
	save()
	r.commitPlain()
	k := r.newSession()
	for c := range commits {
		k.prompt()
		for i := c % blamedEvery; i < count; i += blamedEvery {
			lines[i] = fmt.Sprintf("    value_%d = compute_anew(%d, %d)\n", i, i, c)
		}
		save()
		k.stop()
		r.commitLinked()
	}
	k.end()
	r.git("gc", "-q")
	return path
}

func (r *repo) blame(path string) sample {
	return r.measure(r.dir, nil, "entire", "blame", "--no-pager", path)
}

// rewriteLines rewrites the files, with different lines changed each time.
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
