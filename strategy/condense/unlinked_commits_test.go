package condense_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/checkpoint/records"
	"entire/internal/git"
	"entire/strategy/condense"
	"entire/strategy/internal/enginetest"
)

// TestCommitsThatHooksDidNotSee: an agent's work in them is known of before the
// session goes on and afterwards; nothing is said of others' commits.
func TestCommitsThatHooksDidNotSee(t *testing.T) {
	t.Parallel()
	unseen := func(w *enginetest.World, message string, args ...string) string {
		w.Git(append([]string{"-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", message}, args...)...)
		return w.Head()
	}
	work := func(w *enginetest.World) {
		w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n"); w.Write("b.txt", "agent too\n") })
		w.Git("add", "-A")
	}
	for _, tc := range []struct {
		name string
		do   func(w *enginetest.World) []string // the commits that took work of the session's
	}{
		{"one, linked", func(w *enginetest.World) []string { work(w); return []string{unseen(w, "all")} }},
		{"half, linked", func(w *enginetest.World) []string { work(w); return []string{unseen(w, "half", "--", "a.txt")} }},
		{"two, and a person's, linked", func(w *enginetest.World) []string {
			work(w)
			out := []string{unseen(w, "one", "--", "a.txt"), unseen(w, "two")}
			w.Write("c.txt", "a person\n")
			w.Git("add", "-A")
			unseen(w, "a person's")
			return out
		}},
		{"with a person's change, linked", func(w *enginetest.World) []string {
			work(w)
			w.Write("a.txt", "a person\nagent\n")
			return []string{unseen(w, "both", "-a")}
		}},
		{"in the turn", func(w *enginetest.World) []string {
			w.Prompt("s1", "write")
			w.Write("a.txt", "agent\n")
			w.Git("add", "-A")
			return []string{unseen(w, "in the turn")}
		}},
		{"reset away", func(w *enginetest.World) []string {
			work(w)
			out := []string{unseen(w, "all")}
			w.Git("reset", "-q", "--hard", "HEAD~1")
			return out
		}},
		{"a person's only", func(w *enginetest.World) []string {
			work(w)
			w.Git("reset", "-q")
			w.Write("c.txt", "a person\n")
			w.Git("add", "c.txt")
			unseen(w, "a person's")
			return nil
		}},
		{"pulled", func(w *enginetest.World) []string {
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
		{"switched", func(w *enginetest.World) []string {
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
			w := enginetest.NewWorld(t)
			want := tc.do(w)
			check := func(when string) {
				t.Helper()
				oids, _, err := condense.UnlinkedCommits(w.Ctx, w.Engine())
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
					if !strings.Contains(w.Problems(), c[:7]) {
						t.Errorf("%s: %s is not told of: %s", when, c[:7], w.Problems())
					}
				}
				if len(want) == 0 && strings.Contains(w.Problems(), "not-linked") {
					t.Errorf("%s: problems: %s", when, w.Problems())
				}
			}
			check("before the session goes on")
			if w.State("s1").Phase == "active" {
				w.Stop("s1")
			}
			w.Prompt("s1", "next")
			w.Stop("s1")
			if strings.HasSuffix(tc.name, ", linked") { // the session's next event has recorded them
				links, err := records.NewReader(w.Engine().Repo).Links(w.Ctx)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range want {
					if oid, err := git.ParseOID(c); err != nil || len(links[oid]) != 1 {
						t.Errorf("%s has the checkpoints %v, %v", c[:7], links[oid], err)
					}
				}
				want = nil
			}
			check("afterwards")
		})
	}
}

// TestCommitsThatThereIsNoTimeFor: one that was made here may hold an agent's work, one
// that came along with a pull is not taken for it.
func TestCommitsThatThereIsNoTimeFor(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	other := w.Clone()
	other.Write("c.txt", "somebody\n")
	other.Git("add", "-A")
	other.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "theirs")
	w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	w.Git("-c", "core.hooksPath=/dev/null", "pull", "-q", "--ff-only", other.Dir)
	w.Git("add", "-A")
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "all")
	slow := w.Engine()
	slow.Now = func() time.Time { w.Now = w.Now.Add(time.Minute); return w.Now }
	oids, _, err := condense.UnlinkedCommits(w.Ctx, slow)
	if err != nil || len(oids) != 1 || oids[0].String() != w.Head() {
		t.Errorf("known to hold work: %v (%v), want %s", oids, err, w.Head())
	}
}
