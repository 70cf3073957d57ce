package attribsuite

import (
	"fmt"
	"math/rand/v2"

	"path"
	"slices"
	"strings"
	"testing"
	"unicode"

	"entire/internal/histories"
	"entire/internal/testrepo"
)

// turnsPlayed is how many commits of a public repository are played after one another: each as a turn of an agent, or
// as what a person edits.
const turnsPlayed = 4

// TestPublicTurns plays commits of public repositories as turns of two agents and as edits of a person, with git
// commands between them, and compares blame with that of git in a repository where each of them is a commit of its own.
// PUBLIC_TURNS says how often, and PUBLIC_TURNS_SEED which.
func TestPublicTurns(t *testing.T) {
	wanted := histories.Number("PUBLIC_TURNS", 0)
	if wanted == 0 {
		t.Skip("PUBLIC_TURNS says how many; it gets public histories from the Go module proxy")
	}
	all, seed := publicHistories(t), uint64(histories.Number("PUBLIC_TURNS_SEED", 1))
	all = slices.DeleteFunc(all, func(h *publicHistory) bool { return h.name == "rumpkernel/rumprun-xen" }) // lacks objects of branches
	var total verdict
	for n := range uint64(wanted) {
		rng := rand.New(rand.NewPCG(seed, n))
		h := all[rng.IntN(len(all))]
		t.Run(fmt.Sprintf("%s/%d", h.name, n), func(t *testing.T) {
			commits := strings.Fields(h.git("rev-list", "--no-merges", "--reverse", h.line[len(h.line)-1]))
			from := 1 + rng.IntN(len(commits)-turnsPlayed-1)
			r := &publicTurns{t: t, h: h, rng: rng, w: newWorld(t), apart: testrepo.New(t)}
			defer func() {
				if v := recover(); v != nil {
					t.Fatalf("%v\n%s", v, strings.Join(r.did, "\n"))
				}
			}()
			if !r.play(commits[from : from+turnsPlayed]) {
				t.Skip("a commit that cannot be played")
			}
			v := r.judge()
			if total.add(v); v.wrong > 0 {
				t.Errorf("%d lines have a wrong owner; from %s on:\n%s", v.wrong, commits[from], strings.Join(append(r.did, r.w.said...), "\n"))
			}
		})
	}
	fmt.Printf("%d right, %d wrong, %d unknown; lines with the letters of an older text are not judged\n", total.right, total.wrong, total.unknown)
}

// publicTurns is one such history.
type publicTurns struct {
	t     *testing.T
	h     *publicHistory
	rng   *rand.Rand
	w     *world
	apart *testrepo.Repo // each step is a commit of its author, as git's blame tells it
	paths []string
	texts []string // the letters and digits of all files, after each step
	by    []string // who did each step
	did   []string
}

func (r *publicTurns) play(commits []string) bool {
	changes := make([][]fileChange, len(commits))
	for i, c := range commits {
		changes[i] = r.h.changes(c)
		for _, ch := range changes[i] {
			if !ch.gone && !ch.agentCanWrite() || strings.ContainsAny(ch.path, " \"'\\[") || strings.HasPrefix(ch.path, ".") || len(changes[i]) > maxPullFiles {
				return false
			}
			if !slices.Contains(r.paths, ch.path) {
				r.paths = append(r.paths, ch.path)
			}
		}
	}
	for _, p := range r.paths {
		if r.h.git("ls-tree", commits[0]+"^", "--", p) != "" {
			text := r.h.git("show", commits[0]+"^:"+p)
			r.w.Write(p, text)
			r.apart.Write(p, text)
		}
	}
	r.commitApart("p")
	r.w.enable()
	r.w.commit("use entire")
	for i := range commits {
		r.step(changes[i])
	}
	if r.w.Git("status", "--porcelain") != "" {
		r.do("commit all")
	}
	r.rewrite()
	return true
}

// do plays a statement of the notation.
func (r *publicTurns) do(statement string) {
	r.did = append(r.did, statement)
	r.w.play(statement)
}

func (r *publicTurns) commitApart(who string) {
	r.apart.Git("add", "-A")
	r.apart.Git("commit", "-q", "--allow-empty", "--author", who+" <x>", "-m", "step")
	var all strings.Builder
	for _, p := range r.paths {
		if r.apart.Exists(p) {
			all.WriteString(lettersOf(r.apart.Read(p)))
		}
	}
	r.texts, r.by = append(r.texts, all.String()), append(r.by, who)
}

