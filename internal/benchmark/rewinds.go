package main

import "encoding/json"

// rewinds measures rewinding a turn that changed ten files, and undoing that, in a repository of every
// size.
func rewinds(l *lab) {
	for _, n := range l.sizes {
		r := l.repo(n)
		s := map[string]series{}
		put := func(name string, one sample) { s[name] = append(s[name], one) }
		k := r.newSession()
		k.turnOf(10)
		point := r.newestPoint()
		k.turnOf(10)
		for range l.reps {
			put("status", r.status())
			put("rewind", r.measure(r.dir, nil, "entire", "rewind", "--to", point))
			put("status", r.status())
			put("undo", r.measure(r.dir, nil, "entire", "undo"))
		}
		size := thousands(n) + " files"
		l.times("rewind of 10 files", size, s["status"], s["rewind"], median, 2, 60)
		l.times("undo of it", size, s["status"], s["undo"], median, 2, 60)
	}
}

// turnOf runs a turn that changes n files.
func (k *agentSession) turnOf(n int) {
	k.prompt()
	k.edit(n, 0)
	k.say(30000)
	k.stop()
}

// newestPoint returns the ID of the last turn's point.
func (r *repo) newestPoint() string {
	var points []struct{ ID string }
	r.check(json.Unmarshal([]byte(r.run(r.dir, "entire", "rewind", "--list")), &points))
	if !r.ok() || len(points) == 0 {
		return ""
	}
	return points[0].ID
}
