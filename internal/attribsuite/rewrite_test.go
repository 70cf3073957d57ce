package attribsuite

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"entire/internal/histories"
)

// kinds are the operations that only this oracle can judge: it knows whose lines nobody can tell.
func (o *oracle) kinds() map[string]func(*rand.Rand) {
	out := map[string]func(*rand.Rand){
		"calls": o.callsOp, "two": o.twoOp, "mid-turn": o.midTurnOp, "go-back": o.goBackOp, "move-over": o.moveOverOp, "split-file": o.splitFileOp,
		"look": func(*rand.Rand) { o.do("check worktree") },
		"edit": func(rng *rand.Rand) {
			if !o.running() { // else nobody could tell a person's line from the command's
				o.h.Plain("edit")(rng)
			}
		},
	}
	for _, name := range []string{"amend", "fold", "rebase", "squash", "cherry-pick", "merge", "revert", "reset", "branch", "switch", "stash", "pop"} {
		out[name] = o.idle(o.h.Plain(name))
	}
	out["rewrite"] = o.idle(func(rng *rand.Rand) {
		if o.clean() {
			o.rewrite(rng)
			o.After(0, histories.Copied)
		}
	})
	return out
}

// idle is an operation of a person's that is played only while no session is in a turn.
func (o *oracle) idle(do func(*rand.Rand)) func(*rand.Rand) {
	return func(rng *rand.Rand) {
		if !o.anyOpen("") {
			do(rng)
		}
	}
}

// callsOp is a turn in which nothing is written but by calls, and a person beside
// it, unless another session's command may still be at work.
func (o *oracle) callsOp(rng *rand.Rand) {
	s := histories.Pick(rng, o.h.Sessions)
	o.Prompt(s)
	o.calls, o.h.Tools = true, histories.Weights{"edit": 1}
	for range 1 + rng.IntN(4) {
		switch n := rng.IntN(6); {
		case n < 3:
			o.h.Change(s, 0, rng)
		case n < 5:
			o.h.Do("edit")(rng)
		default:
			o.do("%s $ git status -s | head -3; git add -N . && git diff --stat", s.Name)
		}
	}
	o.calls, o.h.Tools = false, tools
	o.Stop(s)
}

// twoOp are turns of two sessions at one time, and perhaps a commit.
func (o *oracle) twoOp(rng *rand.Rand) {
	two := []*histories.Session{o.session("A"), o.session("B")}
	for _, s := range two {
		o.Prompt(s)
		o.h.Change(s, 0, rng)
	}
	for range rng.IntN(4) {
		o.h.Change(histories.Pick(rng, two), 0, rng)
	}
	first := rng.IntN(2)
	o.Stop(two[first])
	if rng.IntN(2) == 0 {
		o.h.Change(two[1-first], 0, rng)
	}
	if rng.IntN(4) == 0 {
		o.h.Do("commit-all")(rng)
	}
	o.Stop(two[1-first])
}

// midTurnOp is a commit that the agent makes, or a person while it works.
func (o *oracle) midTurnOp(rng *rand.Rand) {
	s := histories.Pick(rng, o.h.Sessions)
	o.Prompt(s)
	o.h.Change(s, 0, rng)
	o.h.Do(histories.Pick(rng, []string{"agent-commit", "commit-all", "commit-unhooked"}))(rng)
	if rng.IntN(2) == 0 {
		o.h.Change(s, 0, rng)
	}
	o.Stop(s)
}

// goBackOp rewinds, and perhaps undoes that.
func (o *oracle) goBackOp(rng *rand.Rand) {
	o.do("rewind %d %s", 1+rng.IntN(3), histories.Pick(rng, []string{"--tree --code", "--tree --code", "", "", "--tree", "--mine keep"}))
	if rng.IntN(2) == 0 {
		if rng.IntN(2) == 0 {
			o.h.Do("edit")(rng)
		}
		o.do("rewind undo")
	}
}

// linesOf is a file as tokens.
func (o *oracle) linesOf(path string) []string { return strings.Fields(o.tokens("p", "", o.was(path))) }

