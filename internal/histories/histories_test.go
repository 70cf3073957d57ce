package histories

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func TestOps(t *testing.T) {
	t.Parallel()
	w := Weights{"turn": 3, "edit": 1, "never": 0}
	ops := w.Draw(400, 7)
	count := map[string]int{}
	for _, o := range ops {
		count[o.Kind]++
	}
	if count["never"] > 0 || count["turn"] < 2*count["edit"] {
		t.Errorf("drawn %v", count)
	}
	if again := w.Draw(400, 7); !slices.Equal(again, ops) {
		t.Error("a seed gives two histories")
	}
	if other := w.Draw(400, 8); slices.Equal(other, ops) {
		t.Error("two seeds give one history")
	}
	if got, err := w.Parse(Show(ops)); err != nil || !slices.Equal(got, ops) {
		t.Errorf("Parse(Show): %v, %v", got, err)
	}
	for _, bad := range []string{"turn", "turn:x", "turn:-1", "dance:1"} {
		if _, err := w.Parse(bad); err == nil {
			t.Errorf("Parse takes %q", bad)
		}
	}
}

func TestShortest(t *testing.T) {
	t.Parallel()
	var list []int
	for i := range 100 {
		list = append(list, i)
	}
	same := func(less []int) bool { return slices.Contains(less, 13) && slices.Contains(less, 77) }
	if got := Shortest(list, same, func() bool { return true }); !slices.Equal(got, []int{13, 77}) {
		t.Errorf("Shortest leaves %v", got)
	}
	if got := Shortest(list, same, func() bool { return false }); len(got) != 100 {
		t.Errorf("out of time, Shortest leaves %d of 100", len(got))
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	want := Tree{"a/b": {"644", "text\n"}, "run": {"755", "run\n"}, "link": {"link", "a/b"}}
	Put(top, "a", File{"644", "in the way"})
	Put(top, "link/x", File{"644", "in the way"})
	Put(top, ".git/x", File{"644", "not looked at"})
	for _, p := range Sorted(want) {
		Put(top, p, want[p])
	}
	if got := Bare(Read(top, ".git")); !reflect.DeepEqual(got, want) {
		t.Errorf("Read: %v", got)
	}
	Put(top, "link", File{})
	if got := Changed(want, Bare(Read(top, ".git"))); !slices.Equal(got, []string{"link"}) {
		t.Errorf("Changed: %q", got)
	}
}

// Each way to change lines changes what it says: a person's insertions keep all lines, and a move keeps them all, too.
func TestChangedLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		way         string
		gains, lose bool
	}{{"insert", true, false}, {"replace", true, true}, {"delete", false, true}, {"move", false, false}, {"sort", false, false}} {
		gained, lost := false, false
		for seed := range uint64(50) {
			p := &Player{Lines: Weights{c.way: 1}}
			var was []string
			for i := range 9 {
				was = append(was, fmt.Sprintf("base %d\n", 9-i))
			}
			now := p.changedLines(nil, slices.Clone(was), rand.New(rand.NewPCG(seed, 1)))
			for _, line := range now {
				gained = gained || !slices.Contains(was, line)
			}
			for _, line := range was {
				lost = lost || !slices.Contains(now, line)
			}
		}
		if gained != c.gains || lost != c.lose {
			t.Errorf("%s: gained %t, lost %t", c.way, gained, lost)
		}
	}
}
