package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// A range: this many commits, each of a turn that changes three files and makes one. Every tenth
// commit is a person's.
const rangeCommits = 300

// ranges measures who wrote the lines of a range of commits, beside git's count of its lines.
func ranges(l *lab) {
	r := l.repo(1000)
	base := r.git("rev-parse", "HEAD")
	k := r.newSession()
	for c := range rangeCommits {
		if c%10 == 9 {
			r.touch(4)
			r.commitPlain()
			continue
		}
		k.prompt()
		k.edit(3, 1)
		k.stop()
		r.commitLinked()
	}
	k.end()
	r.git("gc", "-q")
	s := map[string]series{}
	name := base + "..HEAD"
	for range l.reps {
		s["git"] = append(s["git"], r.measure(r.dir, nil, "git", "log", "--numstat", name))
		s["first"] = append(s["first"], r.attribution(name))
		s["again"] = append(s["again"], r.attribution(name))
		if r.ok() {
			l.check(os.RemoveAll(filepath.Join(r.dir, ".git", "entire", "cache")))
		}
	}
	size := fmt.Sprintf("%d commits", rangeCommits)
	l.times("attribution A..B", size, s["git"], s["again"], median, 4, 0)
	l.times("attribution A..B, for the first time", size, s["git"], s["first"], median, 4, 0)
}

func (r *repo) attribution(name string) sample {
	return r.measure(r.dir, nil, "entire", "attribution", "--no-pager", "--json", name)
}
