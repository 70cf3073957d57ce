package lineage

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"entire/internal/git"
	"entire/internal/lineage/gitblame"
)

// history is the commits of a range with the files that each changed. It follows lines
// through them in memory.
type history struct {
	r        *Resolver
	list     []git.Commit // newest first
	commits  map[git.OID]*rangeCommit
	parents  map[git.OID][]link     // of each commit
	children map[git.OID][]link     // of each commit and of those at which the range begins, oldest first
	blobs    map[string][]git.OID   // the versions of each path, some of them twice
	aligned  map[[2]git.OID][]int32 // by the blobs of the older and the newer version
	merged   map[link]*files        // what differs between a merge and its parent
}

// link is a commit of the range with one of its parents.
type link struct {
	child  *rangeCommit
	parent git.OID
}

type rangeCommit struct {
	*commit
	files *files // nil for a merge
}

// files are changed files, by their path after and before the change.
type files struct{ after, before map[string]renamedChange }

func filesOf(changes []renamedChange) *files {
	f := &files{after: make(map[string]renamedChange, len(changes)), before: make(map[string]renamedChange, len(changes))}
	for _, ch := range changes {
		if ch.NewMode != 0 {
			f.after[ch.Path] = ch
		}
		if ch.OldMode != 0 {
			f.before[ch.oldPath()] = ch
		}
	}
	return f
}

// commitsBetween reads the commits that head has and base has not, with one git process.
func (r *Resolver) commitsBetween(ctx context.Context, base, head git.OID) (*history, error) {
	h := &history{r: r, commits: map[git.OID]*rangeCommit{}, parents: map[git.OID][]link{}, children: map[git.OID][]link{},
		blobs: map[string][]git.OID{}, aligned: map[[2]git.OID][]int32{}, merged: map[link]*files{}}
	out, err := r.repo.Run(ctx, "-c", "log.showRoot=true", "log", "--format=%H", "-z", "-M", "--raw", "--no-abbrev", "--diff-merges=off", "--no-relative",
		"--no-show-signature", "--no-color", "--no-ext-diff", "--ignore-submodules=none", head.String(), "^"+base.String(), "--")
	if err != nil {
		return nil, err
	}
	oids, changes, err := parseLog(out)
	if err != nil {
		return nil, err
	}
	if err := r.load(ctx, oids); err != nil {
		return nil, err
	}
	for i, oid := range oids {
		c := &rangeCommit{commit: r.commits[oid]}
		if c.commit == nil {
			continue
		}
		h.list, h.commits[oid] = append(h.list, c.Commit), c
		for _, p := range c.Parents {
			h.parents[oid] = append(h.parents[oid], link{c, p})
			h.children[p] = slices.Insert(h.children[p], 0, link{c, p})
		}
		if len(c.Parents) < 2 {
			c.files = filesOf(changes[i])
			r.note(c.commit, changes[i])
			for _, ch := range changes[i] {
				h.blobs[ch.Path] = append(h.blobs[ch.Path], ch.Old, ch.New)
			}
		}
	}
	return h, nil
}

// parseLog reads the output of git log -z --raw --format=%H.
func parseLog(out []byte) (oids []git.OID, changes [][]renamedChange, err error) {
	for len(out) > 0 {
		name, rest, _ := bytes.Cut(out, []byte{0})
		oid, err := git.ParseOID(string(name))
		if err != nil {
			return nil, nil, fmt.Errorf("read git log: %w", err)
		}
		var list []renamedChange
		rest, found := bytes.CutPrefix(rest, []byte{'\n'})
		for found && bytes.HasPrefix(rest, []byte{':'}) {
			var ch renamedChange
			if ch, rest, err = cutRenamed(rest); err != nil {
				return nil, nil, fmt.Errorf("read git log: %w", err)
			}
			list = append(list, ch)
		}
		oids, changes, out = append(oids, oid), append(changes, list), rest
	}
	return oids, changes, nil
}

// note keeps what a commit changed, so that it is not looked for again.
func (r *Resolver) note(c *commit, changes []renamedChange) {
	var parent git.OID
	if len(c.Parents) > 0 {
		parent = c.Parents[0]
	}
	for _, ch := range changes {
		was := git.Change{Path: ch.oldPath(), OldMode: ch.OldMode, Old: ch.Old}
		if ch.from == "" {
			was.NewMode, was.New = ch.NewMode, ch.New
		} else {
			c.note(git.Change{Path: ch.Path, NewMode: ch.NewMode, New: ch.New})
		}
		c.note(was)
		if ch.NewMode != git.ModeGitlink {
			r.blobs[versionKey{c.OID, ch.Path}] = ch.New
		}
		if ch.OldMode != git.ModeGitlink && r.commits[parent] != nil {
			r.blobs[versionKey{parent, ch.oldPath()}] = ch.Old
		}
	}
	slices.SortFunc(c.changes, func(a, b git.Change) int { return strings.Compare(a.Path, b.Path) })
	c.diffed = true
}

func (c *commit) note(ch git.Change) {
	if !strings.HasPrefix(ch.Path, ".entire/") {
		c.changes = append(c.changes, ch)
	}
}

// counterpart is a file in a neighbouring commit. of gives for each line its line there, or -1;
// nil if the text is the same.
type counterpart struct {
	at versionKey
	of []int32
}

// place is a line of a version.
type place struct {
	at   versionKey
	line int // from 1
}

