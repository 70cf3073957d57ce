package retention

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return noon.Add(-d) }

const day = 24 * time.Hour

func TestChoose(t *testing.T) {
	t.Parallel()
	one := func(id string, begun, used time.Duration, bytes int64) Session {
		return Session{ID: id, Begun: ago(begun), Used: ago(used), Files: []File{{Bytes: bytes}}}
	}
	old, idle, busy := one("old", 90*day, 60*day, 100), one("idle", 20*day, 15*day, 200), one("busy", 90*day, time.Hour, 400)
	held := old
	held.ID, held.Hold = "held", "it has work that is not committed"
	future := one("future", -day, -400*day, 1000)
	for _, row := range []struct {
		name string
		p    Policy
		all  []Session
		want string
	}{
		{"no limit takes nothing", Policy{}, []Session{old, idle}, "[] []"},
		{"age", Policy{OlderThan: 30 * day}, []Session{old, idle}, "[old] []"},
		{"age leaves what was just used", Policy{OlderThan: 30 * day}, []Session{busy}, "[] []"},
		{"inactivity", Policy{Inactive: 14 * day}, []Session{busy, idle, old}, "[old idle] []"},
		{"inactivity shorter than a day is meant", Policy{Inactive: 30 * time.Minute}, []Session{busy}, "[busy] []"},
		{"size takes the longest unused", Policy{MaxBytes: 600}, []Session{busy, idle, old}, "[old] []"},
		{"size never takes what is fresh", Policy{MaxBytes: 1}, []Session{busy, idle}, "[idle] []"},
		{"number", Policy{Keep: 1}, []Session{idle, busy, old}, "[old idle] []"},
		{"what is held stays", Policy{OlderThan: 30 * day}, []Session{held, old}, "[old] [held]"},
		{"what is held counts", Policy{MaxBytes: 250}, []Session{held, idle}, "[idle] [held]"},
		{"the future is now", Policy{OlderThan: day, Inactive: day, MaxBytes: 1, Keep: 1}, []Session{future}, "[] []"},
		{"of unknown age", Policy{OlderThan: day, Inactive: time.Hour, MaxBytes: 1}, []Session{{ID: "x", Files: []File{{Bytes: 9}}}}, "[] []"},
	} {
		p := Choose(row.p, noon, row.all)
		ids := [2][]string{}
		for _, s := range p.Removals {
			ids[0] = append(ids[0], s.ID)
		}
		for _, s := range p.Exempt {
			ids[1] = append(ids[1], s.ID)
		}
		if got := fmt.Sprint(ids[0], " ", ids[1]); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}

// A file that two forks share is freed with the last of them.
func TestSharedFiles(t *testing.T) {
	t.Parallel()
	shared := File{Device: 1, Inode: 7, Bytes: 1000}
	parent := Session{ID: "a", Used: ago(9 * day), Files: []File{shared, {Bytes: 1}}}
	fork := Session{ID: "b", Used: ago(8 * day), Files: []File{shared, {Bytes: 2}}}
	p := Choose(Policy{Inactive: 5 * day}, noon, []Session{fork, parent})
	if p.Before != 1003 || p.After != 0 || len(p.Removals) != 2 || p.Removals[0].Frees != 1 || p.Removals[1].Frees != 1002 {
		t.Errorf("plan %+v", p)
	}
	if p = Choose(Policy{MaxBytes: 1002}, noon, []Session{fork, parent}); len(p.Removals) != 1 || p.After != 1002 {
		t.Errorf("by size %+v", p)
	}
}

// TestNothingYounger: whatever there is and whatever the clock reads, what is taken
// is beyond a limit that the policy has, was not used a moment ago, and is not held;
// and limits of number and size are kept as far as that allows.
func TestNothingYounger(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		span := func(name string) time.Duration {
			return time.Duration(rapid.Int64Range(-3000, 20000).Draw(t, name)) * time.Hour
		}
		limit := func(name string, most int64) int64 {
			if rapid.Bool().Draw(t, name+"?") {
				return 0
			}
			return rapid.Int64Range(1, most).Draw(t, name)
		}
		p := Policy{OlderThan: time.Duration(limit("older", 9000)) * time.Hour, Inactive: time.Duration(limit("inactive", 9000)) * time.Hour,
			MaxBytes: limit("bytes", 5000), Keep: int(limit("keep", 12))}
		now := noon.Add(span("skew") * 3)
		var all []Session
		for i := range rapid.IntRange(0, 15).Draw(t, "sessions") {
			s := Session{ID: fmt.Sprint(i), Begun: noon.Add(-span("begun")), Used: noon.Add(-span("used"))}
			if rapid.IntRange(0, 5).Draw(t, "held") == 0 {
				s.Hold = "held"
			}
			for range rapid.IntRange(0, 3).Draw(t, "files") {
				ino := rapid.Uint64Range(0, 6).Draw(t, "inode")
				f := File{Device: 1, Inode: ino, Bytes: int64(ino) * 100}
				if ino == 0 {
					f.Bytes = rapid.Int64Range(0, 1000).Draw(t, "size")
				}
				s.Files = append(s.Files, f)
			}
			all = append(all, s)
		}
		plan := Choose(p, now, all)
		gone := map[string]bool{}
		for _, s := range plan.Removals {
			gone[s.ID] = true
			last := s.Used
			if s.Begun.After(last) {
				last = s.Begun
			}
			unused := now.Sub(last)
			if s.Hold != "" {
				t.Fatalf("%s is held and taken", s.ID)
			}
			if unused < Fresh && !(p.Inactive > 0 && unused > p.Inactive) {
				t.Fatalf("%s was used %v ago and is taken by %+v", s.ID, unused, p)
			}
			aged := p.OlderThan > 0 && now.Sub(s.Begun) > p.OlderThan
			idle := p.Inactive > 0 && unused > p.Inactive
			if !aged && !idle && p.Keep == 0 && p.MaxBytes == 0 {
				t.Fatalf("%s, begun %v ago and unused for %v, is taken by %+v", s.ID, now.Sub(s.Begun), unused, p)
			}
		}
		rest, files := 0, map[uint64]bool{}
		var bytes int64
		for _, s := range all {
			if gone[s.ID] {
				continue
			}
			if s.Hold == "" && !isFresh(s, now) {
				rest++
			}
			for _, f := range s.Files {
				if f.Inode == 0 || !files[f.Inode] {
					bytes += f.Bytes
				}
				files[f.Inode] = true
			}
		}
		if bytes != plan.After {
			t.Fatalf("the plan leaves %d bytes, and says %d", bytes, plan.After)
		}
		if p.Keep > 0 && rest > p.Keep {
			t.Fatalf("%d stay that may go, by %+v", rest, p)
		}
		if p.MaxBytes > 0 && rest > 0 && bytes > p.MaxBytes {
			t.Fatalf("%d bytes stay, and %d that may go, by %+v", bytes, rest, p)
		}
	})
}

