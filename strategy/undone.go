package strategy

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
)

const (
	// reflogTail is how much of HEAD's reflog, in bytes, tells of resets.
	reflogTail = 16 << 10
	// undoneMax bounds the commits that one reset is taken to have undone, and
	// the resets that are looked at.
	undoneMax = 20
	// keptMax bounds the search for a commit in HEAD's history.
	keptMax = 100
)

// undone is a linked commit that a reset has taken out of HEAD's history. Made
// again, its work belongs to the checkpoint it had.
type undone struct {
	checkpoints []id.CheckpointID
	changes     []git.Change
}

// redone are the checkpoints of undone commits whose content is among the
// changes again. explained are paths that hold exactly what a chosen session
// left: they count only if the undone content stood there before its work.
func (s *ManualCommitStrategy) redone(ctx context.Context, changes []git.Change, chosen []id.SessionID) ([]id.CheckpointID, error) {
	resets := parseResets(readTail(filepath.Join(s.repo.GitDir, "logs", "HEAD"), reflogTail))
	if len(resets) == 0 || len(changes) == 0 {
		return nil, nil
	}
	lost, err := s.undoneBy(ctx, resets)
	if err != nil || len(lost) == 0 {
		return nil, err
	}
	before, err := s.beforeSessions(ctx, chosen)
	if err != nil {
		return nil, err
	}
	var out []id.CheckpointID
	ev := s.evidence(ctx)
	for _, u := range lost {
		if u.isIn(changes, before, ev) {
			out = append(out, u.checkpoints...)
		}
	}
	return out, nil
}

// isIn reports whether the commit shows something of the undone one's content.
// before gives what stood at a path before sessions of now wrote the very
// content that is committed.
func (u undone) isIn(changes []git.Change, before func(git.Change) git.Change, ver versions) bool {
	for _, c := range changes {
		for _, was := range u.changes {
			if was.Path != c.Path {
				continue
			}
			now := before(c)
			made := now.New != now.Old || now.NewMode != now.OldMode // else HEAD has it again already
			if made && spellOf(was).isIn(now, ver) {
				return true
			}
		}
	}
	return false
}

func spellOf(c git.Change) spell {
	return spell{fileState{c.Path, c.OldMode, c.Old}, fileState{c.Path, c.NewMode, c.New}}
}

// beforeSessions replaces the committed version of a path by the one that stood
// there before the chosen sessions' first step, where the commit has what their
// last step left.
func (s *ManualCommitStrategy) beforeSessions(ctx context.Context, chosen []id.SessionID) (func(git.Change) git.Change, error) {
	type chain struct {
		w     work
		first git.Commit
	}
	var chains []chain
	for _, sid := range chosen {
		w, err := s.workOf(ctx, sid)
		if err != nil {
			return nil, err
		}
		first, err := s.firstStep(ctx, sid)
		if err != nil {
			return nil, err
		}
		chains = append(chains, chain{w, first})
	}
	return func(c git.Change) git.Change {
		for _, ch := range chains {
			left, ok := ch.w.left[c.Path]
			if !ok || !left.sameContent(c.NewMode, c.New) {
				continue
			}
			c.New, c.NewMode = c.Old, c.OldMode
			if ch.first.Tree.IsZero() {
				return c
			}
			if e, found, err := s.repo.Reader(ctx).Path(ch.first.Tree, c.Path); err == nil && found {
				c.New, c.NewMode = e.OID, e.Mode
			}
			return c
		}
		return c
	}, nil
}

// firstStep is the first step of the branch that a session works on, if a
// person's: what stood there before anybody's turn.
func (s *ManualCommitStrategy) firstStep(ctx context.Context, sid id.SessionID) (git.Commit, error) {
	o := &open{id: sid}
	if err := s.readSession(ctx, o); err != nil {
		return git.Commit{}, err
	}
	rd := s.repo.Reader(ctx)
	c, ok, err := rd.CommitOf(s.shadowRef(baseOf(o)))
	if err != nil || !ok {
		return git.Commit{}, err
	}
	for n := 0; n < ancestorsMax && len(c.Parents) > 0; n++ {
		if c, err = rd.Commit(c.Parents[0]); err != nil {
			return git.Commit{}, err
		}
	}
	if listed(step{c, checkpoint.ParseStep(c.Message)}) {
		return git.Commit{}, nil
	}
	return c, nil
}

