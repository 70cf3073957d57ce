package attribsuite

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"entire/internal/histories"
)

const wrongOwner = "wrong owner"

// verdict counts judged lines. Of those untold nobody could know more than that they
// are unknown.
type verdict struct{ right, wrong, unknown, untold int }

func (v *verdict) add(o verdict) {
	v.right, v.wrong, v.unknown, v.untold = v.right+o.right, v.wrong+o.wrong, v.unknown+o.unknown, v.untold+o.untold
}

// judge compares what blame says of a line with who wrote it. A line that nobody
// can know has to be unknown.
func judge(got owner, who string, turn int) verdict {
	switch {
	case who == "." || who == "":
		return verdict{}
	case got.who == "?" && who != "?":
		return verdict{unknown: 1}
	case got.who != who || turn > 0 && got.turn > 0 && got.turn != turn:
		return verdict{wrong: 1}
	}
	return verdict{right: 1}
}

// ownersAre judges a file by the list of owners that follows its path: as tokens,
// with *N for N lines in a row, A/2 for a turn, and . for a line that may be
// anybody's.
func (w *world) ownersAre(rest string) {
	file, list, _ := strings.Cut(rest, ": ")
	args := fields(file)
	path, rev := unquoted(args[0]), ""
	if len(args) > 1 {
		rev = args[1]
	}
	var want []string
	for _, f := range fields(list) {
		who, times, _ := strings.Cut(f, "*")
		n, err := strconv.Atoi(times)
		if err != nil {
			n = 1
		}
		for range n {
			want = append(want, who)
		}
	}
	got := w.owners(path, rev)
	if len(got) != len(want) {
		histories.Fail("owners", "%s has %d lines, not %d", path, len(got), len(want))
	}
	var said []string
	for i, g := range got {
		who, number, _ := strings.Cut(want[i], "/")
		turn, _ := strconv.Atoi(number)
		v := judge(g, who, turn)
		w.verdict.add(v)
		w.countLeague(who, g, path)
		said = append(said, g.say(v))
	}
	w.said = append(w.said, path+": "+strings.Join(runs(said), " "))
}

// say is the owner as a word; a wrong one has an exclamation mark.
func (o owner) say(v verdict) string {
	s := o.who
	if v.wrong > 0 {
		s = fmt.Sprintf("!%s/%d(%s)", s, o.turn, o.told.Evidence)
	}
	return s
}

func runs(list []string) (out []string) {
	for i := 0; i < len(list); {
		n := 1
		for i+n < len(list) && list[i+n] == list[i] {
			n++
		}
		if n < 4 {
			out = append(out, list[i:i+n]...)
		} else {
			out = append(out, fmt.Sprintf("%s*%d", list[i], n))
		}
		i += n
	}
	return out
}

// check judges all files by the marks of their lines: those of HEAD, or of the
// worktree.
func (w *world) check(where string) {
	w.t.Helper()
	list, rev := "ls-tree -rz --name-only HEAD", "HEAD"
	if where == "worktree" {
		list, rev = "ls-files -z", ""
	}
	r := w.run("", "git", strings.Fields(list)...)
	for path := range strings.SplitSeq(strings.TrimSuffix(r.out, "\x00"), "\x00") {
		if !strings.HasSuffix(path, ".txt") {
			continue
		}
		text := ""
		if rev == "" {
			if !w.Exists(path) {
				continue
			}
			text = w.Read(path)
		} else {
			text = w.run("", "git", "show", rev+":"+path).out
		}
		if text != "" {
			w.checkFile(path, rev, text)
		}
	}
}

func (w *world) checkFile(path, rev, text string) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	got := w.owners(path, rev)
	if len(got) != len(lines) {
		histories.Fail("owners", "%s has %d lines, not %d", path, len(got), len(lines))
	}
	var said []string
	wrong := false
	for i, g := range got {
		who, turn := marked(lines[i])
		if k := w.talks[who]; k != nil {
			turn = k.Turns[turn]
		}
		v := judge(g, who, turn)
		if who == "?" { // nobody's business
			v.right = 0
		}
		if untold := w.untold[markOf(lines[i])]; v.unknown > 0 && untold != nil && *untold {
			v = verdict{untold: 1}
		}
		// One of two equal lines is a copy, such as a settled conflict may leave, and nobody can tell which: one may be wrong.
		if v.wrong > 0 && (twinHolds(lines, got, i, who, turn) || who == "?" && g.who == "p" && w.copied(g, path, lines[i])) {
			v = verdict{untold: 1}
		}
		w.verdict.add(v)
		w.countLeague(who, g, path)
		if chatty && v.unknown > 0 {
			fmt.Fprintf(os.Stderr, "unknown (%s): %s %s %.8s %s\n", g.told.Evidence, path, rev, g.told.Commit, lines[i])
		}
		wrong = wrong || v.wrong > 0
		said = append(said, fmt.Sprintf("%-24s %s", g.say(v), lines[i]))
	}
	if wrong {
		histories.Fail(wrongOwner, "%s", path+" "+rev+"\n"+strings.Join(said, "\n"))
	}
}

// twinHolds reports whether a line that is equal to the i-th has no wrong owner.
func twinHolds(lines []string, got []owner, i int, who string, turn int) bool {
	for k, line := range lines {
		if k != i && line == lines[i] && judge(got[k], who, turn).wrong == 0 {
			return true
		}
	}
	return false
}

// copied reports whether the commit that brought a line has it in another file, too. A line that is older than the tool
// may be the person's who copied it.
func (w *world) copied(o owner, path, line string) bool {
	return w.run("", "git", "grep", "-q", "-F", "-e", line, o.told.Commit, "--", "*.txt", ":(exclude)"+path).code == nil
}
