package walk

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"entire/internal/histories"
)

// anyWorktree is mostly the main one, where two sessions work.
func anyWorktree(rng *rand.Rand) int { return max(0, rng.IntN(3)-1) }

// pullOp takes in what somebody else has pushed.
func (w *walk) pullOp(rng *rand.Rand) {
	wt := anyWorktree(rng)
	path := histories.Pick(rng, []string{"theirs.txt", "a.txt", "dir/c.txt"})
	line := w.Line(nil)
	w.clock++
	w.inBoth(func(_ int, r *histories.Repo) {
		text := r.Object("refs/remotes/origin/main:"+path).Data + line + "\n"
		stream := fmt.Sprintf("commit refs/heads/main\ncommitter Else <else@example.com> %d +0000\ndata %d\n%s\nfrom refs/heads/main^0\nM 644 inline %s\ndata %d\n%s\ndone\n",
			1767225600+60*w.clock, len(line), line, path, len(text), text)
		if o := r.Run(histories.Command{Sub: "../remote.git", Stdin: stream, Args: []string{"git", "fast-import", "--quiet", "--done"}}); o.Code != 0 {
			histories.Fail("run", "%v", o)
		}
	})
	w.Before(wt)
	if rng.IntN(2) == 0 {
		w.Merging(wt, rng, w.git(wt, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main").Code)
		return
	}
	w.Finishing(wt, "rebase", rng, w.git(wt, "pull", "-q", "--rebase", "origin", "main").Code)
	w.After(wt, histories.Copied)
}

func (w *walk) gcOp(*rand.Rand) {
	w.reachable()
	w.git(0, "gc", "-q", "--prune=now")
}

// pushOp sends a branch. Nothing of ours goes along unasked, which may be said.
func (w *walk) pushOp(rng *rand.Rand) {
	wt := anyWorktree(rng)
	args := []string{"git", "push", "-q", "-f", "origin", fmt.Sprintf("HEAD:refs/heads/from%d", wt)}
	w.inBoth(func(side int, r *histories.Repo) {
		o := r.Run(histories.Command{WT: wt, Args: args})
		rest := slices.DeleteFunc(strings.Split(o.Out, "\n"), func(line string) bool {
			return line == "" || side == 0 && (strings.HasPrefix(line, "entire: ") || strings.HasPrefix(line, "hint: "))
		})
		if o.Code != 0 || len(rest) > 0 {
			histories.Fail("output", "%v: %d %q", args, o.Code, o.Out)
		}
	})
	if o := w.real.Run(histories.Command{Sub: "../remote.git", Args: []string{"git", "for-each-ref", "--format=%(refname)"}}); strings.Contains(o.Out, "entire") {
		histories.Fail("pushed", "the remote has %s", o.Out)
	}
}

// cleanOp removes what is left over, which work under way is not.
func (w *walk) cleanOp(rng *rand.Rand) {
	wt := anyWorktree(rng)
	before := w.objects("--glob=refs/heads", "--glob=refs/stash")
	if out := w.entire(wt, "", "clean", "--force", "--json"); out.Code != 0 || !json.Valid([]byte(out.Out)) {
		histories.Fail("clean", "exit %d: %q", out.Code, out.Out)
	}
	after := w.objects("--all")
	for _, s := range w.sessions {
		for p, f := range s.kept {
			switch id := blob(f); {
			case f.Mode == "" || after[id]:
			case before[id]:
				histories.Fail("cleaned", "clean took %s of %s: %q", p, s.ID, f.Text)
			default: // it had been set aside
				delete(s.kept, p)
			}
		}
	}
}

// doctorOp looks, and mends; work is not touched by it.
func (w *walk) doctorOp(rng *rand.Rand) {
	wt := anyWorktree(rng)
	args := []string{"doctor", "--json"}
	if rng.IntN(2) == 0 {
		args = append(args, "--fix")
	}
	if out := w.entire(wt, "", args...); !json.Valid([]byte(out.Out)) {
		histories.Fail("doctor", "exit %d: %q", out.Code, out.Out)
	}
	w.event(wt)
}

// namesAbove are the checkpoints that the commits above a base name, and how many
// these are. Merges do not count: git flattens them, and what somebody has put into
// one is gone with its message.
func (w *walk) namesAbove(wt int, base string) (ids []string, commits int) {
	for _, id := range strings.Fields(w.real.Git(wt, "rev-list", base+"..HEAD")) {
		if c := w.real.Commit(id); len(c.Parents) == 1 {
			ids = append(ids, trailers(c.Message)...)
			commits++
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), commits
}

func subset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(x string) bool { return !slices.Contains(b, x) })
}
