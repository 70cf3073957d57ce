package main

import (
	"path/filepath"
	"strconv"
	"strings"
)

// largeFrom is the number of files from which they are small and of few different texts: what is measured there is the
// number of files.
const largeFrom = 100000

// monitorScript is a file monitor for core.fsmonitor: it names what the benchmark changed, as a program would that the
// system tells of changes. Git's own monitor does not exist on Linux.
const monitorScript = `#!/bin/sh
printf 'token\0'
cat "$(dirname "$0")/changed"
`

// largeRepositories measures the end of a turn and a prompt in very large repositories with a file monitor and git's
// cache of untracked files, as git recommends for them (feature.manyFiles).
func largeRepositories(l *lab) {
	if len(l.large) > 0 && l.commit == 0 {
		l.plainCommit()
	}
	for _, n := range l.large {
		r := l.repo(n)
		m := r.watch()
		s := map[string]series{}
		put := func(name string, one sample) { s[name] = append(s[name], one) }
		for range l.reps {
			k := r.newSession()
			put("clean", r.status())
			put("prompt", k.prompt())
			k.edit(2, 1)
			m.note(k)
			k.say(30000)
			put("changed", r.status())
			put("stop", k.stop())
			put("commit", r.commitPlain())
			k.end()
		}
		size := thousands(n) + " files, file monitor"
		l.times("prompt, nothing to save", size, s["clean"], s["prompt"], median, 1.15, 1.5*l.commit)
		l.times("Stop, 3 files changed", size, s["changed"], s["stop"], median, 1.15, 1.5*l.commit)
	}
}

// plainCommit measures the commit by which rows are divided.
func (l *lab) plainCommit() {
	r, s := l.plain(1000), series{}
	for range 3 * l.reps {
		r.touch(6)
		s = append(s, r.commitPlain())
	}
	l.commit = median(s)
}

// A monitor is the list of the paths that its script names.
type monitor struct {
	*repo
	path  string
	paths []string
}

// watch switches the file monitor on.
func (r *repo) watch() *monitor {
	dir := filepath.Join(r.dir, ".git", "monitor")
	m := &monitor{repo: r, path: filepath.Join(dir, "changed")}
	r.write(m.path, nil)
	r.writeProgram(filepath.Join(dir, "monitor"), monitorScript)
	r.git("config", "feature.manyFiles", "true")
	r.git("config", "core.fsmonitor", filepath.Join(dir, "monitor"))
	r.git("update-index", "--index-version", "4", "--untracked-cache", "--fsmonitor")
	r.settle()
	return m
}

// note adds what a session changed to what the monitor names.
func (m *monitor) note(k *agentSession) {
	for _, path := range k.changed {
		if rel, err := filepath.Rel(m.dir, path); m.check(err) {
			m.paths = append(m.paths, filepath.ToSlash(rel))
		}
	}
	m.write(m.path, []byte(strings.Join(append(m.paths, ""), "\x00")))
}

// worktrees measures a turn and a commit in a repository with many linked worktrees.
func worktrees(l *lab) {
	alone, many := l.repo(1000), l.repo(1000)
	for i := range l.worktrees {
		many.git("worktree", "add", "-q", "--no-checkout", "--detach", many.dir+"-worktree-"+strconv.Itoa(i))
	}
	var stop, commit [2]series
	for range l.reps {
		for i, r := range []*repo{alone, many} {
			k := r.newSession()
			k.prompt()
			k.edit(2, 1)
			k.say(10000)
			stop[i] = append(stop[i], k.stop())
			commit[i] = append(commit[i], r.commitLinked())
			k.end()
		}
	}
	size := thousands(l.worktrees) + " worktrees"
	l.times("Stop", size, stop[0], stop[1], median, 1, 3)
	l.times("commit, linked", size, commit[0], commit[1], median, 1, 3)
}
