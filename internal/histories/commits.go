package histories

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
)

// subject is one that no other commit has.
func (p *Player) subject() string {
	p.subjects++
	forms := []string{"c%d: say what changed", "feat(walk): part %d", "Fix: the %dth thing", "Part %d öf the work", "Plain %d"}
	return fmt.Sprintf(forms[p.subjects%len(forms)], p.subjects)
}

// anyPath is mostly one that HEAD has otherwise.
func (p *Player) anyPath(wt int, rng *rand.Rand) string {
	if dirty := Changed(p.HeadFiles(wt), p.Files(wt)); len(dirty) > 0 && rng.IntN(5) > 0 {
		return Pick(rng, dirty)
	}
	return Pick(rng, p.Names)
}

func (p *Player) add(rng *rand.Rand) {
	wt := p.anyWorktree(rng)
	if rng.IntN(3) == 0 {
		p.addAll(wt)
	} else {
		p.git(wt, "add", "--", p.anyPath(wt, rng))
	}
}

func (p *Player) addAll(wt int) { p.git(wt, "add", "-A", "--", ".", ":!nested") }

// stage is a person at work on the index.
func (p *Player) stage(rng *rand.Rand) {
	wt, path := p.anyWorktree(rng), Pick(rng, p.Names)
	p.git(wt, Pick(rng, [][]string{{"add", "-A", "--", path}, {"add", "-N", "--", path}, {"rm", "-q", "--cached", "--ignore-unmatch", "--", path},
		{"add", "-u"}, {"add", "-A", "--", ".", ":!nested"}, {"reset", "-q"}, {"add", "-f", "--", path}})...)
}

func commitIn(wt int) Command { return Command{WT: wt, Args: []string{"git", "commit", "-q"}} }

// withMessage gives a commit its message in one of many ways.
func (p *Player) withMessage(c Command, rng *rand.Rand) Command {
	body := p.subject()
	switch rng.IntN(3) {
	case 0:
		body += "\n\nWhy: because.\nAnd more."
	case 1:
		body += "\n\nA paragraph.\n\nSigned-off-by: Tess Ter <tess@example.com>"
	}
	switch rng.IntN(6) {
	case 0:
		c.Args, c.Stdin = append(c.Args, "-F", "-"), body+"\n"
	case 1:
		c.Env = append(c.Env, "GIT_EDITOR=walk-editor", "WALK_SUBJECT="+body)
	case 2:
		c.Args = append(c.Args, "-v")
		c.Env = append(c.Env, "GIT_EDITOR=walk-editor", "WALK_SUBJECT="+body)
	default:
		c.Args = append(c.Args, "-m", body)
	}
	if rng.IntN(8) == 0 {
		c.Args = append(c.Args, "--no-verify")
	}
	c.Env = append(c.Env, fmt.Sprintf("ENTIRE_TEST_TTY=%d", rng.IntN(2)))
	return c
}

func (p *Player) commitAll(rng *rand.Rand) {
	wt := p.anyWorktree(rng)
	p.addAll(wt)
	p.commits(p.withMessage(commitIn(wt), rng), Hooked)
}

func (p *Player) commitTracked(rng *rand.Rand) {
	c := commitIn(p.anyWorktree(rng))
	c.Args = append(c.Args, "-a")
	if rng.IntN(3) == 0 && p.Files(c.WT)["dir/c.txt"].Mode != "" {
		c.Sub = "dir"
	}
	p.commits(p.withMessage(c, rng), Hooked)
}

func (p *Player) commitPath(rng *rand.Rand) {
	c := commitIn(p.anyWorktree(rng))
	path := p.anyPath(c.WT, rng)
	if rng.IntN(2) == 0 {
		p.git(c.WT, "add", "-N", "--", path)
	}
	c = p.withMessage(c, rng)
	c.Args = append(c.Args, "--", path)
	p.commits(c, Hooked)
}

func (p *Player) commitStaged(rng *rand.Rand) {
	c := commitIn(p.anyWorktree(rng))
	if rng.IntN(2) == 0 {
		p.git(c.WT, "add", "--", p.anyPath(c.WT, rng))
	}
	p.commits(p.withMessage(c, rng), Hooked)
}