// moveOverOp has a person take lines out of one file and put them into another, and commit
// both.
func (o *oracle) moveOverOp(rng *rand.Rand) {
	all := o.files()
	if len(all) < 2 || o.running() {
		return
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	lines, others := o.linesOf(all[0]), o.linesOf(all[1])
	if len(lines) < 3 {
		return
	}
	i := rng.IntN(len(lines) - 1)
	j := min(len(lines), i+1+rng.IntN(3))
	at := rng.IntN(len(others) + 1)
	join := func(parts ...[]string) string {
		var out []string
		for _, part := range parts {
			out = append(out, part...)
		}
		return strings.Join(out, " ")
	}
	o.do("p moves %s = %s & %s = %s", all[1], join(others[:at], lines[i:j], others[at:]), all[0], join(lines[:i], lines[j:]))
	if rng.IntN(3) == 0 {
		o.do("check worktree")
	}
	o.do("~ git add -A && git commit -q -m 'moved over %d'", rng.IntN(1000))
	o.After(0, histories.Hooked)
}

// splitFileOp moves the end of a file into a new one, and commits both.
func (o *oracle) splitFileOp(rng *rand.Rand) {
	all := o.files()
	if len(all) == 0 || o.running() {
		return
	}
	path := histories.Pick(rng, all)
	lines := o.linesOf(path)
	if len(lines) < 4 {
		return
	}
	at := 1 + rng.IntN(len(lines)-2)
	o.do("p moves part%d.txt = %s & %s = %s", rng.IntN(1000), strings.Join(lines[at:], " "), path, strings.Join(lines[:at], " "))
	o.do("~ git add -A && git commit -q -m 'split a file'")
	o.After(0, histories.Hooked)
}

// rewrite does to history what people do by more than one command. The worktree is clean.
func (o *oracle) rewrite(rng *rand.Rand) {
	base := fmt.Sprintf("HEAD~%d", 1+rng.IntN(3))
	if o.run("", "git", "rev-parse", "-q", "--verify", base+"~2").code != nil {
		return
	}
	const old = "refs/keep/old"
	o.do("$ git update-ref %s HEAD", old)
	switch histories.Pick(rng, []string{"soft", "messages", "pick no trailer", "rename", "redo", "split", "filter", "aside", "aside"}) {
	case "soft":
		o.do("~ git reset -q --soft %s && git commit -q -m 'squashed'", base)
	case "messages":
		o.do("~ m=$(git log --reverse --format='* %%B' %s..) && git reset -q --soft %s && git commit -q -m \"squashed (#1)\" -m \"$m\"", base, base)
	case "pick no trailer":
		o.aside(rng, base)
		o.do("~ git cherry-pick -n %s && git commit -q -m picked || git reset -q --hard", old)
	case "aside":
		o.aside(rng, base)
		o.do("~ git %s", histories.Pick(rng, []string{"cherry-pick " + old + " || git cherry-pick --abort", "merge -q --no-ff --no-edit " + old + " || git merge --abort",
			"merge -q --squash " + old + " && git commit -q -m 'Feature (#2)' || git reset -q --hard"}))
	case "rename":
		if all := o.files(); len(all) > 0 {
			o.do("~ git mv %s moved%d.txt && git commit -q -m renamed", histories.Pick(rng, all), rng.IntN(1000))
		}
	case "redo":
		o.do("~ git reset -q --hard %s && git checkout -q %s -- . && git commit -q -m again", base, old)
	case "split":
		if o.movesLines() {
			return // of lines that one commit loses and another one has, nobody can tell that they were moved
		}
		o.do("~ git reset -q HEAD~1 && git add -A -- dir && git commit -q -m 'one half'")
		o.do("~ git add -A && git commit -q -m 'the other half'")
	case "filter":
		o.do("~ git -c core.hooksPath=/dev/null filter-branch -f --msg-filter 'sed /^Entire-/d' -- %s.. >/dev/null 2>&1", base)
	}
}

// movesLines reports whether HEAD takes a line out of one file and puts it into another.
func (o *oracle) movesLines() bool {
	path, lost, got := "", map[string]string{}, map[string]string{}
	for line := range strings.Lines(o.git("diff", "--no-renames", "-U0", "HEAD~1", "HEAD", "--", "*.txt")) {
		switch mark := markOf(line[1:]); {
		case strings.HasPrefix(line, "diff "):
			path = line
		case line[0] == '-':
			lost[mark] = path
		case line[0] == '+':
			got[mark] = path
		}
	}
	for mark, path := range got {
		if by, _ := marked(mark + " x"); by != "" && lost[mark] != "" && lost[mark] != path {
			return true
		}
	}
	return false
}

// aside goes back to base, where somebody goes on.
func (o *oracle) aside(rng *rand.Rand, base string) {
	o.do("~ git reset -q --hard %s", base)
	o.h.Change(nil, 0, rng)
	o.do("~ git add -A && git commit -q -m 'main goes on'")
}
