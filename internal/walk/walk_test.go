package walk

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// walk is one sequence of operations under way.
type walk struct {
	real, twin *side
	sessions   []*sess

	clock, lineCount, subjects int

	was commit // HEAD ahead of the operation
	now tree   // and the worktree

	made      map[string]*made   // commits of the real side
	bySubject map[string]*made   // the latest of each subject
	holders   map[string][]*made // commits that an atom was ever in
	ids       map[string]*made   // the first commit of each checkpoint
	slots     map[string]string  // folder of a session in a checkpoint
	pairs     map[string]string  // real commit to the twin's
	trees     map[string]tree
	points    map[string]point
	saved     [2]struct {
		id string
		point
	}

	folded    map[string]bool // checkpoints of the commits under an interactive rebase, or that a squash merge takes over
	reverting bool

	enabled map[string]bool
	stats   map[string]int
	trace   []string
}

// failure ends a walk.
type failure struct{ class, text string }

func (w *walk) fail(class, format string, args ...any) {
	panic(failure{class, fmt.Sprintf(format, args...)})
}

// on reports whether a part of the model is in force.
func (w *walk) on(what string) bool { return w.enabled[what] }

func newWalk(dir string) (*walk, error) {
	w := &walk{made: map[string]*made{}, bySubject: map[string]*made{}, holders: map[string][]*made{}, ids: map[string]*made{},
		slots: map[string]string{}, pairs: map[string]string{}, trees: map[string]tree{}, points: map[string]point{},
		enabled: map[string]bool{}, stats: map[string]int{}}
	for _, name := range strings.Split(switches, ",") {
		w.enabled[name] = true
	}
	for _, name := range []string{"entire", "plain"} {
		s, err := newSide(dir, name)
		if err != nil {
			return nil, err
		}
		if name == "entire" {
			w.real = s
		} else {
			w.twin = s
		}
	}
	for i, wt := range []int{0, 0, 1} {
		id := fmt.Sprintf("s%d000000-1111-4222-8333-444444444444", i+1)
		w.sessions = append(w.sessions, &sess{id: id, wt: wt,
			transcript: filepath.Join(w.real.root, "home", ".claude", "projects", "p", id+".jsonl"),
			did:        map[string]bool{}, where: map[string]string{}, over: map[string]bool{}, told: map[string]bool{}, turn: map[string]bool{}, blurred: map[string]bool{}, around: map[string]bool{}, seen: map[string]bool{}, named: map[string]bool{}, gone: map[string]bool{},
			left: map[string]file{}, found: map[string]file{}, kept: map[string]file{}, paths: map[string]bool{}})
	}
	for wt := range worktrees {
		for _, c := range w.unknown(w.real.commit(w.real.head(wt)).id) {
			w.learn(c, nil, nil)
		}
	}
	return w, nil
}

func (w *walk) close() {
	w.real.cat.close()
	w.twin.cat.close()
}

// run does the operations in a folder of their own and returns what went wrong.
func run(ops []Op) (stats map[string]int, trace []string, failed *failure) {
	dir, err := os.MkdirTemp("", "walk-")
	if err != nil {
		return nil, nil, &failure{"setup", err.Error()}
	}
	defer os.RemoveAll(dir)
	w, err := newWalk(dir)
	if err != nil {
		return nil, nil, &failure{"setup", err.Error()}
	}
	defer w.close()
	at := ""
	defer func() {
		stats, trace = w.stats, w.trace
		switch r := recover().(type) {
		case nil:
		case failure:
			r.text = at + r.text
			failed = &r
			if keep != "" {
				_ = os.RemoveAll(keep)
				_ = os.CopyFS(keep, os.DirFS(dir))
			}
		default:
			panic(r)
		}
	}()
	for i, op := range ops {
		at = fmt.Sprintf("operation %d, %s: ", i+1, op)
		w.note("-- %d %s", i+1, op)
		kindOf(op.Kind).do(w, op.rng())
		for wt := range worktrees {
			w.compare(wt)
			w.restored(wt)
		}
	}
	at = "at the end: "
	w.finish()
	return
}

func TestWalk(t *testing.T) {
	t.Parallel()
	if replay != "" {
		ops, err := parseOps(replay)
		if err != nil {
			t.Fatal(err)
		}
		stats, trace, failed := run(ops)
		if _, asked := os.LookupEnv("WALK_SHRINK"); asked && failed != nil {
			report(t, ops, trace, *failed)
			return
		}
		t.Log("\n" + strings.Join(trace, "\n"))
		t.Log(stats)
		if failed != nil {
			t.Fatalf("%s: %s", failed.class, failed.text)
		}
		return
	}
	total, start := map[string]int{}, time.Now()
	var guard sync.Mutex
	t.Run("sequences", func(t *testing.T) {
		for i := range sequences {
			t.Run(strconv.Itoa(seed+i), func(t *testing.T) {
				t.Parallel()
				if time.Since(start) > limit {
					return
				}
				n := 1 + int(mix(uint64(seed+i))%uint64(length))
				if sequences < 20 {
					n = length
				}
				ops := opsOf(n).Example(seed + i)
				stats, trace, failed := run(ops)
				guard.Lock()
				for k, v := range stats {
					total[k] += v
				}
				total["sequences"]++
				total["operations"] += n
				guard.Unlock()
				if failed != nil {
					report(t, ops, trace, *failed)
				}
			})
		}
	})
	t.Logf("%v: %v", time.Since(start).Round(time.Second), total)
}

// report shows the shortest list of operations found that fails alike.
func report(t *testing.T, ops []Op, trace []string, failed failure) {
	t.Helper()
	first := failed
	start := time.Now()
	least, trace := shortest(ops, trace, &failed, func() bool { return time.Since(start) < shrinking })
	t.Errorf("%s: %s\n(first seen: %s)\nWALK_REPLAY=%q\n%s", failed.class, failed.text, first.text, show(least), strings.Join(trace, "\n"))
}

// shortest takes operations out of a list for as long as it fails in the same
// way.
func shortest(ops []Op, trace []string, failed *failure, more func() bool) ([]Op, []string) {
	try := func(less []Op) bool {
		_, tr, f := run(less)
		if f == nil || f.class != failed.class {
			return false
		}
		ops, *failed, trace = less, *f, tr
		return true
	}
	for before := -1; before != len(ops) && more(); {
		before = len(ops)
		for size := max(1, len(ops)/2); size > 0; size /= 2 {
			for at := len(ops) - size; at > -size && more(); at -= size {
				from := max(0, at)
				try(slices.Delete(slices.Clone(ops), from, min(from+size, len(ops))))
				at = min(at, len(ops))
			}
		}
	}
	return ops, trace
}