// commitHunk is `git add -p` with some of one file's hunks, then a commit.
func (p *Player) commitHunk(rng *rand.Rand) {
	c := commitIn(p.anyWorktree(rng))
	parts := strings.Split(p.Repo.Git(c.WT, "diff", "--unified=0", "--no-renames", "--", p.anyPath(c.WT, rng)), "\n@@ ")
	if len(parts) > 1 && !strings.Contains(parts[0], "mode ") {
		some := parts[0] + "\n"
		for i, hunk := range parts[1:] {
			if i == 0 && len(parts) == 2 || rng.IntN(2) == 0 {
				some += "@@ " + strings.TrimSuffix(hunk, "\n") + "\n"
			}
		}
		p.Git(Command{WT: c.WT, Stdin: some, Args: []string{"git", "apply", "--cached", "--unidiff-zero", "-"}})
	}
	p.commits(p.withMessage(c, rng), Hooked)
}

func (p *Player) commitEmpty(rng *rand.Rand) {
	c := commitIn(p.anyWorktree(rng))
	c.Args = append(c.Args, "--allow-empty")
	p.commits(p.withMessage(c, rng), Hooked)
}

// commitIndex is a program that commits with an index of its own.
func (p *Player) commitIndex(rng *rand.Rand) {
	c := commitIn(p.anyWorktree(rng))
	path := p.anyPath(c.WT, rng)
	rel, err := filepath.Rel(p.Repo.Dir(c.WT), filepath.Join(p.Repo.GitDir(c.WT), "walk.index"))
	Check("setup", err)
	env := []string{"GIT_INDEX_FILE=" + rel}
	p.Git(Command{WT: c.WT, Env: env, Args: []string{"git", "read-tree", "HEAD"}})
	p.Git(Command{WT: c.WT, Env: env, Args: []string{"git", "add", "-A", "--", path}})
	c = p.withMessage(c, rng)
	c.Env = append(c.Env, env...)
	p.commits(c, Hooked)
	p.git(c.WT, "reset", "-q")
}

// commitUnhooked is a commit that no hook hears of.
func (p *Player) commitUnhooked(rng *rand.Rand) {
	wt := p.anyWorktree(rng)
	p.addAll(wt)
	p.commits(Command{WT: wt, Args: []string{"git", "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", p.subject()}}, Unhooked)
}

// commitUnlinked is a person who takes the trailer out in the editor.
func (p *Player) commitUnlinked(rng *rand.Rand) {
	wt := p.anyWorktree(rng)
	p.addAll(wt)
	c := commitIn(wt)
	c.Env = append(c.Env, "GIT_EDITOR=walk-editor", "WALK_SUBJECT="+p.subject(), "WALK_UNLINK=1")
	p.commits(c, Unlinked)
}

func (p *Player) amend(rng *rand.Rand) {
	c := commitIn(p.anyWorktree(rng))
	switch rng.IntN(3) {
	case 0:
		p.addAll(c.WT)
	case 1:
		p.git(c.WT, "add", "--", p.anyPath(c.WT, rng))
	}
	c.Args = append(c.Args, "--amend")
	switch {
	case rng.IntN(2) == 0:
		c.Args = append(c.Args, "-m", p.subject())
	case rng.IntN(2) == 0:
		c.Env = append(c.Env, "GIT_EDITOR=walk-editor")
	default:
		c.Args = append(c.Args, "--no-edit")
	}
	p.commits(c, Amended)
}

// discard is a person throwing changes away.
func (p *Player) discard(rng *rand.Rand) {
	wt := p.anyWorktree(rng)
	p.git(wt, Pick(rng, [][]string{{"reset", "-q", "--hard"}, {"checkout", "-q", "HEAD", "--", p.anyPath(wt, rng)}, {"restore", "--", p.anyPath(wt, rng)}})...)
}

func (p *Player) stash(rng *rand.Rand) {
	wt := p.anyWorktree(rng)
	p.moves(wt, append([]string{"stash", "push", "-q", "-m", p.subject()}, Pick(rng, [][]string{nil, {"-u"}, {"--keep-index"}})...)...)
}

func (p *Player) pop(rng *rand.Rand) {
	wt := p.anyWorktree(rng)
	if p.moves(wt, "stash", "pop", "-q").Code != 0 && p.conflicts(wt) {
		p.resolve(wt, rng)
		p.git(wt, "reset", "-q")
		p.git(wt, "stash", "drop", "-q")
	}
}
