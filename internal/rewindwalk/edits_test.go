package rewindwalk

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"entire/agent"
)

// names are the paths that are worked at: some lie where others would be folders.
var names = []string{"a.txt", "b.txt", "dir/c.txt", "dir/d.txt", "run.sh", "link", "n1", "n2", "sub/s", "sub/deep/t", "thing", "thing/x", "thing/y.log",
	"own.log", "dir/z.log", "out/o", "out/p.log", "secret", "dir", "odd \"name\n", "-rf", "side.txt"}

// rules are the lines that .gitignore may have.
var rules = []string{"*.log", "out/", "/secret", "thing", "/dir/d.txt", "!own.log"}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// mark is a line like no other.
func (h *history) mark(who string) string {
	h.marks++
	return fmt.Sprintf("%s %d", who, h.marks)
}

// change is something that somebody does to a file; it returns the paths.
func (h *history) change(rng *rand.Rand, who string) []string {
	files := bare(read(h.top))
	path := pick(rng, names)
	f, there := files[path]
	text := there && (f.mode == "644" || f.mode == "755")
	switch n := rng.IntN(20); {
	case n < 9 && text:
		h.put(path, file{f.mode, h.edited(rng, who, f.text)})
	case n == 9 && text:
		h.put(path, file{map[string]string{"644": "755", "755": "644"}[f.mode], f.text})
	case n == 10 && there:
		h.put(path, file{})
	case n == 11 && text:
		to := pick(rng, names)
		if to == path || below(to, path) || below(path, to) || h.reachable(to) {
			return nil
		}
		h.put(path, file{})
		h.put(to, f)
		h.note("   %s renames %s to %s", who, path, to)
		return []string{path, to}
	case n == 12:
		h.put(path, file{"link", pick(rng, []string{"a.txt", "../outside/secret", "../outside/in", "sub", "nowhere", h.root + "/outside/secret"})})
	case n == 13:
		h.put(path, file{pick(rng, []string{"644", "755"}), pick(rng, []string{"", "no end of line", "crlf\r\n" + h.mark(who) + "\r\n", "bin\x00" + h.mark(who), "\xff\xfe" + h.mark(who) + "\n"})})
	case n == 14 && rng.IntN(4) == 0:
		h.put(path, file{"pipe", ""})
	case n == 15 && rng.IntN(3) == 0:
		path = pick(rng, []string{"nested/file", "nested/new"})
		h.put(path, file{"644", h.mark(who) + "\n"})
	default:
		var lines []string
		for range 2 + rng.IntN(8) {
			lines = append(lines, h.mark(who)+"\n")
		}
		if text { // as many editors save
			h.put(path, file{f.mode, h.edited(rng, who, f.text)})
			break
		}
		h.put(path, file{pick(rng, []string{"644", "644", "755"}), strings.Join(lines, "")})
	}
	h.note("   %s changes %s", who, path)
	return []string{path}
}

// edited is a text with some lines added, taken out or replaced.
func (h *history) edited(rng *rand.Rand, who, text string) string {
	lines := strings.SplitAfter(text, "\n")
	for range 1 + rng.IntN(2) {
		at := rng.IntN(len(lines))
		switch n := rng.IntN(4); {
		case n == 0 && len(lines) > 2:
			lines = slices.Delete(lines, at, at+1)
		case n == 1 && len(lines) > 1:
			lines[at] = h.mark(who) + "\n"
		default:
			lines = slices.Insert(lines, at, h.mark(who)+"\n")
		}
	}
	return strings.Join(lines, "")
}

func (h *history) turnOp(rng *rand.Rand) {
	s := pick(rng, h.sessions)
	h.begin(s)
	h.works(rng, s)
	h.end(s)
}

func (h *history) promptOp(rng *rand.Rand) { h.begin(pick(rng, h.sessions)) }

func (h *history) workOp(rng *rand.Rand) {
	if s := pick(rng, h.sessions); s.active {
		h.works(rng, s)
	}
}

func (h *history) stopOp(rng *rand.Rand) {
	if s := pick(rng, h.sessions); s.active {
		h.end(s)
	}
}

func (h *history) begin(s *sess) {
	s.lines++
	prompt := fmt.Sprintf("Prompt %d of %s", s.lines, s.id)
	h.note("   %s is asked", s.id)
	h.event(agent.TurnStart, s, prompt)
	h.say(s, "user", prompt)
	s.active, s.cut = true, false
	if h.sessions[0].active && h.sessions[1].active {
		h.blurred = true
	}
}

// works are some changes, of which the transcript tells or does not.
func (h *history) works(rng *rand.Rand, s *sess) {
	for range 1 + rng.IntN(3) {
		paths := h.change(rng, s.id.String())
		if rng.IntN(2) == 0 {
			for _, p := range paths {
				h.tells(s, p)
			}
		}
	}
}

func (h *history) end(s *sess) {
	h.note("   %s ends", s.id)
	h.say(s, "assistant", "done")
	h.event(agent.TurnEnd, s, "")
	s.active, s.cut = false, false
	h.blurred = h.blurred && (h.sessions[0].active || h.sessions[1].active)
}

func (h *history) editOp(rng *rand.Rand) {
	for range 1 + rng.IntN(3) {
		h.change(rng, "person")
	}
}

func (h *history) rulesOp(rng *rand.Rand) {
	var text string
	for _, rule := range rules {
		if rng.IntN(3) == 0 {
			text += rule + "\n"
		}
	}
	h.note("   ignored: %q", text)
	h.put(".gitignore", file{"644", text})
}

// stageOp is a person at work on the index.
func (h *history) stageOp(rng *rand.Rand) {
	path := pick(rng, names)
	args := pick(rng, [][]string{{"add", "-A", "--", path}, {"add", "-N", "--", path}, {"rm", "-q", "--cached", "--ignore-unmatch", "--", path},
		{"add", "-u"}, {"add", "-A", "--", ":!nested"}, {"reset", "-q"}, {"add", "-f", "--", path}})
	_, err := h.tryGit(args...)
	h.note("   git %q: %v", args, err)
}

func (h *history) stashOp(rng *rand.Rand) {
	out, err := h.tryGit(pick(rng, [][]string{{"stash", "-q"}, {"stash", "pop", "-q"}, {"stash", "-q", "-k"}})...)
	h.note("   stash: %v %s", err, out)
	h.moved()
	h.forget()
}

// mergeOp begins a merge, which may stop at conflicts, or ends one.
func (h *history) mergeOp(rng *rand.Rand) {
	args := pick(rng, [][]string{{"merge", "-q", "--no-commit", "side"}, {"merge", "-q", "--no-commit", "side"}, {"merge", "--abort"}})
	_, err := h.tryGit(args...)
	h.note("   git %q: %v", args, err)
	h.moved()
	h.forget()
}
