package strategy

import (
	"context"
	"path/filepath"
	"strings"

	"entire/internal/git"
)

const (
	// stashesMax bounds how many stashes are read.
	stashesMax = 10
	// comparedMax bounds the bytes of the versions that are compared by lines.
	comparedMax = 16 << 20
)

// evidence compares versions of files, using what the repository and the worktree hold. Each
// decision uses its own.
type evidence struct {
	ctx     context.Context
	s       *ManualCommitStrategy
	stashes []stash
	read    bool

	// What was read already, and the limits used up.
	chains map[git.OID][]step // by base; oldest first
	roots  map[git.OID]git.OID
	trees  map[git.OID][]git.TreeEntry
	lines  map[git.OID]*lineSet
	bytes  int                       // size of the blobs in lines
	gone   map[string][]fileState    // by session
	pairs  int                       // pairs of files that were compared as one file renamed
	often  map[string]map[string]int // in how many files each line is, by the files' extension

	now      fileState // the file of the worktree that was read last
	nowLines *lineSet
}

// evidence returns an empty evidence for one decision.
func (s *ManualCommitStrategy) evidence(ctx context.Context) *evidence {
	return &evidence{ctx: ctx, s: s, chains: map[git.OID][]step{}, roots: map[git.OID]git.OID{},
		trees: map[git.OID][]git.TreeEntry{}, lines: map[git.OID]*lineSet{}, gone: map[string][]fileState{}, often: map[string]map[string]int{}}
}

func (e *evidence) blob(oid git.OID) ([]byte, bool) {
	if oid.IsZero() {
		return nil, true
	}
	data, err := e.s.repo.Reader(e.ctx).Blob(oid)
	return data, err == nil
}

func (e *evidence) related(path string, session, committed git.OID) bool {
	a, b, ok := e.blobs(session, committed)
	common := e.common(path)
	return ok && (similarBeside(a, b, common) || knownAgainBeside(a, b, common))
}

// alike reports whether two versions at different paths are similar; one shared distinctive line
// does not suffice here.
func (e *evidence) alike(path string, session, committed git.OID) bool {
	a, b, ok := e.blobs(session, committed)
	return ok && similarBeside(a, b, e.common(path))
}

func (e *evidence) blobs(one, other git.OID) (a, b []byte, ok bool) {
	if a, ok = e.blob(one); ok {
		b, ok = e.blob(other)
	}
	return a, b, ok
}

func (e *evidence) holds(s spell, base, now git.OID) bool {
	lines := e.linesOf(now)
	return lines != nil && e.holdsIn(s, base, lines)
}

func (e *evidence) holdsIn(s spell, base git.OID, now *lineSet) bool {
	from, to, baseLines := e.linesOf(s.from.oid), e.linesOf(s.to.oid), e.linesOf(base)
	return from != nil && to != nil && baseLines != nil && now != nil && holdsChange(from, to, baseLines, now)
}

// linesOf returns a blob's lines, nil if it has none to compare or if comparedMax is reached.
func (e *evidence) linesOf(oid git.OID) *lineSet {
	if n, known := e.lines[oid]; known {
		return n
	}
	if e.bytes > comparedMax {
		return nil
	}
	var n *lineSet
	if data, ok := e.blob(oid); ok {
		n = countLines(data)
		e.bytes += len(data)
	}
	e.lines[oid] = n
	return n
}

func (e *evidence) waits(s spell, committed git.OID) bool {
	now, lines, ok := e.here(s.to.path)
	return ok && (now == s.to || e.holdsIn(s, committed, lines)) || e.stashed(s, committed)
}

// here returns the worktree's file at a path; ok is false if it cannot be read.
func (e *evidence) here(path string) (now fileState, lines *lineSet, ok bool) {
	if e.now.path == path && path != "" { // read before, for another change of the session
		return e.now, e.nowLines, true
	}
	wt, err := e.s.repo.OpenWorktree()
	if err != nil {
		return now, nil, false
	}
	defer wt.Close()
	data, mode, err := wt.Read(path)
	if err != nil {
		return now, nil, false
	}
	e.now, e.nowLines = fileState{path, mode, e.s.repo.BlobOID(data)}, countLines(data)
	return e.now, e.nowLines, true
}

// stash is a tree that `git stash` made, and the tree that it was made on; on is zero for a tree
// of untracked files.
type stash struct{ tree, on git.OID }

// stashed reports whether a stash holds what a change left at a path, or an uncommitted part of
// it. It returns false for a file that the change removed, and for one that the stash has as in
// the commit it was made on.
func (e *evidence) stashed(s spell, committed git.OID) bool {
	if s.to.mode == 0 {
		return false
	}
	for _, st := range e.stashTrees() {
		f, found, err := e.s.repo.Reader(e.ctx).Path(st.tree, s.to.path)
		if err == nil && found && st.has(e, s, committed, f) {
			return true
		}
	}
	return false
}

// has reports whether the stash's file f has something of the change that is neither committed
// nor in the tree that the stash was made on.
func (st stash) has(e *evidence, s spell, committed git.OID, f git.TreeEntry) bool {
	var was git.TreeEntry
	if !st.on.IsZero() {
		var err error
		if was, _, err = e.s.repo.Reader(e.ctx).Path(st.on, s.to.path); err != nil {
			was = git.TreeEntry{}
		}
	}
	if f.OID == was.OID { // at most its mode is stashed
		return f.Mode != was.Mode && f.Mode == s.to.mode && s.from.mode != s.to.mode
	}
	return f.OID == s.to.oid || e.holds(s, committed, f.OID) && e.holds(s, was.OID, f.OID)
}

// stashTrees returns the trees of the newest stashes, and those of their untracked files.
func (e *evidence) stashTrees() []stash {
	if e.read {
		return e.stashes
	}
	e.read = true
	for _, oid := range e.s.stashed() {
		c, ok, err := e.s.repo.Reader(e.ctx).CommitOf(oid.String())
		if err != nil || !ok {
			continue
		}
		made := stash{tree: c.Tree}
		if len(c.Parents) > 0 {
			made.on = e.treeOf(c.Parents[0])
		}
		e.stashes = append(e.stashes, made)
		if len(c.Parents) == 3 {
			if u, err := e.s.repo.Reader(e.ctx).Commit(c.Parents[2]); err == nil {
				e.stashes = append(e.stashes, stash{tree: u.Tree})
			}
		}
	}
	return e.stashes
}

// stashed returns the newest stashes. Stashes that git restores by itself after a rebase or merge
// come first.
func (s *ManualCommitStrategy) stashed() []git.OID {
	var out []git.OID
	for _, name := range []string{"rebase-merge/autostash", "rebase-apply/autostash", "MERGE_AUTOSTASH"} {
		oids := oidsIn(s.gitFile(name))
		out = append(out, oids[:min(1, len(oids))]...)
	}
	log := readTail(filepath.Join(s.repo.CommonDir, "logs", "refs", "stash"), reflogTail)
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	for i := len(lines) - 1; i >= 0 && len(out) < stashesMax; i-- {
		if fields := strings.Fields(lines[i]); len(fields) >= 2 {
			out = append(out, oidsIn([]byte(fields[1]))...)
		}
	}
	return out
}
