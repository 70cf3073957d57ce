package histories

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// moves runs git, which makes no commit.
func (p *Player) moves(wt int, args ...string) Outcome {
	p.Before(wt)
	out := p.git(wt, args...)
	p.After(wt, Copied)
	return out
}

func (p *Player) anyBranch(rng *rand.Rand) string { return Pick(rng, slices.Concat(p.Branches...)) }

func (p *Player) branch(rng *rand.Rand) {
	wt := p.anyWorktree(rng)
	p.moves(wt, "checkout", "-q", "-B", Pick(rng, p.Branches[wt][1:]))
}

func (p *Player) switchTo(rng *rand.Rand) {
	wt := p.anyWorktree(rng)
	p.moves(wt, Pick(rng, []string{"switch", "checkout"}), "-q", Pick(rng, p.Branches[wt]))
}

func (p *Player) detach(rng *rand.Rand) {
	wt := p.anyWorktree(rng)
	if n := rng.IntN(2); p.Deep(wt, n) {
		p.moves(wt, "checkout", "-q", "--detach", fmt.Sprintf("HEAD~%d", n))
	}
}

// merge merges a branch. It resolves conflicts, or gives up.
func (p *Player) merge(rng *rand.Rand) {
	wt := p.anyWorktree(rng)
	p.Before(wt)
	args := []string{"merge", "-q", "-m", p.subject(), p.anyBranch(rng)}
	if rng.IntN(3) == 0 {
		args = append(args, "--no-ff")
	}
	p.Merging(wt, rng, p.git(wt, args...).Code)
}

// Merging finishes a merge that ended with a code.
func (p *Player) Merging(wt int, rng *rand.Rand, code int) {
	if code != 0 && p.Repo.Object(p.Repo.Ref(wt, "MERGE_HEAD")).Kind != "" {
		if rng.IntN(4) == 0 {
			p.git(wt, "merge", "--abort")
		} else {
			p.resolve(wt, rng)
			p.commits(Command{WT: wt, Args: []string{"git", "commit", "-q", "--no-edit"}}, Merged)
			return
		}
	}
	p.After(wt, Merged)
}

// mergeNoCommit begins a merge, which may stop at conflicts, or ends one.
func (p *Player) mergeNoCommit(rng *rand.Rand) {
	begin := []string{"merge", "-q", "--no-commit", p.anyBranch(rng)}
	p.moves(p.anyWorktree(rng), Pick(rng, [][]string{begin, begin, {"merge", "--abort"}})...)
}

// squash takes a branch over as one commit.
func (p *Player) squash(rng *rand.Rand) {
	wt, branch := p.anyWorktree(rng), p.anyBranch(rng)
	if p.Repo.Commit(branch).ID != "" {
		p.Folding(wt, "HEAD.."+branch, 0)
	}
	if p.git(wt, "merge", "-q", "--squash", branch).Code != 0 {
		p.resolve(wt, rng)
	}
	c := commitIn(wt)
	if rng.IntN(2) == 0 {
		c.Args = append(c.Args, "--no-edit")
	} else {
		c.Args = append(c.Args, "-m", p.subject())
	}
	p.commits(c, Squashed)
}

func (p *Player) rebase(rng *rand.Rand) {
	wt := p.anyWorktree(rng)
	if !p.onBranch(wt) {
		return
	}
	p.Before(wt)
	args := []string{"rebase", "-q"}
	if rng.IntN(2) == 0 {
		args = append(args, "--autostash")
	}
	p.Finishing(wt, "rebase", rng, p.git(wt, append(args, p.anyBranch(rng))...).Code)
	p.settleConflicts(wt, rng)
	p.After(wt, Copied)
}

func (p *Player) cherryPick(rng *rand.Rand) {
	wt := p.anyWorktree(rng)
	p.Before(wt)
	p.Finishing(wt, "cherry-pick", rng, p.git(wt, "cherry-pick", fmt.Sprintf("%s~%d", p.anyBranch(rng), rng.IntN(3))).Code)
	p.After(wt, Copied)
}

func (p *Player) revert(rng *rand.Rand) {
	wt, n := p.anyWorktree(rng), rng.IntN(2)
	if !p.Deep(wt, n+1) {
		return
	}
	p.Before(wt)
	p.Finishing(wt, "revert", rng, p.git(wt, "revert", "--no-edit", fmt.Sprintf("HEAD~%d", n)).Code)
	p.After(wt, Reverted)
}

func (p *Player) reset(rng *rand.Rand) {
	wt, n := p.anyWorktree(rng), 1+rng.IntN(2)
	if p.Deep(wt, n) {
		p.moves(wt, "reset", "-q", Pick(rng, []string{"--soft", "--mixed", "--hard"}), fmt.Sprintf("HEAD~%d", n))
	}
}

