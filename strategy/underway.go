package strategy

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/checkpoint"
	"entire/internal/git"
)

// underway is the commit that git is making: what it builds on, and which commits it replaces.
type underway struct {
	amend    bool
	sequence bool      // during a rebase, cherry-pick or revert
	squash   bool      // of a `git merge --squash`
	sides    []git.OID // the commits that are merged or picked: their content is not new
	copies   bool      // made by a revert or cherry-pick; one of a single commit is no sequence
	alone    bool      // git itself commits: a merge (without a post-commit hook) or a copy
	redoes   bool      // made by `git commit`, maybe with content that was committed before
	takes    []git.OID // the replaced commits whose message may be lost: HEAD's, fixups
	picks    []git.OID // the commits that a rebase or cherry-pick makes again, with their message
}

// strict returns how strictly files must match: a replay or merge brings content that nobody
// wrote now.
func (u underway) strict() strictness {
	switch {
	case u.sequence, u.squash, u.copies:
		return passing
	case len(u.sides) > 0:
		return merging
	}
	return loose
}

// underway finds out which operation git is performing.
func (s *ManualCommitStrategy) underway(ctx context.Context, source string, msg []byte) underway {
	in := s.invocation(ctx)
	u := underway{sequence: s.inSequence(), redoes: in.Command == "commit" || in.Command == ""}
	u.squash = source == "squash" || u.redoes && s.gitFile("SQUASH_MSG") != nil // only a commit uses that file again
	u.sides = oidsIn(s.gitFile("MERGE_HEAD"))
	if u.sequence {
		for _, name := range []string{"CHERRY_PICK_HEAD", "REBASE_HEAD", "rebase-merge/stopped-sha"} {
			u.sides = append(u.sides, oidsIn(s.gitFile(name))...)
		}
		u.takes = oidsIn(s.gitFile("rebase-merge/current-fixups"))
		u.picks = append(oidsIn(s.gitFile("CHERRY_PICK_HEAD")), s.rebased()...)
	}
	u.copies = in.Command == "revert" || in.Command == "cherry-pick"
	u.alone = (u.copies || in.Command == "merge" || in.Command == "pull") && !in.Has("--continue", 0)
	u.amend = s.amends(ctx, source, msg)
	if u.amend || len(u.takes) > 0 {
		if head, ok, err := s.repo.Reader(ctx).CommitOf("HEAD"); err == nil && ok {
			u.takes = append(u.takes, head.OID)
		}
	}
	return u
}

// rebased returns the commit that a rebase is making again: the one in the last line of its list
// of done commands.
func (s *ManualCommitStrategy) rebased() []git.OID {
	done := bytes.TrimSpace(s.gitFile("rebase-merge/done"))
	line := done[bytes.LastIndexByte(done, '\n')+1:]
	words := strings.Fields(string(line))
	if len(words) < 2 || words[0] == "exec" || words[0] == "x" {
		return nil
	}
	return oidsIn([]byte(words[1]))
}

// amends reports whether the commit replaces HEAD's. If git's command line is hidden, a message
// that comes from a commit tells, unless it is another commit's.
func (s *ManualCommitStrategy) amends(ctx context.Context, source string, msg []byte) bool {
	in := s.invocation(ctx)
	if in.Command == "commit" {
		return in.Has("--amend", 0)
	}
	if source != "commit" {
		return false
	}
	head, ok, err := s.repo.Reader(ctx).CommitOf("HEAD")
	return err == nil && ok &&
		(bytes.HasPrefix(bytes.TrimSpace(msg), []byte(head.Subject())) || len(checkpoint.ParseCheckpointTrailers(string(msg))) == 0)
}

// gitFile reads a small file of the worktree's git directory, nil if it is missing.
func (s *ManualCommitStrategy) gitFile(name string) []byte {
	data, err := os.ReadFile(filepath.Join(s.repo.GitDir, filepath.FromSlash(name)))
	if err != nil {
		return nil
	}
	return data
}

// oidsIn returns the object IDs among the words of one of git's files.
func oidsIn(data []byte) []git.OID {
	var out []git.OID
	for _, word := range strings.Fields(string(data)) {
		if oid, err := git.ParseOID(word); err == nil && !oid.IsZero() {
			out = append(out, oid)
		}
	}
	return out
}