// follow follows lines of a version from commit to commit, back or forth, as long as a commit of the
// range has them, and returns where each ends.
func (h *history) follow(ctx context.Context, at versionKey, lines []int, back bool) ([]place, error) {
	type group struct {
		at    versionKey
		asked []int // indexes in lines
	}
	out := make([]place, len(lines))
	first := group{at: at, asked: make([]int, len(lines))}
	for i, line := range lines {
		first.asked[i], out[i].line = i, line
	}
	for todo := []group{first}; len(todo) > 0; {
		g := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		here, next, err := h.next(ctx, g.at, back)
		if err != nil {
			return nil, err
		}
		for _, n := range next {
			onward := group{at: n.at}
			g.asked = slices.DeleteFunc(g.asked, func(i int) bool {
				there := n.line(out[i].line)
				if there > 0 {
					out[i].line, onward.asked = there, append(onward.asked, i)
				}
				return there > 0
			})
			if len(onward.asked) > 0 {
				todo = append(todo, onward)
			}
		}
		for _, i := range g.asked {
			out[i].at = here
		}
	}
	return out, nil
}

// line returns the line that is the given one in the neighbour; 0 for none.
func (n counterpart) line(line int) int {
	switch {
	case n.of == nil:
		return line
	case line > len(n.of):
		return 0
	}
	return int(n.of[line-1]) + 1
}

// next returns the version's counterparts in the commit's parents (back) or children. It first skips
// the commits that did not change the file. A counterpart with the same text has all of the lines;
// otherwise the first that has a line counts.
func (h *history) next(ctx context.Context, at versionKey, back bool) (here versionKey, out []counterpart, err error) {
	links := h.linksOf(at.commit, back)
	for len(links) == 1 && links[0].child.files != nil {
		if _, changed := links[0].child.files.by(back)[at.path]; changed {
			break
		}
		at.commit = links[0].end(back)
		links = h.linksOf(at.commit, back)
	}
	var changes []renamedChange
	for _, l := range links {
		ch, there, err := h.change(ctx, l, at.path, back)
		if err != nil {
			return at, nil, err
		}
		if !there {
			continue
		}
		path := ch.Path
		if back {
			path = ch.oldPath()
		}
		changes, out = append(changes, ch), append(out, counterpart{at: versionKey{l.end(back), path}})
		if ch.Old == ch.New {
			return at, out[len(out)-1:], nil
		}
	}
	for i, ch := range changes {
		if out[i].of, err = h.align(ctx, ch.Old, ch.New); err != nil {
			return at, nil, err
		}
		if !back {
			out[i].of = inverse(out[i].of)
		}
	}
	return at, out, nil
}

func (h *history) linksOf(commit git.OID, back bool) []link {
	if back {
		return h.parents[commit]
	}
	return h.children[commit]
}

// end returns the parent (back) or the child.
func (l link) end(back bool) git.OID {
	if back {
		return l.parent
	}
	return l.child.OID
}

// by returns the files by their path after (back) or before the change.
func (f *files) by(back bool) map[string]renamedChange {
	if back {
		return f.after
	}
	return f.before
}

// change returns how a commit changed a file of its own (back) or of its parent; there is false
// if the other of the two commits does not have the file.
func (h *history) change(ctx context.Context, l link, path string, back bool) (ch renamedChange, there bool, err error) {
	known := l.child.files
	if known == nil {
		was, is := versionKey{l.parent, path}, versionKey{l.child.OID, path}
		if err := h.r.load(ctx, []git.OID{l.parent}); err != nil {
			return ch, false, err
		}
		if err := h.r.locate(ctx, []versionKey{was, is}); err != nil {
			return ch, false, err
		}
		if old, new := h.r.blobs[was], h.r.blobs[is]; !old.IsZero() && !new.IsZero() {
			return renamedChange{Change: git.Change{Path: path, Old: old, New: new}}, true, nil
		}
		if known, err = h.mergedFrom(ctx, l); err != nil {
			return ch, false, err
		}
	}
	if ch, changed := known.by(back)[path]; changed {
		return ch, ch.OldMode != 0 && ch.NewMode != 0, nil
	}
	return renamedChange{Change: git.Change{Path: path}}, l.child.files != nil, nil
}

// mergedFrom returns the files that differ between a merge and a parent.
func (h *history) mergedFrom(ctx context.Context, l link) (*files, error) {
	if h.merged[l] == nil {
		list, err := h.r.renames(ctx, l.parent, l.child.OID)
		if err != nil {
			return nil, err
		}
		h.merged[l] = filesOf(list)
	}
	return h.merged[l], nil
}

// align returns for each line of the newer version its line in the older one, or -1.
func (h *history) align(ctx context.Context, older, newer git.OID) ([]int32, error) {
	key := [2]git.OID{older, newer}
	if of, known := h.aligned[key]; known {
		return of, nil
	}
	texts, err := h.r.texts(ctx, older, newer)
	if err != nil {
		return nil, err
	}
	of := []int32{}
	if texts != nil {
		of = h.r.compared.Kept(texts[0], texts[1])
	}
	h.aligned[key] = of
	return of, nil
}

func inverse(of []int32) []int32 {
	out := []int32{}
	for j, i := range of {
		for int(i) >= len(out) {
			out = append(out, -1)
		}
		if i >= 0 {
			out[i] = int32(j)
		}
	}
	return out
}

// describe returns a version's commit with the parent in which the file is found first.
func (h *history) describe(ctx context.Context, at versionKey) (*gitblame.Commit, error) {
	b := &gitblame.Commit{OID: at.commit, Path: at.path}
	for _, l := range h.parents[at.commit] {
		ch, there, err := h.change(ctx, l, at.path, true)
		if err != nil || there {
			b.Parent, b.ParentPath = l.parent, ch.oldPath()
			return b, err
		}
	}
	return b, nil
}
