package walk

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// branches of each worktree, made and used in turn.
var branches = [2][]string{{"main", "b1", "b2"}, {"side", "s1"}}

func (w *walk) anyBranch(rng *rand.Rand) string {
	all := slices.Concat(branches[0], branches[1])
	return all[rng.IntN(len(all))]
}

func (w *walk) branchOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	name := branches[wt][1+rng.IntN(len(branches[wt])-1)]
	w.git(wt, "checkout", "-q", "-B", name)
	w.moved(wt)
}

func (w *walk) switchOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	name := branches[wt][rng.IntN(len(branches[wt]))]
	if rng.IntN(2) == 0 {
		w.git(wt, "switch", "-q", name)
	} else {
		w.git(wt, "checkout", "-q", name)
	}
	w.moved(wt)
}

func (w *walk) detachOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	if n := rng.IntN(2); w.deep(wt, n) {
		w.git(wt, "checkout", "-q", "--detach", fmt.Sprintf("HEAD~%d", n))
	}
	w.moved(wt)
}

// mergeOp merges a branch; conflicts are resolved, or the merge given up.
func (w *walk) mergeOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	w.before(wt)
	args := []string{"merge", "-q", "-m", w.subject(), w.anyBranch(rng)}
	if rng.IntN(3) == 0 {
		args = append(args, "--no-ff")
	}
	if w.git(wt, args...).code != 0 && w.inMerge(wt) {
		if rng.IntN(4) == 0 {
			w.git(wt, "merge", "--abort")
		} else {
			w.resolve(wt, rng)
			w.commits(command{wt: wt, args: []string{"git", "commit", "-q", "--no-edit"}}, merged)
			return
		}
	}
	w.after(wt, merged)
}

func (w *walk) inMerge(wt int) bool { return w.twin.object(w.refOf(wt, "MERGE_HEAD")).kind != "" }

// refOf names a pseudo ref of a worktree.
func (w *walk) refOf(wt int, name string) string {
	if wt == 0 {
		return name
	}
	return "worktrees/" + worktrees[wt] + "/" + name
}

// resolve settles every conflict: both sides' lines and one of the person's,
// or one side alone.
func (w *walk) resolve(wt int, rng *rand.Rand) {
	stages := map[string][4]file{}
	var paths []string
	for _, entry := range strings.Split(w.twin.git(wt, "ls-files", "-u", "-z"), "\x00") {
		meta, path, ok := strings.Cut(entry, "\t")
		if !ok {
			continue
		}
		if base, _, aside := strings.Cut(path, "~"); aside { // named for a commit, which differs between the sides
			w.git(wt, "rm", "-q", "-f", "--", base+"~*")
			continue
		}
		fields := strings.Fields(meta)
		all, known := stages[path]
		if !known {
			paths = append(paths, path)
		}
		all[fields[2][0]-'0'] = file{modeOf(fields[0]), w.twin.object(fields[1]).data}
		stages[path] = all
	}
	for _, path := range paths {
		ours, theirs := stages[path][2], stages[path][3]
		f := ours
		switch rng.IntN(4) {
		case 0:
			f = theirs
		case 1:
		default:
			if ours.mode != "" && theirs.mode != "" && ours.mode != "link" && theirs.mode != "link" {
				f = w.blend(ours, theirs)
			}
		}
		w.put(wt, path, f)
		w.git(wt, "add", "-A", "--", path)
	}
}

// blend is a resolution that has the lines of both, and one of its own.
func (w *walk) blend(ours, theirs file) file {
	have, text := lines(ours), ours.text
	for line := range strings.Lines(theirs.text) {
		if !have[strings.TrimSuffix(line, "\n")] {
			text += line
		}
	}
	return file{ours.mode, text + w.line("pp") + "\n"}
}

// squashOp takes a branch over as one commit.
func (w *walk) squashOp(rng *rand.Rand) {
	wt, branch := w.anyWorktree(rng), w.anyBranch(rng)
	w.folded = map[string]bool{} // git's message lists them all, be their content here already or not
	if w.real.commit(branch).id != "" {
		for _, id := range strings.Fields(w.real.git(wt, "rev-list", "HEAD.."+branch)) {
			for _, cp := range trailers(w.real.commit(id).message) {
				w.folded[cp] = true
			}
		}
	}
	defer func() { w.folded = nil }()
	if w.git(wt, "merge", "-q", "--squash", branch).code != 0 {
		w.resolve(wt, rng)
	}
	c := w.commitCommand(wt)
	if rng.IntN(2) == 0 {
		c.args = append(c.args, "--no-edit")
	} else {
		c.args = append(c.args, "-m", w.subject())
	}
	w.commits(c, squashed)
}