// undoneBy lists the linked commits that resets took out of HEAD's history, those
// that are in it again left out.
func (s *ManualCommitStrategy) undoneBy(ctx context.Context, resets []reset) ([]undone, error) {
	kept, err := s.history(ctx)
	if err != nil {
		return nil, err
	}
	var out []undone
	seen := map[git.OID]bool{}
	for _, r := range resets {
		oid := r.from
		for n := 0; n < undoneMax && oid != r.to && !kept[oid] && !seen[oid]; n++ {
			seen[oid] = true
			c, ok, err := s.repo.Reader(ctx).CommitOf(oid.String())
			if err != nil {
				return nil, err
			}
			if !ok {
				break // pruned
			}
			if ids := checkpoint.ParseCheckpointTrailers(c.Message); len(ids) > 0 {
				cm, err := s.newCommit(ctx, c)
				if err != nil {
					return nil, err
				}
				out = append(out, undone{ids, cm.changes})
			}
			if len(c.Parents) == 0 {
				break
			}
			oid = c.Parents[0]
		}
	}
	return out, nil
}

// history is the set of HEAD's newest first-parent ancestors.
func (s *ManualCommitStrategy) history(ctx context.Context) (map[git.OID]bool, error) {
	kept := map[git.OID]bool{}
	c, ok, err := s.repo.Reader(ctx).CommitOf("HEAD")
	for ; err == nil && ok && len(kept) < keptMax; c, ok, err = s.repo.Reader(ctx).CommitOf(c.Parents[0].String()) {
		kept[c.OID] = true
		if len(c.Parents) == 0 {
			break
		}
	}
	return kept, err
}

// reset is a line of HEAD's reflog that says so.
type reset struct{ from, to git.OID }

// parseResets lists the resets of a reflog that left a commit behind, newest
// first.
func parseResets(reflog []byte) []reset {
	var out []reset
	lines := strings.Split(string(reflog), "\n")
	for i := len(lines) - 1; i >= 0 && len(out) < undoneMax; i-- {
		head, what, ok := strings.Cut(lines[i], "\t")
		words := strings.Fields(head)
		if !ok || len(words) < 2 || !strings.HasPrefix(what, "reset: ") {
			continue
		}
		from, err := git.ParseOID(words[0])
		to, err2 := git.ParseOID(words[1])
		if err == nil && err2 == nil && from != to && !from.IsZero() {
			out = append(out, reset{from, to})
		}
	}
	return out
}

// replaced is the commit that an amend has just replaced by cm, as HEAD's
// reflog tells; zero for any other commit.
func (s *ManualCommitStrategy) replaced(cm madeCommit) git.OID {
	lines := strings.Split(strings.TrimRight(string(readTail(filepath.Join(s.repo.GitDir, "logs", "HEAD"), reflogTail)), "\n"), "\n")
	head, what, _ := strings.Cut(lines[len(lines)-1], "\t")
	words := strings.Fields(head)
	if len(words) < 2 || words[1] != cm.OID.String() || !strings.HasPrefix(what, "commit (amend)") {
		return git.OID{}
	}
	oid, err := git.ParseOID(words[0])
	if err != nil {
		return git.OID{}
	}
	return oid
}

// readTail reads the end of a file; what cannot be read is empty.
func readTail(path string, n int64) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil
	}
	tail := make([]byte, min(n, fi.Size()))
	if _, err := f.ReadAt(tail, fi.Size()-int64(len(tail))); err != nil {
		return nil
	}
	return tail
}
