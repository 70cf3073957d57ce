package strategy

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"entire/internal/git"
)

// stashesMax bounds how many stashes are looked at.
const stashesMax = 10

// evidence compares versions of files by what the repository and the worktree
// hold. It lives as long as one decision.
type evidence struct {
	ctx     context.Context
	s       *ManualCommitStrategy
	stashes []git.OID // trees
	read    bool
}

func (s *ManualCommitStrategy) evidence(ctx context.Context) *evidence {
	return &evidence{ctx: ctx, s: s}
}

func (e *evidence) blob(oid git.OID) ([]byte, bool) {
	if oid.IsZero() {
		return nil, true
	}
	data, err := e.s.repo.Reader(e.ctx).Blob(oid)
	return data, err == nil
}

func (e *evidence) related(session, committed git.OID) bool {
	a, ok := e.blob(session)
	b, ok2 := e.blob(committed)
	return ok && ok2 && similar(a, b)
}

func (e *evidence) holds(base, session, committed git.OID) bool {
	now, ok := e.blob(committed)
	return ok && e.holdsIn(base, session, now)
}

func (e *evidence) holdsIn(base, session git.OID, now []byte) bool {
	was, ok := e.blob(base)
	mine, ok2 := e.blob(session)
	return ok && ok2 && holdsChange(was, mine, now)
}

func (e *evidence) waits(path string, base git.OID, session fileState) bool {
	wt, err := e.s.repo.OpenWorktree()
	if err != nil {
		return false
	}
	defer wt.Close()
	if now, mode, err := wt.Read(path); err == nil {
		if mode == session.mode && e.s.repo.BlobOID(now) == session.oid || e.holdsIn(base, session.oid, now) {
			return true
		}
	}
	return e.stashed(base, session)
}

// stashed reports whether a stash holds what a session left at a path. A file
// it removed is not looked for.
func (e *evidence) stashed(base git.OID, left fileState) bool {
	if left.mode == 0 {
		return false
	}
	for _, tree := range e.stashTrees() {
		f, found, err := e.s.repo.Reader(e.ctx).Path(tree, left.path)
		if err == nil && found && (f.OID == left.oid || f.OID != base && e.holds(base, left.oid, f.OID)) {
			return true
		}
	}
	return false
}

// stashTrees are the newest stashes' trees, and those of their untracked files.
func (e *evidence) stashTrees() []git.OID {
	if e.read {
		return e.stashes
	}
	e.read = true
	log, err := os.ReadFile(filepath.Join(e.s.repo.CommonDir, "logs", "refs", "stash"))
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	for i := len(lines) - 1; i >= max(0, len(lines)-stashesMax); i-- {
		fields := strings.Fields(lines[i])
		if len(fields) < 2 {
			continue
		}
		c, ok, err := e.s.repo.Reader(e.ctx).CommitOf(fields[1])
		if err != nil || !ok {
			continue
		}
		e.stashes = append(e.stashes, c.Tree)
		if len(c.Parents) == 3 {
			if u, err := e.s.repo.Reader(e.ctx).Commit(c.Parents[2]); err == nil {
				e.stashes = append(e.stashes, u.Tree)
			}
		}
	}
	return e.stashes
}