// TestOneWrongClock: whatever readings a clock gives, nothing goes that was not past
// its grace at two looks, a day or more apart, with none between that denied it.
func TestOneWrongClock(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const grace = 30 * day
		seen := map[string]time.Time{}
		items := []Item{{"a", noon}, {"b", noon.Add(10 * day)}}
		past := map[string][]time.Time{} // the readings since the last that denied it
		for range rapid.IntRange(1, 20).Draw(t, "looks") {
			now := noon.Add(time.Duration(rapid.IntRange(-2000, 4000).Draw(t, "hours")) * time.Hour)
			gone, next := Expire(now, grace, items, seen)
			for _, it := range items {
				if now.Sub(it.Deleted) < grace {
					past[it.Name] = nil
				} else {
					past[it.Name] = append(past[it.Name], now)
				}
			}
			for _, it := range gone {
				first := now
				for _, at := range past[it.Name] {
					if at.Before(first) {
						first = at
					}
				}
				if now.Sub(it.Deleted) < grace || now.Sub(first) < secondLook {
					t.Fatalf("%s goes at %v after the looks %v", it.Name, now, past[it.Name])
				}
			}
			seen = next
		}
	})
	// An honest clock removes what is due.
	gone, next := Expire(noon.Add(31*day), 30*day, []Item{{"a", noon}}, nil)
	if len(gone) != 0 {
		t.Errorf("at the first look %v is gone", gone)
	}
	if gone, _ = Expire(noon.Add(33*day), 30*day, []Item{{"a", noon}}, next); len(gone) != 1 {
		t.Errorf("at the second look %v is gone", gone)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"30d": 30 * day, "2w": 14 * day, "12h": 12 * time.Hour, "1d12h": 36 * time.Hour, "7": 7 * day,
		"1.5d": 36 * time.Hour, "90m": 90 * time.Minute, " 1Y ": 365 * day, "": 0, "0d": 0, "-1d": 0, "d": 0, "3s": 0, "1e9y": 0, "999999999y": 0, "1..2d": 0} {
		got, err := ParseAge(text)
		if got != want || (err == nil) != (want != 0) {
			t.Errorf("age %q: %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]int64{"2G": 2e9, "500M": 5e8, "1GiB": 1 << 30, "10k": 1e4, "1.5kb": 1500, "123": 123, "7B": 7,
		"": 0, "G": 0, "-1G": 0, "0": 0, "1i": 0, "9999999T": 0, "NaN": 0, "InfG": 0} {
		got, err := ParseSize(text)
		if got != want || (err == nil) != (want != 0) {
			t.Errorf("size %q: %v, %v; want %v", text, got, err, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 2_500_000: "2.5 MB", 12e9: "12 GB", 999_999: "1.0 MB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d bytes are %q, want %q", n, got, want)
		}
	}
}
