package main

import "fmt"

// longTranscripts measures a Stop with a long conversation: the first time, and again after it grew a
// little.
func longTranscripts(l *lab) {
	sizes := []int{1, max(2, l.transcript/10), l.transcript}
	var sessions []*agentSession
	for _, mb := range sizes {
		sessions = append(sessions, l.firstStop(mb))
	}
	few, many := sessions[0], sessions[len(sessions)-1]
	var stop [2]series
	for range l.reps {
		for i, k := range []*agentSession{few, many} {
			k.prompt()
			k.edit(2, 1)
			k.say(20000 - 8000)
			stop[i] = append(stop[i], k.stop())
		}
	}
	size := fmt.Sprintf("after %d MB, compared with 1 MB", l.transcript)
	l.times("Stop, 20 kB more", size, stop[0], stop[1], median, 1.25, 0)
	l.memory("Stop, 20 kB more, peak memory", size, stop[1], 50)
}

// firstStop measures a Stop on a new transcript.
func (l *lab) firstStop(mb int) *agentSession {
	r := l.repo(1000)
	k := r.newSession()
	k.prompt()
	k.edit(2, 1)
	for range mb {
		k.say(1e6)
	}
	s := series{k.stop()}
	size := fmt.Sprintf("%d MB transcript", mb)
	if l.ok() {
		each := float64(k.length()) / 1e6
		l.add(row{Operation: "first Stop, each MB", Size: size, Unit: "ms", Entire: median(s) / each, Allowed: 80, Samples: map[string]series{"entire": s}})
	}
	l.memory("first Stop, peak memory", size, s, 100)
	return k
}

// bytesStored measures what a long session adds to .git, before git packs it.
func bytesStored(l *lab) {
	r := l.repo(1000)
	r.git("gc", "-q")
	size, disk := r.stored()
	k := r.newSession()
	for range l.turns {
		k.prompt()
		k.edit(1, 0)
		k.say(24000)
		k.stop()
	}
	sizeNow, diskNow := r.stored()
	if !l.ok() {
		return
	}
	written := float64(k.length())
	label := fmt.Sprintf("%d turns, %.1f MB transcript", l.turns, written/1e6)
	l.add(row{Operation: "bytes in .git", Size: label, Unit: "x written", Entire: float64(sizeNow-size) / written, Allowed: 1.5})
	l.add(row{Operation: "bytes in .git, allocated", Size: label, Unit: "x written", Entire: float64(diskNow-disk) / written, Allowed: 3})
}