// fold is an interactive rebase of the last commits.
func (p *Player) fold(rng *rand.Rand) {
	wt, n := p.anyWorktree(rng), 2+rng.IntN(2)
	if !p.Deep(wt, n) || !p.onBranch(wt) {
		return
	}
	kind := Pick(rng, []string{"squash", "fixup", "fixup", "reword", "drop"})
	line, less := 2, 1
	if kind == "drop" || kind == "reword" {
		line = 1
	}
	if kind == "reword" {
		less = 0
	}
	p.Before(wt)
	base := fmt.Sprintf("HEAD~%d", n)
	p.Folding(wt, base+"..HEAD", less)
	code := p.Git(Command{WT: wt, Args: []string{"git", "rebase", "-q", "-i", "--autostash", base},
		Env: []string{fmt.Sprintf("GIT_SEQUENCE_EDITOR=sed -i -e '%ds/^pick/%s/'", line, kind), "GIT_EDITOR=true"}}).Code
	p.Finishing(wt, "rebase", rng, code)
	p.settleConflicts(wt, rng)
	if code == 0 && kind != "drop" {
		p.After(wt, Folded)
	} else {
		p.After(wt, Copied)
	}
}

// Finishing carries a rebase, cherry-pick or revert that ended with a code through its conflicts, or gives it up.
func (p *Player) Finishing(wt int, what string, rng *rand.Rand, code int) {
	for n := 0; code != 0 && n < 12 && p.inSequence(wt); n++ {
		if n == 0 && rng.IntN(4) == 0 || n == 11 {
			p.git(wt, what, "--abort")
			return
		}
		p.resolve(wt, rng)
		code = p.Git(Command{WT: wt, Args: []string{"git", what, "--continue"}, Env: []string{"GIT_EDITOR=true"}}).Code
		if code != 0 && p.inSequence(wt) && !p.conflicts(wt) {
			code = p.git(wt, what, "--skip").Code // nothing is left of it
		}
	}
}

// settleConflicts resolves what applying an autostash left.
func (p *Player) settleConflicts(wt int, rng *rand.Rand) {
	if p.conflicts(wt) {
		p.resolve(wt, rng)
		p.git(wt, "reset", "-q")
	}
}

func (p *Player) conflicts(wt int) bool { return p.Repo.Git(wt, "ls-files", "-u") != "" }

// resolve settles every conflict: both sides' lines and one of the person's, or one side alone.
func (p *Player) resolve(wt int, rng *rand.Rand) {
	stages := map[string][4]File{}
	var paths []string
	for _, entry := range strings.Split(p.Repo.Git(wt, "ls-files", "-u", "-z"), "\x00") {
		meta, path, ok := strings.Cut(entry, "\t")
		if !ok {
			continue
		}
		if base, _, aside := strings.Cut(path, "~"); aside { // named for a commit, whose ID no other repository has
			p.git(wt, "rm", "-q", "-f", "--", base+"~*")
			continue
		}
		fields := strings.Fields(meta)
		all, known := stages[path]
		if !known {
			paths = append(paths, path)
		}
		all[fields[2][0]-'0'] = File{modeOf(fields[0]), p.Repo.Object(fields[1]).Data}
		stages[path] = all
	}
	for _, path := range paths {
		f, theirs := stages[path][2], stages[path][3]
		switch rng.IntN(4) {
		case 0:
			f = theirs
		case 1:
		default:
			if f.IsText() && theirs.IsText() {
				f.Text = p.blend(f.Text, theirs.Text)
			}
		}
		p.Edit(nil, wt, []Edit{{Path: path, Old: p.Files(wt)[path], Now: f}})
		p.git(wt, "add", "-A", "--", path)
	}
}

// blend is a resolution that has the lines of both, and one of its own. A line that one side indented is there once.
func (p *Player) blend(ours, theirs string) string {
	have := slices.Collect(strings.Lines(ours))
	for line := range strings.Lines(theirs) {
		if !slices.ContainsFunc(have, func(had string) bool { return strings.TrimSpace(had) == strings.TrimSpace(line) }) {
			have = append(have, line)
		}
	}
	return strings.Join(append(have, p.Line(nil)+"\n"), "")
}

// inSequence reports a rebase, cherry-pick or revert under way.
func (p *Player) inSequence(wt int) bool {
	return slices.ContainsFunc([]string{"rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD"}, func(name string) bool {
		_, err := os.Lstat(filepath.Join(p.Repo.GitDir(wt), name))
		return err == nil
	})
}

// Deep reports that n commits below HEAD there is one with the first files, and not behind First.
func (p *Player) Deep(wt, n int) bool {
	c := p.Repo.Commit(p.Repo.Head(wt))
	for ; n > 0 && len(c.Parents) > 0; n-- {
		if c.ID == p.First {
			return false
		}
		c = p.Repo.Commit(c.Parents[0])
	}
	return len(c.Parents) > 0
}

// onBranch reports a HEAD that is not detached.
func (p *Player) onBranch(wt int) bool {
	data, err := os.ReadFile(filepath.Join(p.Repo.GitDir(wt), "HEAD"))
	return err == nil && strings.HasPrefix(string(data), "ref: ")
}
