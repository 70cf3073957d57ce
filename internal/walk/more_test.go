package walk

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// commitIndexOp is a program that commits with an index of its own.
func (w *walk) commitIndexOp(rng *rand.Rand) {
	c := w.commitCommand(w.anyWorktree(rng))
	path := w.anyPath(c.wt, rng)
	env := []string{"GIT_INDEX_FILE=walk.index"}
	if c.wt == 1 {
		env[0] = "GIT_INDEX_FILE=../main/.git/worktrees/wt/walk.index"
	} else {
		env[0] = "GIT_INDEX_FILE=.git/walk.index"
	}
	w.both(command{wt: c.wt, env: env, args: []string{"git", "read-tree", "HEAD"}})
	w.both(command{wt: c.wt, env: env, args: []string{"git", "add", "-A", "--", path}})
	c = w.withMessage(c, rng)
	c.env = append(c.env, env...)
	w.commits(c, hooked)
	w.git(c.wt, "reset", "-q")
}

// pushOp sends a branch. Nothing of ours goes along unasked, which may be said.
func (w *walk) pushOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	args := []string{"git", "push", "-q", "-f", "origin", fmt.Sprintf("HEAD:refs/heads/from%d", wt)}
	w.inBoth(func(s *side) {
		o, err := s.run(command{wt: wt, args: args})
		rest := slices.DeleteFunc(strings.Split(o.out, "\n"), func(line string) bool {
			return line == "" || s == w.real && (strings.HasPrefix(line, "entire: ") || strings.HasPrefix(line, "hint: "))
		})
		if err != nil || o.code != 0 || len(rest) > 0 {
			panic(failure{"output", fmt.Sprintf("%v: %v %d %q", args, err, o.code, o.out)})
		}
	})
	o, err := w.real.run(command{sub: "../remote.git", args: []string{"git", "for-each-ref", "--format=%(refname)"}})
	if err != nil || strings.Contains(o.out, "entire") {
		w.fail("pushed", "%v: the remote has %s", err, o.out)
	}
}

// cleanOp removes what is left over, which work under way is not.
func (w *walk) cleanOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	before := w.objects("--glob=refs/heads", "--glob=refs/stash")
	if out := w.entire(wt, "", "clean", "--force", "--json"); out.code != 0 || !json.Valid([]byte(out.out)) {
		w.fail("clean", "exit %d: %q", out.code, out.out)
	}
	after := w.objects("--all")
	for _, s := range w.sessions {
		for p, f := range s.kept {
			switch blob := f.blob(); {
			case f.mode == "" || after[blob]:
			case before[blob]:
				w.fail("cleaned", "clean took %s of %s: %q", p, s.id, f.text)
			default: // it had been set aside
				delete(s.kept, p)
			}
		}
	}
}

// doctorOp looks, and mends; work is not touched by it.
func (w *walk) doctorOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	args := []string{"doctor", "--json"}
	if rng.IntN(2) == 0 {
		args = append(args, "--fix")
	}
	if out := w.entire(wt, "", args...); !json.Valid([]byte(out.out)) {
		w.fail("doctor", "exit %d: %q", out.code, out.out)
	}
	w.event(wt)
}

// foldOp is an interactive rebase of the last commits.
func (w *walk) foldOp(rng *rand.Rand) {
	wt, n := w.anyWorktree(rng), 2+rng.IntN(2)
	if !w.deep(wt, n) || len(w.heads(wt)) == 0 {
		return
	}
	how := []string{"squash", "fixup", "fixup", "reword", "drop"}[rng.IntN(5)]
	line := 2
	if how == "drop" || how == "reword" {
		line = 1
	}
	w.before(wt)
	base := w.real.commit(fmt.Sprintf("%s~%d", w.real.head(wt), n)).id
	old, many := w.namesAbove(wt, base)
	c := command{wt: wt, args: []string{"git", "rebase", "-q", "-i", "--autostash", fmt.Sprintf("HEAD~%d", n)},
		env: []string{fmt.Sprintf("GIT_SEQUENCE_EDITOR=sed -i -e '%ds/^pick/%s/'", line, how), "GIT_EDITOR=true"}}
	code := w.both(c).code
	w.until(wt, "rebase", rng, code)
	w.settleConflicts(wt, rng)
	w.folded = map[string]bool{}
	for _, id := range old {
		w.folded[id] = true
	}
	fresh := len(w.unseen(w.real.commit(w.real.head(wt)).id))
	w.after(wt, copied)
	w.folded = nil
	if how != "reword" {
		many-- // two became one
	}
	if code == 0 && how != "drop" && fresh > 0 {
		// Of a commit that is folded with its own revert nothing is left, and git
		// drops it with its message: nobody would look for its checkpoint.
		if got, n := w.namesAbove(wt, base); n >= many && !subset(old, got) {
			w.fail("folded", "%s: the commits named %v, now %v", how, old, got)
		}
	}
}

// namesAbove are the checkpoints that the commits above a base name, and how many
// these are. Merges do not count: git flattens them, and what somebody has put into
// one is gone with its message.
func (w *walk) namesAbove(wt int, base string) (ids []string, commits int) {
	for _, id := range strings.Fields(w.real.git(wt, "rev-list", base+"..HEAD")) {
		if c := w.real.commit(id); len(c.parents) == 1 {
			ids = append(ids, trailers(c.message)...)
			commits++
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), commits
}

func subset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(x string) bool { return !slices.Contains(b, x) })
}