// until carries a sequence of git's through its conflicts.
func (w *walk) until(wt int, what string, rng *rand.Rand, code int) {
	for n := 0; code != 0 && n < 12 && w.inSequence(wt); n++ {
		if n == 0 && rng.IntN(4) == 0 || n == 11 {
			w.git(wt, what, "--abort")
			return
		}
		w.resolve(wt, rng)
		c := command{wt: wt, args: []string{"git", what, "--continue"}, env: []string{"GIT_EDITOR=true"}}
		if code = w.both(c).code; code != 0 && w.inSequence(wt) && w.twin.git(wt, "ls-files", "-u") == "" {
			code = w.git(wt, what, "--skip").code // nothing is left of it
		}
	}
}

func (w *walk) rebaseOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	if len(w.heads(wt)) == 0 {
		return // on no branch
	}
	w.before(wt)
	args := []string{"rebase", "-q"}
	if rng.IntN(2) == 0 {
		args = append(args, "--autostash")
	}
	args = append(args, w.anyBranch(rng))
	w.until(wt, "rebase", rng, w.git(wt, args...).code)
	w.settleConflicts(wt, rng)
	w.after(wt, copied)
}

// settleConflicts resolves what applying an autostash left.
func (w *walk) settleConflicts(wt int, rng *rand.Rand) {
	if w.twin.git(wt, "ls-files", "-u") != "" {
		w.resolve(wt, rng)
		w.git(wt, "reset", "-q")
	}
}

func (w *walk) cherryPickOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	w.before(wt)
	code := w.git(wt, "cherry-pick", fmt.Sprintf("%s~%d", w.anyBranch(rng), rng.IntN(3))).code
	w.until(wt, "cherry-pick", rng, code)
	w.after(wt, copied)
}

func (w *walk) revertOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	n := rng.IntN(2)
	if !w.deep(wt, n+1) {
		return
	}
	w.before(wt)
	code := w.git(wt, "revert", "--no-edit", fmt.Sprintf("HEAD~%d", n)).code
	w.until(wt, "revert", rng, code)
	w.reverting = true
	w.after(wt, copied)
	w.reverting = false
}

func (w *walk) resetOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	how := []string{"--soft", "--mixed", "--hard"}[rng.IntN(3)]
	n := 1 + rng.IntN(2)
	if !w.deep(wt, n) {
		return
	}
	w.git(wt, "reset", "-q", how, fmt.Sprintf("HEAD~%d", n))
	w.moved(wt)
}

// pullOp takes in what somebody else has pushed.
func (w *walk) pullOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	path := []string{"theirs.txt", "a.txt", "dir/c.txt"}[rng.IntN(3)]
	line := w.line("ee")
	w.clock++
	w.inBoth(func(s *side) {
		text := s.object("refs/remotes/origin/main:"+path).data + line + "\n"
		stream := fmt.Sprintf("commit refs/heads/main\ncommitter Else <else@example.com> %d +0000\ndata %d\n%s\nfrom refs/heads/main^0\nM 644 inline %s\ndata %d\n%s\ndone\n",
			1767225600+60*w.clock, len(line), line, path, len(text), text)
		o, err := s.run(command{sub: "../remote.git", stdin: stream, args: []string{"git", "fast-import", "--quiet", "--done"}})
		if err != nil || o.code != 0 {
			panic(failure{"run", fmt.Sprint(err, o)})
		}
	})
	w.before(wt)
	if rng.IntN(2) == 0 {
		if w.git(wt, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main").code != 0 && w.inMerge(wt) {
			w.resolve(wt, rng)
			w.commits(command{wt: wt, args: []string{"git", "commit", "-q", "--no-edit"}}, merged)
			return
		}
		w.after(wt, merged)
		return
	}
	w.until(wt, "rebase", rng, w.git(wt, "pull", "-q", "--rebase", "origin", "main").code)
	w.after(wt, copied)
}

func (w *walk) gcOp(*rand.Rand) {
	w.reachable()
	w.git(0, "gc", "-q", "--prune=now")
}

// inSequence reports a rebase, cherry-pick or revert under way.
func (w *walk) inSequence(wt int) bool {
	for _, name := range []string{"rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD"} {
		if _, err := os.Lstat(filepath.Join(w.twin.gitDir(wt), name)); err == nil {
			return true
		}
	}
	return false
}

// deep reports that n commits below HEAD there is one with the first files.
func (w *walk) deep(wt, n int) bool {
	c := w.real.commit(w.real.head(wt))
	for ; n > 0 && len(c.parents) > 0; n-- {
		c = w.real.commit(c.parents[0])
	}
	return len(c.parents) > 0
}
