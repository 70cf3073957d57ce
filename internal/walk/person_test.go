package walk

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// names are all the paths a walk may use: few, so that everything meets.
var names = []string{"a.txt", "b.txt", "dir/c.txt", "dir/d.txt", "dir/sub/e.txt", "sp ace/ü.txt",
	"n1.txt", "n2.txt", "dir/n3.txt", "new dir/n4.txt", "lnk", "run.sh"}

// tracked is how many of names the first commit has.
const tracked = 6

// edit is one path that somebody changed.
type edit struct {
	path     string
	old, now file
}

// line is a line unlike any other, by somebody.
func (w *walk) line(who string) string {
	w.lineCount++
	words := strings.Fields("buffer cache client codec cursor digest driver event filter frame handler index kernel")
	return fmt.Sprintf("%s %d the %s of the %s", who, w.lineCount, words[w.lineCount%13], words[w.lineCount*5%13])
}

// change is somebody changing one file, or two by a rename, on both sides.
func (w *walk) change(wt int, who string, rng *rand.Rand) []edit {
	now := w.real.worktree(wt)
	path := names[rng.IntN(len(names))]
	old := now[path]
	var edits []edit
	switch n := rng.IntN(20); {
	case old.mode == "" || old.mode == "link" && n < 12:
		text := ""
		for range 1 + rng.IntN(5) {
			text += w.line(who) + "\n"
		}
		edits = []edit{{path, old, file{"644", text}}}
		if n == 0 {
			edits[0].now = file{"link", w.line(who)}
		}
	case n < 13:
		edits = []edit{{path, old, file{old.mode, w.edited(old.text, who, rng)}}}
	case n < 15:
		edits = []edit{{path, old, file{}}}
	case n < 17 && old.mode != "link":
		edits = []edit{{path, old, file{map[string]string{"644": "755", "755": "644"}[old.mode], old.text}}}
	case n < 18:
		edits = []edit{{path, old, file{"link", w.line(who)}}}
	default:
		to := names[rng.IntN(len(names))]
		if now[to].mode != "" {
			edits = []edit{{path, old, file{}}}
			break
		}
		edits = []edit{{path, old, file{}}, {to, file{}, old}}
	}
	for _, e := range edits {
		w.put(wt, e.path, e.now)
		w.note("%d> %s %s: %q -> %s %q", wt, who, e.path, e.old.mode, e.now.mode, missingLines(e.old, e.now))
	}
	return edits
}

func missingLines(old, now file) []string {
	return slices.Sorted(maps.Keys(atoms("", old, now)))
}

// edited is a text after one edit.
func (w *walk) edited(text, who string, rng *rand.Rand) string {
	all := strings.SplitAfter(text, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	at := rng.IntN(len(all) + 1)
	switch n := rng.IntN(6); {
	case n == 0 && at < len(all) && len(all) > 1:
		all = slices.Delete(all, at, at+1)
	case n < 3 && at < len(all):
		all[at] = w.line(who) + "\n"
	case n == 3:
		all = append(all, w.line(who)+"\n", w.line(who)+"\n")
	case n == 4:
		all = slices.Insert(all, 0, w.line(who)+"\n")
	default:
		all = slices.Insert(all, at, w.line(who)+"\n")
	}
	return strings.Join(all, "")
}

func (w *walk) editOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	for range 1 + rng.IntN(2) {
		w.change(wt, "pp", rng)
	}
}

// anyWorktree is mostly the main one, where two sessions work.
func (w *walk) anyWorktree(rng *rand.Rand) int { return max(0, rng.IntN(3)-1) }

func (w *walk) anyPath(wt int, rng *rand.Rand) string {
	if dirty := changed(w.headTree(wt), w.real.worktree(wt)); len(dirty) > 0 && rng.IntN(5) > 0 {
		return dirty[rng.IntN(len(dirty))]
	}
	return names[rng.IntN(len(names))]
}

func (w *walk) addOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	if rng.IntN(3) == 0 {
		w.git(wt, "add", "-A")
	} else {
		w.git(wt, "add", "--", w.anyPath(wt, rng))
	}
}

// subject is one that no other commit has.
func (w *walk) subject() string {
	w.subjects++
	forms := []string{"c%d: say what changed", "feat(walk): part %d", "Fix: the %dth thing", "Part %d öf the work", "Plain %d"}
	return fmt.Sprintf(forms[w.subjects%len(forms)], w.subjects)
}

func (w *walk) commitCommand(wt int) command {
	return command{wt: wt, args: []string{"git", "commit", "-q"}}
}

// withMessage gives a commit its message in one of many ways.
func (w *walk) withMessage(c command, rng *rand.Rand) command {
	subject := w.subject()
	body := subject
	switch rng.IntN(3) {
	case 0:
		body += "\n\nWhy: because.\nAnd more."
	case 1:
		body += "\n\nA paragraph.\n\nSigned-off-by: Tess Ter <tess@example.com>"
	}
	switch rng.IntN(6) {
	case 0:
		c.args, c.stdin = append(c.args, "-F", "-"), body+"\n"
	case 1:
		c.env = append(c.env, "GIT_EDITOR=walk-editor", "WALK_SUBJECT="+body)
	case 2:
		c.args = append(c.args, "-v")
		c.env = append(c.env, "GIT_EDITOR=walk-editor", "WALK_SUBJECT="+body)
	default:
		c.args = append(c.args, "-m", body)
	}
	if rng.IntN(8) == 0 {
		c.args = append(c.args, "--no-verify")
	}
	c.env = append(c.env, fmt.Sprintf("ENTIRE_TEST_TTY=%d", rng.IntN(2)))
	return c
}

