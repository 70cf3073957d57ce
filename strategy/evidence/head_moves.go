package evidence

import (
	"context"
	"slices"
	"strings"
	"time"

	"entire/internal/git"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// gitsMoves are the first words of what git writes in HEAD's reflog when HEAD goes to a commit that was there before,
// or when git makes one from a patch or another commit. Whatever else is written may be a commit that was made here:
// git's entries of commits begin with "commit"; other programs write words of their own, or none.
var gitsMoves = []string{"am", "bisect", "branch", "checkout", "cherry-pick", "clone", "fetch", "filter-branch", "merge", "pull", "rebase", "reset", "revert"}

// pushed is what git writes when somebody pushes to the branch of this worktree (receive.denyCurrentBranch=updateInstead).
const pushed = "push"

// GainedCommit is a commit that HEAD gained without a hook of ours, and that was made here.
type GainedCommit struct {
	git.Commit
	// Replaces are the commits that it was made anew from, nearest first.
	Replaces []git.OID
	// Doubtful reports that it may have come from elsewhere: no entry of git says that it was made here, and it is
	// older than the session's last event, or a remote's branch has it.
	Doubtful bool
}

// GainedSince returns the commits that were made here and that HEAD gained since a session's last event, newest
// first. Those that came with a patch, a pull, a rebase or a switch are left out, if git's words in the reflog say
// so. A program that writes no reflog leaves HEAD on commits that the reflog lacks.
func GainedSince(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, head git.OID) ([]GainedCommit, error) {
	entries, whole := entriesSinceEvent(ctx, s, o)
	if len(madeBy(entries, isCommitEntry)) == 0 && !leftReflog(whole, head) {
		return nil, nil
	}
	base := step.BaseOf(o)
	commits, err := CommitsBetween(ctx, s, base, head)
	if err != nil || len(commits) == 0 {
		return nil, err
	}
	amended, makers := replacedBy(entries), makersOf(commits, entries, leftReflog(whole, head))
	var lost []git.Commit
	old := len(commits) // from this one on, a remote's branch has them
	if slices.Contains(makers, otherProgram) {
		if old, err = onRemote(ctx, s, commits); err != nil {
			return nil, err
		}
		if lost, err = lostSince(ctx, s, base, head); err != nil {
			return nil, err
		}
	}
	var gained []GainedCommit
	for i, c := range commits {
		g := GainedCommit{Commit: c, Replaces: amendedBy(amended, c.OID)}
		switch makers[i] {
		case notHere:
			continue
		case otherProgram:
			g.Doubtful = i >= old || madeBefore(c, o.State.LastInteractionTime)
			g.Replaces = append(g.Replaces, madeAnewFrom(c, lost)...)
		}
		gained = append(gained, g)
	}
	return gained, nil
}

// maker says who made a commit that HEAD gained, as far as its reflog tells.
type maker int

const (
	notHere maker = iota
	gitHere
	otherProgram
)

// makersOf returns the makers of commits that HEAD gained, newest first. What a program of others moved HEAD to, it made
// with all that lies below, down to the next commit that the reflog names. unnamed states that HEAD is on a commit
// that the reflog lacks.
func makersOf(commits []git.Commit, entries []git.ReflogEntry, unnamed bool) []maker {
	words := map[git.OID]string{}
	for _, e := range entries {
		if was, named := words[e.New]; !named || !isCommitEntry(was) { // a reset may go back to what was made here
			words[e.New] = e.What
		}
	}
	out := make([]maker, len(commits))
	last := notHere
	if unnamed {
		last = otherProgram
	}
	for i, c := range commits {
		what, named := words[c.OID]
		switch {
		case named && isCommitOfGit(what):
			out[i], last = gitHere, notHere
			continue
		case named && isOthers(what):
			last = otherProgram
		case named:
			last = notHere
		}
		out[i] = last
	}
	return out
}

// lostSince returns the commits that HEAD had at a session's last event, and has no more.
func lostSince(ctx context.Context, s *sessionstate.Env, base, head git.OID) ([]git.Commit, error) {
	if base.IsZero() {
		return nil, nil
	}
	return CommitsBetween(ctx, s, head, base)
}

// entriesSinceEvent returns what HEAD's reflog gained since a session's last event, and the end of the whole reflog.
// Without a commit then, both are the same.
func entriesSinceEvent(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) (since, whole []git.ReflogEntry) {
	whole = git.ParseReflog(githead.Reflog(ctx, s))
	if step.BaseOf(o).IsZero() {
		return whole, whole
	}
	return git.ParseReflog(githead.ReflogSince(ctx, s, o.Engine.ReflogSize)), whole
}

// leftReflog reports whether HEAD is on another commit than its reflog says.
func leftReflog(reflog []git.ReflogEntry, head git.OID) bool {
	return len(reflog) > 0 && reflog[len(reflog)-1].New != head
}

// onRemote returns the index of the first of the commits, newest first, that a remote's branch points to; their
// number if there is none.
func onRemote(ctx context.Context, s *sessionstate.Env, commits []git.Commit) (int, error) {
	refs, err := s.Repo.Refs(ctx, "refs/remotes/")
	if err != nil {
		return 0, err
	}
	tips := map[git.OID]bool{}
	for _, r := range refs {
		tips[r.OID] = true
	}
	i := slices.IndexFunc(commits, func(c git.Commit) bool { return tips[c.OID] })
	if i < 0 {
		return len(commits), nil
	}
	return i, nil
}

func madeBefore(c git.Commit, event *time.Time) bool {
	return event != nil && c.Committer.When.Before(event.Truncate(time.Second))
}

// madeAnewFrom returns the commit among those that HEAD lost that a commit was made anew from. Whoever makes one anew
// keeps its author and the author's time.
func madeAnewFrom(c git.Commit, lost []git.Commit) []git.OID {
	var same []git.Commit
	for _, l := range lost {
		if l.Author.Name == c.Author.Name && l.Author.Email == c.Author.Email && l.Author.When.Equal(c.Author.When) {
			same = append(same, l)
		}
	}
	if len(same) > 1 { // several in one second
		same = slices.DeleteFunc(same, func(l git.Commit) bool { return l.Subject() != c.Subject() })
	}
	if len(same) != 1 {
		return nil
	}
	return []git.OID{same[0].OID}
}

// CommitsMadeHere returns the commits that HEAD's reflog says were made here, or by a program whose words do not tell,
// newest first. Others came with a patch, a pull, a rebase or a switch: they get no checkpoint.
func CommitsMadeHere(reflog []byte) []git.OID { return madeBy(git.ParseReflog(reflog), isCommitEntry) }

// CommittedOn returns the commits that HEAD left by a commit, as its reflog says, or without an entry there.
func CommittedOn(reflog []byte, head git.OID) map[git.OID]bool {
	entries, out := git.ParseReflog(reflog), map[git.OID]bool{}
	for _, e := range entries {
		if isCommitEntry(e.What) {
			out[e.Old] = true
		}
	}
	if leftReflog(entries, head) {
		out[entries[len(entries)-1].New] = true
	}
	return out
}

// OtherProgramCommitted reports whether the words of HEAD's last move are not git's.
func OtherProgramCommitted(ctx context.Context, s *sessionstate.Env) bool {
	reflog := git.ParseReflog(githead.Reflog(ctx, s))
	if len(reflog) == 0 {
		return false
	}
	return isOthers(reflog[len(reflog)-1].What)
}

// isCommitEntry reports whether a reflog entry may be that of a commit that was made here.
func isCommitEntry(what string) bool {
	end := strings.IndexAny(what, " :")
	return what != pushed && (end < 0 || !strings.Contains(what, ":") || !slices.Contains(gitsMoves, what[:end]))
}

// isOthers reports whether a reflog entry is one that git does not write by itself.
func isOthers(what string) bool { return isCommitEntry(what) && !isCommitOfGit(what) }

// isCommitOfGit reports whether a reflog entry is one that git writes for a commit.
func isCommitOfGit(what string) bool { return strings.HasPrefix(what, "commit") }

func isPatch(what string) bool { return strings.HasPrefix(what, "am: ") }

// isCommitOrPatch reports whether a reflog entry is that of a commit that was made here or applied by git am. Such a
// patch may hold a session's work, but also come from elsewhere: UnhookedCommits counts it, CommitsMadeHere does not.
func isCommitOrPatch(what string) bool { return isCommitEntry(what) || isPatch(what) }

// madeBy returns the commits of the reflog entries that by accepts, newest first.
func madeBy(entries []git.ReflogEntry, by func(what string) bool) (made []git.OID) {
	for _, e := range entries {
		if by(e.What) && !e.New.IsZero() {
			made = append(made, e.New)
		}
	}
	slices.Reverse(made)
	return made
}

// withoutRemade returns the commits but those that HEAD left by a move of another program, which made them anew.
func withoutRemade(made []git.OID, entries []git.ReflogEntry) []git.OID {
	return slices.DeleteFunc(slices.Clone(made), func(oid git.OID) bool {
		return slices.ContainsFunc(entries, func(e git.ReflogEntry) bool { return e.Old == oid && isOthers(e.What) })
	})
}

// replacedBy maps each commit that an amend of git made to the commit it replaced.
func replacedBy(entries []git.ReflogEntry) map[git.OID]git.OID {
	replaces := map[git.OID]git.OID{}
	for _, e := range entries {
		if strings.HasPrefix(e.What, "commit (amend)") && !e.New.IsZero() {
			replaces[e.New] = e.Old
		}
	}
	return replaces
}

// amendedBy returns the commits that a commit replaced, directly or through other amends, nearest first.
func amendedBy(replaces map[git.OID]git.OID, commit git.OID) (out []git.OID) {
	for range len(replaces) {
		if commit = replaces[commit]; commit.IsZero() {
			break
		}
		out = append(out, commit)
	}
	return out
}

// movedHead reports whether HEAD's reflog says that HEAD moved to an existing commit, or may have.
func movedHead(reflog []byte) bool {
	return slices.ContainsFunc(git.ParseReflog(reflog), func(e git.ReflogEntry) bool {
		return e.What != "" && !isCommitOfGit(e.What) && !isPatch(e.What)
	})
}
