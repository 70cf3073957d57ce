package attribsuite

import (
	"fmt"
	"strings"
)

// rewrite does to history what people do. The worktree is clean.
func (o *oracle) rewrite() {
	n := 1 + o.IntN(3)
	base := fmt.Sprintf("HEAD~%d", n)
	if o.run("", "git", "rev-parse", "-q", "--verify", base+"~2").code != nil {
		return
	}
	const old = "refs/keep/old"
	o.do("$ git update-ref %s HEAD", old)
	switch o.pick("amend", 3, "reword", 2, "soft", 2, "messages", 2, "rebase", 3, "squash merge", 2, "cherry-pick", 2,
		"pick no trailer", 1, "revert", 2, "rename", 2, "redo", 2, "merge", 2, "fixup", 2, "split", 2, "file split", 1, "filter", 1, "switch", 1, "reset", 1) {
	case "amend":
		o.edits("p", 1)
		o.do("~ git commit -q -a --amend --no-edit")
	case "reword":
		o.do("~ git commit -q --amend -m 'another message'")
	case "soft":
		o.do("~ git reset -q --soft %s && git commit -q -m 'squashed'", base)
	case "messages":
		o.do("~ m=$(git log --reverse --format='* %%B' %s..) && git reset -q --soft %s && git commit -q -m \"squashed (#1)\n\n$m\"", base, base)
	case "rebase":
		o.aside(base, func() {
			o.do("~ git checkout -q -B side %s && { git rebase -q main || git rebase --abort; } && git checkout -q -B main", old)
		})
	case "squash merge":
		o.aside(base, func() {
			o.do("~ git merge -q --squash %s && git commit -q -m 'Feature (#2)' || git reset -q --hard", old)
		})
	case "cherry-pick":
		o.aside(base, func() { o.do("~ git cherry-pick %s || git cherry-pick --abort", old) })
	case "pick no trailer":
		o.aside(base, func() {
			o.do("~ git cherry-pick -n %s && git commit -q -m picked || git reset -q --hard", old)
		})
	case "revert":
		o.do("~ git revert --no-edit HEAD || git revert --abort")
		if o.IntN(2) == 0 {
			o.do("check")
			o.do("~ git revert --no-edit HEAD || git revert --abort")
		}
	case "rename":
		if all := o.files(); len(all) > 0 {
			o.do("~ git mv %s moved%d.txt && git commit -q -m renamed", all[o.IntN(len(all))], o.IntN(1000))
		}
	case "redo":
		o.do("~ git reset -q --hard %s && git checkout -q %s -- . && git commit -q -m again", base, old)
	case "merge":
		o.aside(base, func() { o.do("~ git merge -q --no-ff --no-edit %s || git merge --abort", old) })
	case "fixup":
		o.edits("p", 1)
		o.do("~ git commit -q -a --fixup HEAD~1 && { git -c sequence.editor=true rebase -q -i --autosquash HEAD~3 || git rebase --abort; }")
	case "split":
		if strings.HasPrefix(o.git("log", "-1", "--format=%s"), "moved over") {
			return // of lines that one commit loses and a later one has, nobody can tell that they were moved
		}
		o.do("~ git reset -q HEAD~1 && git add -A -- dir && git commit -q -m 'one half'")
		o.do("~ git add -A && git commit -q -m 'the other half'")
	case "file split":
		o.splitFile()
	case "filter":
		o.do("~ git -c core.hooksPath=/dev/null filter-branch -f --msg-filter 'sed /^Entire-/d' -- %s.. >/dev/null 2>&1", base)
	case "switch":
		o.do("~ git checkout -q -b other %s && git checkout -q main", base)
		o.do("~ git branch -q -D other")
	case "reset":
		o.do("~ git reset -q --hard %s", base)
	}
}

// aside goes back to base, where somebody has gone on, and does something there.
func (o *oracle) aside(base string, do func()) {
	o.do("~ git reset -q --hard %s", base)
	o.edits("p", 1)
	o.do("~ git add -A && git commit -q -m 'main goes on'")
	do()
}

// splitFile moves the end of a file into a new one.
func (o *oracle) splitFile() {
	all := o.files()
	if len(all) == 0 {
		return
	}
	path := all[o.IntN(len(all))]
	lines := o.read(path)
	if len(lines) < 4 {
		return
	}
	at := 1 + o.IntN(len(lines)-2)
	o.do("p part%d.txt = %s", o.IntN(1000), joined(lines[at:]))
	o.do("p %s = %s", path, joined(lines[:at]))
	o.do("~ git add -A && git commit -q -m 'split a file'")
}
