package histories

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Sort is one sort of random histories: what is drawn, and the oracle that observes.
type Sort struct {
	// Prefix begins the names of the environment variables: _SEQUENCES, _OPS and _SEED say how many histories, how
	// long and which; _SECONDS how long to begin new ones; _SHRINK how many seconds to shorten a failed one; _REPLAY is
	// a list of operations to play, as a failure prints it; _KEEP a folder for the repositories of a failed history.
	Prefix    string
	Sequences int // if the environment does not say
	Length    int
	Vary      bool // lengths from 1 to Length, if there are many histories
	Patience  int  // seconds to shorten a failed history, 60 if zero
	Weights   Weights

	// Begin makes the repositories of a history in an empty folder.
	Begin func(t *testing.T, dir string) *Player
	// Name writes a failed history as its oracle names it, if a list of operations is not enough. It may shorten it more.
	Name func(t *testing.T, p *Player, failed Failure, more func() bool) string
	// Same reports whether a failure is the one that is being shortened; nil compares classes.
	Same func(first, now Failure) bool
}

// Number returns a variable of the environment, if that is a number.
func Number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

func (s Sort) seconds(name string, otherwise int) time.Duration {
	return time.Duration(Number(s.Prefix+name, otherwise)) * time.Second
}

// Seed is the first seed.
func (s Sort) Seed() int { return Number(s.Prefix+"_SEED", 1) }

// Draw returns the operations of a seed.
func (s Sort) Draw(seed int) []Op {
	n := Number(s.Prefix+"_OPS", s.Length)
	if s.Vary && Number(s.Prefix+"_SEQUENCES", s.Sequences) >= 20 {
		n = 1 + int(uint64(seed)*0x9e3779b97f4a7c15>>33)%n
	}
	return s.Weights.Draw(n, uint64(seed))
}

// Run plays operations in a folder of their own.
func (s Sort) Run(t *testing.T, ops []Op) (p *Player, failed *Failure) {
	p = &Player{}
	dir, err := os.MkdirTemp("", strings.ToLower(s.Prefix)+"-")
	if err != nil {
		return p, &Failure{"setup", err.Error()}
	}
	defer os.RemoveAll(dir)
	at := "at the beginning"
	failed = Guard(func() {
		p = s.Begin(t, dir)
		for i, op := range ops {
			at = fmt.Sprintf("operation %d, %s", i+1, op)
			p.Note("-- %d %s", i+1, op)
			p.Do(op.Kind)(op.rand())
			p.AfterOp()
		}
		at = "at the end"
		p.Finish()
	})
	if failed != nil {
		failed.Text = at + ": " + failed.Text
		if keep := os.Getenv(s.Prefix + "_KEEP"); keep != "" {
			_ = os.RemoveAll(keep)
			_ = os.CopyFS(keep, os.DirFS(dir))
		}
	}
	for _, end := range p.atEnd {
		end()
	}
	return p, failed
}

// Test plays the histories that the environment asks for.
func (s Sort) Test(t *testing.T) {
	t.Helper()
	if replay := os.Getenv(s.Prefix + "_REPLAY"); replay != "" {
		s.replay(t, replay)
		return
	}
	total, start := map[string]int{}, time.Now()
	first, limit := s.Seed(), s.seconds("_SECONDS", 3600)
	var guard sync.Mutex
	t.Run("sequences", func(t *testing.T) {
		for i := range Number(s.Prefix+"_SEQUENCES", s.Sequences) {
			t.Run(strconv.Itoa(first+i), func(t *testing.T) {
				t.Parallel()
				if time.Since(start) > limit {
					return
				}
				ops := s.Draw(first + i)
				p, failed := s.Run(t, ops)
				guard.Lock()
				for k, v := range p.Stats {
					total[k] += v
				}
				total["histories"]++
				total["operations"] += len(ops)
				guard.Unlock()
				if failed != nil {
					s.Report(t, ops, p, *failed)
				}
			})
		}
	})
	t.Logf("%v: %v", time.Since(start).Round(time.Second), total)
}

// replay plays one list of operations, and shortens it if it fails and _SHRINK is set.
func (s Sort) replay(t *testing.T, text string) {
	ops, err := s.Weights.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	p, failed := s.Run(t, ops)
	if os.Getenv(s.Prefix+"_SHRINK") != "" && failed != nil {
		s.Report(t, ops, p, *failed)
		return
	}
	t.Log("\n" + strings.Join(p.Trace, "\n"))
	t.Log(p.Stats)
	if failed != nil {
		t.Fatal(failed.Error())
	}
}

// Report shows the shortest list of operations found that fails in the same way.
func (s Sort) Report(t *testing.T, ops []Op, p *Player, first Failure) {
	t.Helper()
	start, last := time.Now(), first
	same := func(less []Op) bool {
		var q *Player
		var f *Failure
		t.Run("again", func(t *testing.T) { q, f = s.Run(t, less) })
		if f == nil || f.Class != first.Class || s.Same != nil && !s.Same(first, *f) {
			return false
		}
		last, p = *f, q
		return true
	}
	limit := s.seconds("_SHRINK", cmp.Or(s.Patience, 60))
	if s.Name != nil {
		limit /= 2 // the other half is for Name
	}
	more := func() bool { return time.Since(start) < limit }
	ops = Shortest(ops, same, more)
	text := fmt.Sprintf("%s\n(first seen: %s)\n%s_REPLAY=%q\n", last.Error(), first.Text, s.Prefix, Show(ops))
	if s.Name != nil {
		start = time.Now()
		text += s.Name(t, p, last, more)
	} else {
		text += strings.Join(p.Trace, "\n")
	}
	t.Error(text)
}
