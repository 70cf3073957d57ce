package evidence

import (
	"slices"
	"sort"

	"entire/internal/git"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// Committer is who makes a commit, as far as the process shows.
type Committer struct {
	Person bool // a person is at a terminal
	Agent  bool // the process runs in an agent's shell
}

// ChooseSessions decides whose work is in a commit that changes staged. A change made during a
// turn counts as the agent's only if evidence shows it, if an agent makes the commit, or if
// nobody is known to make it and the session's transcript is not readable. The result is sorted.
func ChooseSessions(staged []git.Change, sessions []transcript.SessionWork, by Committer, ver githead.VersionComparer) []string {
	var out []string
	var candidates []transcript.SessionWork // active, without evidence either way
	for _, w := range sessions {
		switch {
		case owns(w, staged, sessions, ver), w.Active && provenByTranscript(w, staged):
			out = append(out, w.Session)
		case mayCommitUnseen(w, by) && w.Matching == githead.MatchAny && changedInTurn(w, staged):
			candidates = append(candidates, w)
		}
	}
	if len(candidates) > 0 {
		sort.Slice(candidates, func(i, j int) bool { return candidates[i].LastSeen > candidates[j].LastSeen })
		if changedInTurn(candidates[0], unowned(staged, sessions, out, ver)) {
			out = append(out, candidates[0].Session)
		}
	}
	sort.Strings(out)
	return out
}

// mayCommitUnseen reports a session in the middle of a turn that may make the commit and whose
// transcript does not show yet what it does.
func mayCommitUnseen(w transcript.SessionWork, by Committer) bool {
	return w.Active && !w.HasToolCalls && (by.Agent || !w.TranscriptReadable && !by.Person)
}

// unowned returns the changes that hold nothing of the chosen sessions' steps.
func unowned(staged []git.Change, sessions []transcript.SessionWork, chosen []string, ver githead.VersionComparer) []git.Change {
	var out []git.Change
	for _, c := range staged {
		owned := false
		for _, w := range sessions {
			owned = owned || slices.Contains(chosen, w.Session) && owns(w, []git.Change{c}, sessions, ver)
		}
		if !owned {
			out = append(out, c)
		}
	}
	return out
}

// owns reports whether the commit holds something of the session's steps.
func owns(w transcript.SessionWork, staged []git.Change, others []transcript.SessionWork, ver githead.VersionComparer) bool {
	for _, c := range staged {
		if w.Touched[c.Path] && IsInCommit(w, c, others, ver) {
			return true
		}
		if Moved(w, c, ver) {
			return true
		}
	}
	return false
}

// Moved reports whether a file of the commit has what the session wrote in another one, such as its former name,
// without a step that shows the move.
func Moved(w transcript.SessionWork, c git.Change, ver githead.VersionComparer) bool {
	return step.IsBlob(c.NewMode) && c.New != c.Old && w.Matching != githead.MatchReplay && ver.IsMoved(w, c)
}

// IsInCommit reports whether the change of one path that the session touched holds some of its work. A
// version as the last step left it is the work of the only session that touched the path, unless
// an undone commit had just that version; otherwise the session's own changes decide. They always
// decide for a removed file, because a person's removal holds nothing of the session's work.
func IsInCommit(w transcript.SessionWork, c git.Change, others []transcript.SessionWork, ver githead.VersionComparer) bool {
	last, present := w.AtLastStep[c.Path]
	exact := present && worktree.SameContent(last, c.NewMode, c.New)
	if exact && c.NewMode != 0 && !anyMadeVersion(w.Undone, c) && !touchedByOthers(c.Path, w, others) {
		return true
	}
	changes, superseded := ver.Own(w, c.Path)
	if len(changes) == 0 {
		if !present {
			return false
		}
		changes = []githead.FileChange{{From: sessionstate.PathVersion{Path: c.Path, Mode: c.OldMode, OID: c.Old}, To: last}}
	}
	for _, s := range slices.Backward(changes) {
		if s.IsIn(c, ver) {
			return true
		}
	}
	return w.Matching == githead.MatchAny && !superseded && !isSuperseded(w, c.Path, others) && rewritten(changes[len(changes)-1], c, ver)
}

// isSuperseded reports whether another session has worked at a path later, on another commit, so that
// this work is superseded: its steps would lie below the other session's.
func isSuperseded(w transcript.SessionWork, path string, others []transcript.SessionWork) bool {
	return slices.ContainsFunc(others, func(o transcript.SessionWork) bool {
		return o.Session != w.Session && o.Base != w.Base && o.LastSeen > w.LastSeen && (o.Touched[path] || o.Edited[path])
	})
}

// AbsentFromLastStep reports whether the last step has nothing of what the session did to a path: a stash
// holds it, or it was thrown away. The path may hold other content by now.
func AbsentFromLastStep(w transcript.SessionWork, path string, ver githead.VersionComparer) bool {
	if _, present := w.AtLastStep[path]; present {
		return false
	}
	changes, _ := ver.Own(w, path)
	return len(changes) > 0
}

// CommittedAsFound reports whether a commit has a file as the session found it, so that the session's change
// was thrown away without a step that shows it.
func CommittedAsFound(w transcript.SessionWork, c git.Change, ver githead.VersionComparer) bool {
	if last, present := w.AtLastStep[c.Path]; present && last.Mode == c.NewMode && last.OID == c.New {
		return false // as the last step left it, which is the usual case: no step is read
	}
	changes, _ := ver.Own(w, c.Path)
	return len(changes) > 0 && changes[0].From.Mode == c.NewMode && changes[0].From.OID == c.New
}

// touchedByOthers reports whether another session has touched or edited the path.
func touchedByOthers(path string, w transcript.SessionWork, others []transcript.SessionWork) bool {
	for _, o := range others {
		if o.Session != w.Session && (o.Touched[path] || o.Edited[path]) {
			return true
		}
	}
	return false
}

// rewritten reports whether a tracked file is committed in a version without anything of the
// change because a person has rewritten it, and not because the change was left out.
func rewritten(s githead.FileChange, c git.Change, ver githead.VersionComparer) bool {
	switch {
	case c.OldMode == 0, c.NewMode == 0, s.To.Mode == 0, s.To.OID == s.From.OID, worktree.SameContent(s.From, c.NewMode, c.New):
		return false
	}
	return !ver.Waits(s, c.New) && !ver.Holds(s, s.From.OID, c.Old) // HEAD has it already
}

// changedInTurn reports whether the commit holds a change that the worktree did not have when the
// turn began.
func changedInTurn(w transcript.SessionWork, staged []git.Change) bool {
	for _, c := range staged {
		if !existedBefore(w, c) {
			return true
		}
	}
	return false
}

// existedBefore reports whether the worktree had the committed content when the turn began, which
// makes it a person's change.
func existedBefore(w transcript.SessionWork, c git.Change) bool {
	f, ok := worktree.Find(w.AtTurnStart, c.Path)
	return ok && worktree.SameContent(f, c.NewMode, c.New)
}

// provenByTranscript reports whether the transcript proves that the commit holds the agent's work: the
// agent edited one of its paths in this turn, made a call that may have written one, or has a
// call open that may make the commit.
func provenByTranscript(w transcript.SessionWork, staged []git.Change) bool {
	for _, c := range staged {
		if (w.CallMayCommit && w.Matching != githead.MatchReplay || w.Matching == githead.MatchAny && w.Reach.MayHaveWritten(c.Path) || w.Edited[c.Path]) && !existedBefore(w, c) {
			return true
		}
	}
	return false
}

// DidInTurn reports whether a change is the work of the open turn: it was not there before the
// turn, and the transcript shows it, or who commits may have made it.
func DidInTurn(w transcript.SessionWork, c git.Change, by Committer) bool {
	return !existedBefore(w, c) && (w.Edited[c.Path] || w.CallMayCommit || w.Reach.MayHaveWritten(c.Path) || mayCommitUnseen(w, by))
}

// CarriedFiles returns the part of the last step that remains after a commit: the paths whose content
// is neither in the commit nor superseded by what the worktree has. HashOnDisk reports whether the
// worktree's file equals the commit's.
func CarriedFiles(step []git.Change, committed func(path string) (mode uint32, oid git.OID), onDisk func(path string) bool) sessionstate.PathVersions {
	var out []sessionstate.PathVersion
	for _, c := range step {
		mode, oid := committed(c.Path)
		if c.NewMode == mode && c.New == oid {
			continue
		}
		if onDisk(c.Path) {
			continue
		}
		out = append(out, sessionstate.PathVersion{Path: c.Path, Mode: c.NewMode, OID: c.New})
	}
	return worktree.SortVersions(out)
}
