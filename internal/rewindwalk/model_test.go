package rewindwalk

import (
	"maps"
	"strings"

	"entire/internal/histories"
)

// ignores reports whether rules, as .gitignore has them, ignore a path. It knows
// just the forms that the histories use.
func ignores(rules, p string) bool {
	ignored := false
	for line := range strings.Lines(rules) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "*.log":
			ignored = ignored || strings.HasSuffix(p, ".log")
		case line == "out/":
			ignored = ignored || histories.Below(p, "out")
		case line == "thing":
			ignored = ignored || p == "thing" || histories.Below(p, "thing")
		case strings.HasPrefix(line, "/"):
			ignored = ignored || p == line[1:]
		case line == "!own.log" && p == "own.log":
			ignored = false
		}
	}
	return ignored
}

func rulesOf(files histories.Tree) string {
	f := files[".gitignore"]
	if f.Mode == "link" {
		return ""
	}
	return f.Text
}

// captured are the paths of which a step holds what stands there: what git has in
// its index or in HEAD, and what is not ignored.
func (h *history) captured(files histories.Tree) map[string]bool {
	known := map[string]bool{}
	for _, p := range strings.Split(h.git("ls-files", "-z"), "\x00") {
		known[p] = true
	}
	out := map[string]bool{}
	for p, f := range files {
		_, committed := h.commit[h.head][p]
		switch {
		case f.Mode == "pipe", histories.Below(p, "nested"):
		case known[p], committed, !ignores(rulesOf(files), p):
			out[p] = true
		}
	}
	return out
}

func only(files histories.Tree, paths map[string]bool) histories.Tree {
	out := histories.Tree{}
	for p := range paths {
		out[p] = files[p]
	}
	return out
}

// outcome is what a rewind must come to.
type outcome struct {
	files   histories.Tree
	kept    map[string]bool // what differs from the point, and is left alone
	refused string          // the path that somebody has to decide about
	vague   bool            // nobody can say
	either  map[string]bool // paths at which nobody can
	unsure  map[string]bool // paths of which the steps say something else than what was there

	target  histories.Tree // what was to be reached
	missing map[string]bool
}

// wholeTree is what becomes of the files when all of the worktree goes back to a
// moment: what was there is there again, what was not is gone, and whatever no
// step has is left alone and not written over. A moment whose work a commit has taken goes back
// whole on any commit.
func (h *history) wholeTree(m *moment, now histories.Tree, taken bool) outcome {
	target := m.files
	if m.head != h.head && !taken {
		var clash string
		if target, clash = brought(h.commit[m.head], m.files, h.commit[h.head], m.missing); clash != "" {
			return outcome{refused: clash}
		}
	}
	o := h.reach(target, now, h.captured(now), m.missing)
	o.either = m.hidden
	return o
}

// brought is what a moment changed, put on top of another commit, also where that commit changed the same file: the walk
// always asks for the whole tree. Of what it could not hold nobody knows.
func brought(was, moment, head histories.Tree, missing map[string]bool) (out histories.Tree, clash string) {
	out = histories.Tree{}
	maps.Copy(out, head)
	for _, p := range histories.Changed(was, moment) {
		if missing[p] {
			continue
		}
		if moment[p].Mode == "" {
			delete(out, p)
		} else {
			out[p] = moment[p]
		}
	}
	for p := range out {
		for q := range out {
			if histories.Below(q, p) {
				return nil, q
			}
		}
	}
	return out, ""
}

// reach is what can be reached of a target, of which some paths are not known.
func (h *history) reach(target, now histories.Tree, mine, missing map[string]bool) outcome {
	o := outcome{files: histories.Tree{}, kept: map[string]bool{}, target: target, missing: missing}
	for p, f := range now {
		want, wanted := target[p]
		switch {
		case !mine[p]:
			o.files[p] = f
			if wanted && want != f {
				o.kept[p] = true
			}
		case missing[p]:
			o.files[p], o.kept[p] = f, true
		case !wanted && ignores(rulesOf(target), p):
			o.files[p], o.kept[p] = f, true
		}
	}
	left := histories.Sorted(o.files)
	for p, f := range target {
		if _, stays := o.files[p]; stays || missing[p] {
			continue
		}
		if inTheWay(left, p) {
			o.kept[p] = true
			continue
		}
		o.files[p] = f
	}
	return o
}

// inTheWay reports a path at which a folder stands that must stay, or which lies
// below a file that must.
func inTheWay(left []string, p string) bool {
	for _, k := range left {
		if histories.Below(k, p) || histories.Below(p, k) {
			return true
		}
	}
	return false
}