// step is a turn, or what a person edits, and maybe a git command behind it.
func (r *publicTurns) step(changes []fileChange) {
	who, how := histories.Pick(r.rng, []string{"A", "p", "A", "B"}), histories.Pick(r.rng, []string{"edit", "edit", "sh"})
	if who != "p" {
		r.do(who + " prompt")
	}
	for _, c := range changes {
		if c.gone {
			r.do(who + " rm " + c.path)
			r.apart.Remove(c.path)
			continue
		}
		r.did = append(r.did, fmt.Sprintf("%s %s %s", who, how, c.path))
		r.apart.Write(c.path, string(c.text))
		r.w.writes(who, []string{how, c.path}, string(c.text))
	}
	if who != "p" {
		if r.rng.IntN(6) == 0 && r.w.Git("status", "--porcelain") != "" {
			r.do(who + " commit in mid-turn")
		}
		r.do(who + " stop")
	}
	r.commitApart(who)
	if r.w.Git("status", "--porcelain") == "" {
		return
	}
	switch r.rng.IntN(6) {
	case 0:
		r.do("commit some")
	case 1:
		r.do("$ git stash -q -u && git stash pop -q")
	case 2:
		r.do("$ git add -A && git commit -q -m half -- " + strings.Fields(r.w.Git("diff", "--name-only", "HEAD") + " .")[0])
	case 3:
		if r.commits() > 0 {
			r.do("$ git add -A && git commit -q --amend --no-edit")
		}
	}
}

// commits returns how many commits were made since the program was enabled.
func (r *publicTurns) commits() int { return strings.Count(r.w.Git("log", "--format=%s"), "\n") - 1 }

// rewrite squashes or rebases what was committed.
func (r *publicTurns) rewrite() {
	n := r.commits()
	if n < 1 {
		return
	}
	switch r.rng.IntN(5) {
	case 0:
		r.do(fmt.Sprintf("$ git reset -q --soft HEAD~%d && git commit -q -m squashed", n))
	case 1:
		r.do(fmt.Sprintf("$ git checkout -q -b up HEAD~%d && echo up >up.md && git add up.md && git commit -q -m up && git checkout -q - && git rebase -q up", n))
	case 2:
		r.do(fmt.Sprintf("$ git checkout -q -b up HEAD~%d && git merge -q --squash - && git commit -q -m merged", n))
	}
}

// judge compares the owners. It leaves out short lines, and lines with the letters of an older text, which keep their
// owner when they are moved, joined or broken.
func (r *publicTurns) judge() (v verdict) {
	for _, p := range r.paths {
		if !r.w.Exists(p) || !r.apart.Exists(p) || strings.HasPrefix(path.Base(p), ".") {
			continue
		}
		got := r.w.owners(p, "")
		lines := strings.Split(r.apart.Git("blame", "-w", "--line-porcelain", "--", p), "\n")
		var by string
		line := 0
		for _, l := range lines {
			if who, is := strings.CutPrefix(l, "author "); is {
				by = who
			}
			text, is := strings.CutPrefix(l, "\t")
			if !is || line >= len(got) {
				continue
			}
			o := got[line]
			line++
			if r.isNew(text, by) {
				one := judge(o, by, 0)
				if v.add(one); one.wrong > 0 {
					r.w.said = append(r.w.said, fmt.Sprintf("%s:%d is %s's, not %s's (%s): %s", p, line, by, o.who, o.told.Evidence, text))
				}
			}
		}
	}
	return v
}

// isNew reports whether the letters of a line are of one step only, which somebody did.
func (r *publicTurns) isNew(line, by string) bool {
	letters := lettersOf(line)
	if len(letters) < 3 || strings.Contains(r.texts[0], letters) {
		return false
	}
	came := -1
	for i, text := range r.texts[1:] {
		if strings.Contains(text, letters) && !strings.Contains(r.texts[i], letters) {
			if came >= 0 {
				return false
			}
			came = i + 1
		}
	}
	return came > 0 && r.by[came] == by
}

func lettersOf(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return -1
	}, text)
}
