package strategy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCommitsThatHooksDidNotSee: an agent's work in them is known of before the
// session goes on and afterwards; nothing is said of others' commits.
func TestCommitsThatHooksDidNotSee(t *testing.T) {
	t.Parallel()
	unseen := func(w *world, message string, args ...string) string {
		w.Git(append([]string{"-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", message}, args...)...)
		return w.Head()
	}
	work := func(w *world) {
		w.turn("s1", "write", func() { w.Write("a.txt", "agent\n"); w.Write("b.txt", "agent too\n") })
		w.Git("add", "-A")
	}
	for _, tc := range []struct {
		name string
		do   func(w *world) []string // the commits that took work of the session's
	}{
		{"one", func(w *world) []string { work(w); return []string{unseen(w, "all")} }},
		{"half", func(w *world) []string { work(w); return []string{unseen(w, "half", "--", "a.txt")} }},
		{"two, and a person's", func(w *world) []string {
			work(w)
			out := []string{unseen(w, "one", "--", "a.txt"), unseen(w, "two")}
			w.Write("c.txt", "a person\n")
			w.Git("add", "-A")
			unseen(w, "a person's")
			return out
		}},
		{"with a person's change", func(w *world) []string {
			work(w)
			w.Write("a.txt", "a person\nagent\n")
			return []string{unseen(w, "both", "-a")}
		}},
		{"in the turn", func(w *world) []string {
			w.prompt("s1", "write")
			w.Write("a.txt", "agent\n")
			w.Git("add", "-A")
			return []string{unseen(w, "in the turn")}
		}},
		{"reset away", func(w *world) []string {
			work(w)
			out := []string{unseen(w, "all")}
			w.Git("reset", "-q", "--hard", "HEAD~1")
			return out
		}},
		{"a person's only", func(w *world) []string {
			work(w)
			w.Git("reset", "-q")
			w.Write("c.txt", "a person\n")
			w.Git("add", "c.txt")
			unseen(w, "a person's")
			return nil
		}},
		{"pulled", func(w *world) []string {
			other := w.Clone()
			for i := range 3 {
				other.Write("c.txt", fmt.Sprintf("somebody %d\n", i))
				other.Git("add", "-A")
				other.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "theirs")
			}
			work(w)
			w.Git("-c", "core.hooksPath=/dev/null", "pull", "-q", "--ff-only", other.Dir)
			return nil
		}},
		{"switched", func(w *world) []string {
			w.Git("checkout", "-q", "-b", "side")
			w.Write("c.txt", "a person\n")
			w.Git("add", "-A")
			unseen(w, "aside")
			w.Git("checkout", "-q", "main")
			work(w)
			w.Git("reset", "-q")
			w.Git("-c", "core.hooksPath=/dev/null", "checkout", "-q", "side")
			return nil
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			want := tc.do(w)
			check := func(when string) {
				t.Helper()
				oids, _, err := w.engine().UnlinkedCommits(w.ctx)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, oid := range oids {
					got = append(got, oid.String())
				}
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("%s: known to hold work: %v, want %v\n%s", when, got, want, w.Git("log", "--oneline"))
				}
				for _, c := range want {
					if !strings.Contains(w.problems(), c[:7]) {
						t.Errorf("%s: %s is not told of: %s", when, c[:7], w.problems())
					}
				}
				if len(want) == 0 && strings.Contains(w.problems(), "not-linked") {
					t.Errorf("%s: problems: %s", when, w.problems())
				}
			}
			check("before the session goes on")
			if w.state("s1").Phase == "active" {
				w.stop("s1")
			}
			w.prompt("s1", "next")
			w.stop("s1")
			check("afterwards")
		})
	}
}

// TestCommitsThatThereIsNoTimeFor: one that was made here may hold an agent's work, one
// that came along with a pull is not taken for it.
func TestCommitsThatThereIsNoTimeFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.Clone()
	other.Write("c.txt", "somebody\n")
	other.Git("add", "-A")
	other.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "theirs")
	w.turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	w.Git("-c", "core.hooksPath=/dev/null", "pull", "-q", "--ff-only", other.Dir)
	w.Git("add", "-A")
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "all")
	slow := w.engine()
	slow.Now = func() time.Time { w.now = w.now.Add(time.Minute); return w.now }
	oids, _, err := slow.UnlinkedCommits(w.ctx)
	if err != nil || len(oids) != 1 || oids[0].String() != w.Head() {
		t.Errorf("known to hold work: %v (%v), want %s", oids, err, w.Head())
	}
}
