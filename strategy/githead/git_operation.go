package githead

import (
	"bytes"
	"context"
	"strings"

	"entire/checkpoint/trailer"
	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
)

// gitOperation is the commit that git is making: what it builds on, and which commits it replaces.
type gitOperation struct {
	Amend       bool
	Sequence    bool      // during a rebase, cherry-pick or revert
	Squash      bool      // of a `git merge --squash`
	sources     []git.OID // the commits that are merged or picked: their content is not new
	copies      bool      // made by a revert or cherry-pick; one of a single commit is no sequence
	WithoutHook bool      // git itself commits: a merge (without a post-commit hook) or a copy
	MayRedo     bool      // made by `git commit`, maybe with content that was committed before
	Replaced    []git.OID // the replaced commits whose message may be lost: HEAD's, fixups
	Replayed    []git.OID // the commits that a rebase or cherry-pick makes again, with their message
}

// MatchMode returns how strictly files must match: a replay or merge brings content that nobody
// wrote now.
func (u gitOperation) MatchMode() transcript.MatchMode {
	switch {
	case u.Sequence, u.Squash, u.copies:
		return MatchReplay
	case len(u.sources) > 0:
		return MatchUnlessMerged
	}
	return MatchAny
}

// OperationInGit finds out which operation git is performing.
func OperationInGit(ctx context.Context, s *sessionstate.Env, source string, msg []byte) gitOperation {
	in := s.GitInvocation(ctx)
	u := gitOperation{Sequence: InSequence(ctx, s), MayRedo: in.Command == "commit" || in.Command == ""}
	u.Squash = source == "squash" || u.MayRedo && GitFile(ctx, s, "SQUASH_MSG") != nil // only a commit uses that file again
	u.sources = ParseOIDs(GitFile(ctx, s, "MERGE_HEAD"))
	if u.Sequence {
		for _, name := range []string{"CHERRY_PICK_HEAD", "REBASE_HEAD", "rebase-merge/stopped-sha"} {
			u.sources = append(u.sources, ParseOIDs(GitFile(ctx, s, name))...)
		}
		u.Replaced = ParseOIDs(GitFile(ctx, s, "rebase-merge/current-fixups"))
		u.Replayed = append(ParseOIDs(GitFile(ctx, s, "CHERRY_PICK_HEAD")), commitBeingRebased(ctx, s)...)
	}
	u.copies = in.Command == "revert" || in.Command == "cherry-pick"
	u.WithoutHook = (u.copies || in.Command == "merge" || in.Command == "pull") && !in.Has("--continue", 0)
	u.Amend = amends(ctx, s, source, msg)
	if u.Amend || len(u.Replaced) > 0 {
		if head, ok, err := s.Repo.Reader(ctx).CommitOf("HEAD"); err == nil && ok {
			u.Replaced = append(u.Replaced, head.OID)
		}
	}
	return u
}

// commitBeingRebased returns the commit that a rebase is making again: the one in the last line of its list
// of done commands.
func commitBeingRebased(ctx context.Context, s *sessionstate.Env) []git.OID {
	done := bytes.TrimSpace(GitFile(ctx, s, "rebase-merge/done"))
	line := done[bytes.LastIndexByte(done, '\n')+1:]
	words := strings.Fields(string(line))
	if len(words) < 2 || words[0] == "exec" || words[0] == "x" {
		return nil
	}
	return ParseOIDs([]byte(words[1]))
}

// amends reports whether the commit replaces HEAD's. If git's command line is hidden, a message
// that comes from a commit tells, unless it is another commit's.
func amends(ctx context.Context, s *sessionstate.Env, source string, msg []byte) bool {
	in := s.GitInvocation(ctx)
	if in.Command == "commit" {
		return in.Has("--amend", 0)
	}
	if source != "commit" {
		return false
	}
	head, ok, err := s.Repo.Reader(ctx).CommitOf("HEAD")
	return err == nil && ok &&
		(bytes.HasPrefix(bytes.TrimSpace(msg), []byte(head.Subject())) || len(trailer.ParseCheckpointTrailers(string(msg))) == 0)
}

// GitFile reads a small file of the worktree's git directory, or a ref outside of refs/; nil if it is missing.
func GitFile(ctx context.Context, s *sessionstate.Env, name string) []byte {
	return s.Repo.RefFile(ctx, name)
}

// ParseOIDs returns the object IDs among the words of one of git's files.
func ParseOIDs(data []byte) []git.OID {
	var out []git.OID
	for _, word := range strings.Fields(string(data)) {
		if oid, err := git.ParseOID(word); err == nil && !oid.IsZero() {
			out = append(out, oid)
		}
	}
	return out
}

// SquashedCommits returns the commits that git's message for a squash lists.
func SquashedCommits(message []byte) []git.OID {
	var out []git.OID
	for line := range bytes.Lines(message) {
		if rest, ok := bytes.CutPrefix(line, []byte("commit ")); ok {
			out = append(out, ParseOIDs(rest)...)
		}
	}
	return out
}

// readIndexChanges reads what the commit changes relative to HEAD, and which of these changes differ from
// every commit that is merged or picked.
func readIndexChanges(ctx context.Context, s *sessionstate.Env, l *MessageEdit) error {
	staged, err := s.Repo.Staged(ctx, s.Repo.IndexFile)
	if err != nil {
		return err
	}
	l.All = step.CodeChanges(staged.Changes)
	l.Diff = NewTreeDiff(staged.From, staged.To, l.All)
	l.Own = WithoutSources(ctx, s, l.All, l.Underway.sources)
	if !l.Underway.Sequence {
		l.All = l.Own // the history of merged commits comes with them
	}
	return nil
}

// WithoutSources leaves out changes that give a path the version it has in one of the sides. It
// ignores a commit that cannot be read.
func WithoutSources(ctx context.Context, s *sessionstate.Env, changes []git.Change, sides []git.OID) []git.Change {
	for _, side := range sides {
		c, ok, err := s.Repo.Reader(ctx).CommitOf(side.String())
		if err != nil || !ok {
			continue
		}
		var own []git.Change
		for _, ch := range changes {
			e, found, err := s.Repo.Reader(ctx).Path(c.Tree, ch.Path)
			if err == nil && (found && e.OID == ch.New && e.Mode == ch.NewMode || !found && ch.NewMode == 0) {
				continue
			}
			own = append(own, ch)
		}
		changes = own
	}
	return changes
}