func (w *walk) commitAllOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	w.git(wt, "add", "-A")
	w.commits(w.withMessage(w.commitCommand(wt), rng), hooked)
}

func (w *walk) commitTrackedOp(rng *rand.Rand) {
	c := w.commitCommand(w.anyWorktree(rng))
	c.args = append(c.args, "-a")
	if rng.IntN(3) == 0 && w.real.worktree(c.wt)["dir/c.txt"].mode != "" {
		c.sub = "dir"
	}
	w.commits(w.withMessage(c, rng), hooked)
}

func (w *walk) commitPathOp(rng *rand.Rand) {
	c := w.commitCommand(w.anyWorktree(rng))
	path := w.anyPath(c.wt, rng)
	if rng.IntN(2) == 0 {
		w.git(c.wt, "add", "-N", "--", path)
	}
	c = w.withMessage(c, rng)
	c.args = append(c.args, "--", path)
	w.commits(c, hooked)
}

func (w *walk) commitStagedOp(rng *rand.Rand) {
	c := w.commitCommand(w.anyWorktree(rng))
	if rng.IntN(2) == 0 {
		w.git(c.wt, "add", "--", w.anyPath(c.wt, rng))
	}
	w.commits(w.withMessage(c, rng), hooked)
}

// commitHunkOp is `git add -p` with some of one file's hunks, then a commit.
func (w *walk) commitHunkOp(rng *rand.Rand) {
	c := w.commitCommand(w.anyWorktree(rng))
	path := w.anyPath(c.wt, rng)
	patch := w.twin.git(c.wt, "diff", "--unified=0", "--no-renames", "--", path)
	parts := strings.Split(patch, "\n@@ ")
	if len(parts) > 1 && !strings.Contains(parts[0], "mode ") {
		some := parts[0] + "\n"
		for i, hunk := range parts[1:] {
			if i == 0 && len(parts) == 2 || rng.IntN(2) == 0 {
				some += "@@ " + strings.TrimSuffix(hunk, "\n") + "\n"
			}
		}
		w.both(command{wt: c.wt, stdin: some, args: []string{"git", "apply", "--cached", "--unidiff-zero", "-"}})
	}
	w.commits(w.withMessage(c, rng), hooked)
}

func (w *walk) commitEmptyOp(rng *rand.Rand) {
	c := w.commitCommand(w.anyWorktree(rng))
	c.args = append(c.args, "--allow-empty")
	w.commits(w.withMessage(c, rng), hooked)
}

// commitUnhookedOp is a commit of which entire hears nothing.
func (w *walk) commitUnhookedOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	w.git(wt, "add", "-A")
	c := command{wt: wt, args: []string{"git", "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", w.subject()}}
	w.commits(c, unhooked)
	for _, s := range w.sessions {
		s.unheard = s.unheard || s.wt == wt
	}
}

// commitUnlinkedOp is a person who takes the trailer out in the editor.
func (w *walk) commitUnlinkedOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	w.git(wt, "add", "-A")
	c := w.commitCommand(wt)
	c.env = append(c.env, "GIT_EDITOR=walk-editor", "WALK_SUBJECT="+w.subject(), "WALK_UNLINK=1")
	w.commits(c, unhooked)
}

func (w *walk) amendOp(rng *rand.Rand) {
	c := w.commitCommand(w.anyWorktree(rng))
	switch rng.IntN(3) {
	case 0:
		w.git(c.wt, "add", "-A")
	case 1:
		w.git(c.wt, "add", "--", w.anyPath(c.wt, rng))
	}
	c.args = append(c.args, "--amend")
	switch {
	case rng.IntN(2) == 0:
		c.args = append(c.args, "-m", w.subject())
	case rng.IntN(2) == 0:
		c.env = append(c.env, "GIT_EDITOR=walk-editor")
	default:
		c.args = append(c.args, "--no-edit")
	}
	w.commits(c, amended)
}

// discardOp is a person throwing changes away.
func (w *walk) discardOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	switch rng.IntN(3) {
	case 0:
		w.git(wt, "reset", "-q", "--hard")
	case 1:
		w.git(wt, "checkout", "-q", "HEAD", "--", w.anyPath(wt, rng))
	default:
		w.git(wt, "restore", "--", w.anyPath(wt, rng))
	}
}

func (w *walk) stashOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	args := []string{"stash", "push", "-q", "-m", w.subject()}
	switch rng.IntN(3) {
	case 0:
		args = append(args, "-u")
	case 1:
		args = append(args, "--keep-index")
	}
	w.git(wt, args...)
}

func (w *walk) popOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	if w.git(wt, "stash", "pop", "-q").code != 0 && w.twin.git(wt, "ls-files", "-u") != "" {
		w.resolve(wt, rng)
		w.git(wt, "reset", "-q")
		w.git(wt, "stash", "drop", "-q")
	}
}
