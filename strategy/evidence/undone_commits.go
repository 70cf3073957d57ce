package evidence

import (
	"context"
	"slices"

	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// MaxHistory bounds the search for a commit in HEAD's history.
const MaxHistory = 100

// RedoneCheckpoints returns the checkpoints of undone commits whose content is among the changes. chosen
// are the sessions whose work is in these changes; their versions count only if the undone
// content was in the file before their work.
func RedoneCheckpoints(ctx context.Context, s *sessionstate.Env, lost []transcript.UndoneCommit, changes []git.Change, chosen []id.SessionID) ([]id.CheckpointID, error) {
	if len(lost) == 0 || len(changes) == 0 {
		return nil, nil
	}
	ev := Evidence(ctx, s)
	before, err := versionBeforeSessions(ctx, s, ev, chosen)
	if err != nil {
		return nil, err
	}
	var out []id.CheckpointID
	for _, u := range lost {
		if isRedoneIn(u, changes, before, ev) {
			out = append(out, u.Checkpoints...)
		}
	}
	return out, nil
}

// anyMadeVersion reports whether one of the undone commits gave the changed file the same content.
func anyMadeVersion(lost []transcript.UndoneCommit, c git.Change) bool {
	return slices.ContainsFunc(lost, func(u transcript.UndoneCommit) bool {
		return slices.ContainsFunc(u.Changes, func(was git.Change) bool { return was.Path == c.Path && was.New == c.New })
	})
}

// isRedoneIn reports whether the changes contain any of the undone commit's content. before replaces
// the version that a session wrote by the one before its work: the undone content must be in
// both, so what a `reset --hard` removed does not count.
func isRedoneIn(u transcript.UndoneCommit, changes []git.Change, before func(git.Change) git.Change, ver githead.VersionComparer) bool {
	for _, c := range changes {
		for _, was := range u.Changes {
			if was.Path != c.Path {
				continue
			}
			now := before(c)
			again := now.Old == was.New && now.OldMode == was.NewMode // HEAD already has it
			made := now.New != now.Old || now.NewMode != now.OldMode
			if made && !again && fileChangeOf(was).IsIn(now, ver) && (now == c || fileChangeOf(was).IsIn(c, ver)) {
				return true
			}
		}
	}
	return false
}

func fileChangeOf(c git.Change) githead.FileChange {
	return githead.FileChange{From: sessionstate.PathVersion{Path: c.Path, Mode: c.OldMode, OID: c.Old}, To: sessionstate.PathVersion{Path: c.Path, Mode: c.NewMode, OID: c.New}}
}

// versionBeforeSessions returns a function that replaces the committed version of a path by the one
// before the chosen sessions' first step, if the commit has the version of their last step.
func versionBeforeSessions(ctx context.Context, s *sessionstate.Env, ev *evidence, chosen []id.SessionID) (func(git.Change) git.Change, error) {
	var works []transcript.SessionWork
	for _, sid := range chosen {
		w, err := ReadWork(ctx, s, sid)
		if err != nil {
			return nil, err
		}
		works = append(works, w)
	}
	return func(c git.Change) git.Change {
		for _, w := range works {
			left, ok := w.AtLastStep[c.Path]
			if !ok || !worktree.SameContent(left, c.NewMode, c.New) || !ev.wrote(w, left) {
				continue
			}
			c.New, c.NewMode = c.Old, c.OldMode
			if changes, _ := ev.Own(w, c.Path); len(changes) > 0 && changes[0].From.Mode != 0 {
				c.New, c.NewMode = changes[0].From.OID, changes[0].From.Mode
			}
			return c
		}
		return c
	}, nil
}

// wrote reports whether a session's own steps gave a path this version. It is true if no step
// changed the path.
func (e *evidence) wrote(w transcript.SessionWork, f sessionstate.PathVersion) bool {
	changes, _ := e.Own(w, f.Path)
	return len(changes) == 0 || slices.ContainsFunc(changes, func(s githead.FileChange) bool { return worktree.SameContent(s.To, f.Mode, f.OID) })
}

// UndoneCommits lists the linked commits that resets removed from HEAD's history and that are not in it
// again. Without a reset it does not call git.
func UndoneCommits(ctx context.Context, s *sessionstate.Env) ([]transcript.UndoneCommit, error) {
	linked, err := githead.LinkedUndone(ctx, s, githead.Resets(ctx, s))
	if err != nil || len(linked) == 0 {
		return nil, err
	}
	kept, err := recentHistory(ctx, s)
	if err != nil {
		return nil, err
	}
	links, err := records.NewReader(s.Repo).Links(ctx)
	if err != nil {
		return nil, err
	}
	var out []transcript.UndoneCommit
	for _, oid := range linked {
		if kept[oid] {
			continue
		}
		c, ok, err := s.Repo.Reader(ctx).CommitOf(oid.String())
		if err != nil {
			return nil, err
		}
		if !ok {
			continue // pruned
		}
		cm, err := NewCommit(ctx, s, c, nil)
		if err != nil {
			return nil, err
		}
		out = append(out, transcript.UndoneCommit{Checkpoints: links.Of(c.OID, c.Message), Changes: cm.Changes})
	}
	return out, nil
}

// recentHistory returns the set of HEAD's newest first-parent ancestors.
func recentHistory(ctx context.Context, s *sessionstate.Env) (map[git.OID]bool, error) {
	objs, err := s.Repo.Reader(ctx).Objects(githead.AncestorSpecs("HEAD", MaxHistory+githead.UndoneMax)...)
	kept := map[git.OID]bool{}
	for _, o := range objs {
		kept[o.OID] = true
	}
	return kept, err
}
