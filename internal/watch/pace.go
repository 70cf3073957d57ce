package watch

import "time"

// The times between a change and its save.
const (
	quiet     = 2 * time.Second  // without another change
	longest   = 30 * time.Second // after the first change, however many follow
	busyPause = 2 * time.Second  // before another try while a turn or git is at work; twice as long each time, up to longest
	failPause = time.Minute      // after an error
)

// The limits of an hour.
const (
	maxSteps = 60
	maxBytes = 512 << 20
)

// A Kept is a step that counts for the limits.
type Kept struct {
	At    time.Time `json:"at"`
	Bytes int64     `json:"bytes"`
}

// A pace decides when a save is due.
type pace struct {
	first, last time.Time // change that no save has seen; zero for none
	after       time.Time // no save before this time
	empty       int       // number of saves in a row that had nothing to save
	busy        int       // number of tries in a row while a turn or git was at work
	kept        []Kept    // steps of the last hour, oldest first
}

// changed notes a change.
func (p *pace) changed(now time.Time) {
	if p.first.IsZero() {
		p.first = now
	}
	p.last = now
}

// due returns when to save, zero if nothing has changed. After saves that found nothing, as when ignored files
// change, it waits longer.
func (p *pace) due() time.Time {
	if p.first.IsZero() {
		return time.Time{}
	}
	at := p.last.Add(min(quiet<<min(p.empty, 4), longest))
	if most := p.first.Add(longest); at.After(most) {
		at = most
	}
	if at.Before(p.after) {
		at = p.after
	}
	if full := p.room(at); at.Before(full) {
		at = full
	}
	return at
}

// room returns the first time from now on at which the limits of an hour leave room for a step.
func (p *pace) room(now time.Time) time.Time {
	steps, bytes := 0, int64(0)
	for i := len(p.kept) - 1; i >= 0; i-- {
		k := p.kept[i]
		if steps, bytes = steps+1, bytes+k.Bytes; steps >= maxSteps || bytes >= maxBytes {
			if until := k.At.Add(time.Hour); until.After(now) {
				return until
			}
			break
		}
	}
	return now
}

// saved notes the end of a save that began at a time, and whether it made a step of so many bytes.
func (p *pace) saved(began time.Time, made bool, bytes int64) {
	p.first, p.last, p.busy = time.Time{}, time.Time{}, 0
	if p.empty++; !made {
		return
	}
	p.empty = 0
	p.kept = append(p.kept, Kept{began, bytes})
	for len(p.kept) > 0 && began.Sub(p.kept[0].At) > time.Hour {
		p.kept = p.kept[1:]
	}
}

// postponeBusy keeps the change for a save when a turn or git may have ended.
func (p *pace) postponeBusy(now time.Time) {
	p.postpone(now, min(busyPause<<min(p.busy, 4), longest))
	p.busy++
}

// postpone keeps the change for a later save.
func (p *pace) postpone(now time.Time, pause time.Duration) { p.after = now.Add(pause) }