// addTaken adds the checkpoints of the replaced commits. A commit that is missing has none.
func (s *ManualCommitStrategy) addTaken(ctx context.Context, l *link) error {
	if len(l.u.takes)+len(l.u.picks) == 0 && !l.u.squash {
		return nil
	}
	links, err := checkpoint.NewRecords(s.repo).Links(ctx)
	if err != nil {
		return err
	}
	for _, oid := range l.u.takes {
		if c, ok, err := s.repo.Reader(ctx).CommitOf(oid.String()); err == nil && ok {
			l.add = append(l.add, links.Of(oid, c.Message)...)
			l.keep = append(l.keep, checkpoint.ForeignCheckpoints(c.Message)...)
		}
	}
	for _, oid := range l.u.picks {
		l.add = append(l.add, links[oid]...)
	}
	if !l.u.squash {
		return nil
	}
	squashed := s.gitFile("SQUASH_MSG")
	ids := checkpoint.ParseCheckpointTrailers(string(squashed))
	for _, oid := range squashedCommits(squashed) {
		ids = append(ids, links[oid]...)
	}
	foreign := checkpoint.ForeignCheckpoints(string(squashed))
	if len(ids)+len(foreign) == 0 {
		return nil
	}
	if err := s.changes(ctx, l); err != nil {
		return err
	}
	if s.squashIsIn(ctx, squashed, l.all) {
		l.add, l.keep = append(l.add, ids...), append(l.keep, foreign...)
	}
	return nil
}

// squashedCommits returns the commits that git's message for a squash lists.
func squashedCommits(message []byte) []git.OID {
	var out []git.OID
	for line := range bytes.Lines(message) {
		if rest, ok := bytes.CutPrefix(line, []byte("commit ")); ok {
			out = append(out, oidsIn(rest)...)
		}
	}
	return out
}

// squashIsIn reports whether a commit contains any change of the squashed branch. The user may
// have discarded the squash, which leaves git's file behind.
func (s *ManualCommitStrategy) squashIsIn(ctx context.Context, squashed []byte, changes []git.Change) bool {
	_, first, _ := bytes.Cut(append([]byte("\n"), squashed...), []byte("\ncommit ")) // the newest
	name, _, _ := bytes.Cut(first, []byte("\n"))
	oid, err := git.ParseOID(string(bytes.TrimSpace(name)))
	if err != nil {
		return true
	}
	tip, ok, err := s.repo.Reader(ctx).CommitOf(oid.String())
	if err != nil || !ok {
		return true
	}
	ev := s.evidence(ctx)
	return slices.ContainsFunc(changes, func(c git.Change) bool {
		atTip, ok := ev.at(tip.Tree, c.Path)
		return ok && spell{fileState{c.Path, c.OldMode, c.Old}, atTip}.isIn(c, ev)
	})
}

// staged reads what the commit changes relative to HEAD, and which of these changes differ from
// every commit that is merged or picked.
func (s *ManualCommitStrategy) staged(ctx context.Context, l *link) error {
	staged, err := s.repo.Staged(ctx, s.repo.IndexFile)
	if err != nil {
		return err
	}
	l.all = codeChanges(staged.Changes)
	l.diff = newTreeDiff(staged.From, staged.To, l.all)
	l.own = s.unlikeSides(ctx, l.all, l.u.sides)
	if !l.u.sequence {
		l.all = l.own // the history of merged commits comes with them
	}
	return nil
}

// unlikeSides leaves out changes that give a path the version it has in one of the sides. It
// ignores a commit that cannot be read.
func (s *ManualCommitStrategy) unlikeSides(ctx context.Context, changes []git.Change, sides []git.OID) []git.Change {
	for _, side := range sides {
		c, ok, err := s.repo.Reader(ctx).CommitOf(side.String())
		if err != nil || !ok {
			continue
		}
		var own []git.Change
		for _, ch := range changes {
			e, found, err := s.repo.Reader(ctx).Path(c.Tree, ch.Path)
			if err == nil && (found && e.OID == ch.New && e.Mode == ch.NewMode || !found && ch.NewMode == 0) {
				continue
			}
			own = append(own, ch)
		}
		changes = own
	}
	return changes
}
