package lineage

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"entire/internal/git"
)

// history is the commits of a range with the files that each changed. It follows lines
// through them in memory.
type history struct {
	r        *Resolver
	list     []git.Commit // newest first
	commits  map[git.OID]*rangeCommit
	edge     map[git.OID]bool       // parents that are not in the range
	blobs    map[string][]git.OID   // the versions of each path, some of them twice
	children map[git.OID][]git.OID  // within the range, oldest first
	aligned  map[[2]git.OID][]int32 // by the blobs of the older and the newer version
	merged   map[[2]git.OID]*files  // what differs between a merge and its parent
	unlinked bool                   // some commit names no checkpoint
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
	h := &history{r: r, commits: map[git.OID]*rangeCommit{}, edge: map[git.OID]bool{}, blobs: map[string][]git.OID{}, children: map[git.OID][]git.OID{},
		aligned: map[[2]git.OID][]int32{}, merged: map[[2]git.OID]*files{}}
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
			h.children[p] = slices.Insert(h.children[p], 0, oid)
		}
		if len(c.Parents) < 2 {
			c.files = filesOf(changes[i])
			r.note(c.commit, changes[i])
			for _, ch := range changes[i] {
				h.blobs[ch.Path] = append(h.blobs[ch.Path], ch.Old, ch.New)
			}
		}
	}
	for parent := range h.children {
		if h.commits[parent] == nil {
			h.edge[parent] = true
		}
	}
	return h, h.locateSettings(ctx)
}

// locateSettings looks for the settings in all commits that name no checkpoint.
func (h *history) locateSettings(ctx context.Context) error {
	var oids []git.OID
	for _, c := range h.commits {
		if len(c.checkpoints) == 0 {
			h.unlinked, oids = true, append(append(oids, c.OID), c.Parents...)
		}
	}
	if err := h.r.load(ctx, oids); err != nil {
		return err
	}
	keys := make([]versionKey, len(oids))
	for i, oid := range oids {
		keys[i] = versionKey{oid, enabledPath}
	}
	return h.r.locate(ctx, keys)
}

// start returns the merge base of the range's base and head; zero if there is none.
func (h *history) start(ctx context.Context, base, head git.OID) (git.OID, error) {
	if len(h.edge) == 1 { // every way out of the range goes through it
		for oid := range h.edge {
			if err := h.r.load(ctx, []git.OID{oid}); err != nil || h.r.commits[oid] != nil {
				return oid, err
			}
		}
	}
	out, err := h.r.repo.Run(ctx, "merge-base", base.String(), head.String())
	if err != nil {
		return git.OID{}, ctx.Err()
	}
	return git.ParseOID(strings.TrimSpace(string(out)))
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

// follow follows lines of a version from commit to commit, as far as neighbours names
// commits that have them, and returns where each ends.
func (h *history) follow(ctx context.Context, at versionKey, lines []int, neighbours func(context.Context, versionKey) (versionKey, []counterpart, error)) ([]place, error) {
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
		here, next, err := neighbours(ctx, g.at)
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

// earlier returns the version and its counterparts in the commit's parents. It first skips the
// commits that did not change the file.
func (h *history) earlier(ctx context.Context, at versionKey) (versionKey, []counterpart, error) {
	c := h.commits[at.commit]
	for c != nil && c.files != nil && len(c.Parents) == 1 {
		if _, changed := c.files.after[at.path]; changed {
			break
		}
		at.commit = c.Parents[0]
		c = h.commits[at.commit]
	}
	if c == nil {
		return at, nil, nil
	}
	var changes []renamedChange
	var keys []versionKey
	for _, parent := range c.Parents {
		if ch, there, err := h.change(ctx, c, parent, at.path, true); err != nil {
			return at, nil, err
		} else if there {
			changes, keys = append(changes, ch), append(keys, versionKey{parent, ch.oldPath()})
		}
	}
	next, err := h.counterparts(ctx, keys, changes, true)
	return at, next, err
}

// later is earlier for the commit's children.
func (h *history) later(ctx context.Context, at versionKey) (versionKey, []counterpart, error) {
	next := h.children[at.commit]
	for len(next) == 1 && h.commits[next[0]].files != nil {
		if _, changed := h.commits[next[0]].files.before[at.path]; changed {
			break
		}
		at.commit = next[0]
		next = h.children[at.commit]
	}
	var changes []renamedChange
	var keys []versionKey
	for _, child := range next {
		if ch, there, err := h.change(ctx, h.commits[child], at.commit, at.path, false); err != nil {
			return at, nil, err
		} else if there {
			changes, keys = append(changes, ch), append(keys, versionKey{child, ch.Path})
		}
	}
	found, err := h.counterparts(ctx, keys, changes, false)
	return at, found, err
}

// change returns how a commit changed a file of its own (back) or of its parent; there is false
// if the other of the two commits does not have the file.
func (h *history) change(ctx context.Context, c *rangeCommit, parent git.OID, path string, back bool) (ch renamedChange, there bool, err error) {
	known := c.files
	if known == nil {
		was, is := versionKey{parent, path}, versionKey{c.OID, path}
		if err := h.r.load(ctx, []git.OID{parent}); err != nil {
			return ch, false, err
		}
		if err := h.r.locate(ctx, []versionKey{was, is}); err != nil {
			return ch, false, err
		}
		if old, new := h.r.blobs[was], h.r.blobs[is]; !old.IsZero() && !new.IsZero() {
			return renamedChange{Change: git.Change{Path: path, OldMode: git.ModeFile, NewMode: git.ModeFile, Old: old, New: new}}, true, nil
		}
		if known, err = h.mergedFrom(ctx, c.OID, parent); err != nil {
			return ch, false, err
		}
	}
	changed := known.before
	if back {
		changed = known.after
	}
	ch, there = changed[path]
	if !there {
		return renamedChange{Change: git.Change{Path: path, OldMode: git.ModeFile, NewMode: git.ModeFile}}, c.files != nil, nil
	}
	return ch, ch.OldMode != 0 && ch.NewMode != 0, nil
}

// mergedFrom returns the files that differ between a merge and a parent.
func (h *history) mergedFrom(ctx context.Context, merge, parent git.OID) (*files, error) {
	key := [2]git.OID{parent, merge}
	if h.merged[key] == nil {
		list, err := h.r.renames(ctx, parent, merge)
		if err != nil {
			return nil, err
		}
		h.merged[key] = filesOf(list)
	}
	return h.merged[key], nil
}

// counterparts compares a version with its neighbours. A neighbour with the same text has all of
// the lines; otherwise the first that has a line counts.
func (h *history) counterparts(ctx context.Context, keys []versionKey, changes []renamedChange, back bool) (out []counterpart, err error) {
	for i, ch := range changes {
		if ch.Old == ch.New {
			return []counterpart{{at: keys[i]}}, nil
		}
	}
	for i, ch := range changes {
		of, err := h.align(ctx, ch.Old, ch.New)
		if err != nil {
			return nil, err
		}
		if !back {
			of = inverse(of)
		}
		out = append(out, counterpart{keys[i], of})
	}
	return out, nil
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
func (h *history) describe(ctx context.Context, at versionKey) (*blamedCommit, error) {
	b := &blamedCommit{oid: at.commit, path: at.path}
	for _, parent := range h.commits[at.commit].Parents {
		ch, there, err := h.change(ctx, h.commits[at.commit], parent, at.path, true)
		if err != nil || there {
			b.parent, b.parentPath = parent, ch.oldPath()
			return b, err
		}
	}
	return b, nil
}
