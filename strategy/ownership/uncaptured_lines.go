package ownership

import (
	"context"
	"slices"

	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/strategy/evidence"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// NoteUncapturedLines remembers, at the end of a turn, the lines that its calls wrote and no step shows:
// in a file that was stashed or restored since (git stash, git checkout), also if the session or another one wrote that file
// again, that git ignores, or that is in another worktree. Nobody can tell who brings these lines into a commit:
// a person's stash pop does not make them the author. Lines that the turn found in the file are not the call's.
func NoteUncapturedLines(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, head git.OID) error {
	var calls, uncaptured []sessionstate.EditCall
	var written, paths []string
	for _, call := range o.Engine.Capture.Calls {
		if call.Turn == max(o.Engine.TurnNumber, 1) && len(call.Lines) > 0 {
			rel, here := transcript.RepoPath(s, call.Path)
			if !here {
				rel = ""
			}
			calls, written = append(calls, call), append(written, rel)
		}
	}
	shown, err := touchedInStep(ctx, s, o, written)
	if err != nil {
		return err
	}
	for i, call := range calls {
		isShown := slices.ContainsFunc(call.Lines, func(p attribution.Print) bool { return shown[written[i]][p] })
		if !isShown && len(uncaptured) < leftOutMax {
			uncaptured, paths = append(uncaptured, call), append(paths, written[i])
		}
	}
	if len(uncaptured) == 0 {
		return nil
	}
	found := []map[string]map[attribution.Print]bool{}
	for _, commit := range []git.OID{head, o.Engine.TurnStart.Step} {
		if commit.IsZero() && commit != head {
			continue
		}
		lines, err := committedLines(ctx, s, commit, paths)
		if err != nil {
			return err
		}
		found = append(found, lines)
	}
	var lines attribution.Prints
	for i, call := range uncaptured {
		for _, p := range call.Lines {
			if !slices.ContainsFunc(found, func(in map[string]map[attribution.Print]bool) bool { return in[paths[i]][p] }) {
				lines = append(lines, p)
			}
		}
	}
	if len(lines) > 0 {
		rememberUnlinked(o, lines)
	}
	return nil
}

// NoteLostCalls remembers the lines of a session's calls that left no line in the commit. It is called when the commit
// leaves none of the session's work uncommitted: those lines were stashed or replaced, and a person may bring them back.
func NoteLostCalls(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, commit git.OID) {
	var paths []string
	for _, call := range o.Engine.Capture.Calls {
		if rel, here := transcript.RepoPath(s, call.Path); here {
			paths = append(paths, rel)
		}
	}
	if len(paths) == 0 {
		return
	}
	has, err := committedLines(ctx, s, commit, paths)
	if err != nil {
		s.Log.Warn("calls whose work is nowhere were not looked at", "session_id", o.ID.String(), "err", err)
		return
	}
	var lost attribution.Prints
	for _, call := range o.Engine.Capture.Calls {
		rel, here := transcript.RepoPath(s, call.Path)
		if here && !slices.ContainsFunc(call.Lines, func(p attribution.Print) bool { return has[rel][p] }) {
			lost = append(lost, call.Lines...)
		}
	}
	if len(lost) > 0 {
		rememberUnlinked(o, lost)
	}
}

// touchedInStep returns the lines that the session's last step has in those of the files that the session touched.
func touchedInStep(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, paths []string) (map[string]map[attribution.Print]bool, error) {
	if o.Engine.LastStep.IsZero() {
		return nil, nil
	}
	touched := slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		return path == "" || !slices.Contains(o.State.FilesTouched, sessionstate.EncodePath(path))
	})
	if len(touched) == 0 {
		return nil, nil
	}
	return committedLines(ctx, s, o.Engine.LastStep, touched)
}

// committedLines returns the lines of files in a commit; the path "" is skipped.
func committedLines(ctx context.Context, s *sessionstate.Env, commit git.OID, paths []string) (map[string]map[attribution.Print]bool, error) {
	out := map[string]map[attribution.Print]bool{}
	tree, err := worktree.HeadTree(ctx, s, commit)
	if err != nil {
		return nil, err
	}
	paths = slices.Compact(slices.Sorted(slices.Values(slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p == "" }))))
	at, err := step.BlobsAt(ctx, s, []git.OID{tree}, paths)
	if err != nil {
		return nil, err
	}
	texts, err := transcript.BlobTexts(ctx, s, at[0])
	if err != nil {
		return nil, err
	}
	for i, path := range paths {
		out[path] = attribution.PrintSet(texts[at[0][i]])
	}
	return out, nil
}

// addUncaptured claims those lines of a person that a session remembers as written without a step that shows them, and
// those that calls of sessions of other worktrees wrote to the same path, here or there.
func (c *claims) addUncaptured(ctx context.Context, open []*sessionstate.LockedSession) error {
	if len(c.people) == 0 {
		return nil
	}
	known := map[id.SessionID]bool{}
	for _, o := range open {
		known[o.ID] = true
		for _, p := range o.Engine.UnlinkedLines.Distinct() { // earlier versions stored a line as often as it was there
			c.addBrought(p, o.ID, "")
		}
	}
	sums, err := evidence.SessionsElsewhere(ctx, c.s)
	for _, sum := range sums {
		o := &sessionstate.LockedSession{ID: sum.ID}
		if known[o.ID] || c.s.ReadSession(ctx, o) != nil {
			continue
		}
		for path, lines := range evidence.CallsElsewhere(c.s, o) {
			for p := range lines {
				c.addBrought(p, o.ID, path)
			}
		}
	}
	return err
}

// addBrought claims a line of a person, at path or for "" anywhere, that a session wrote before the steps.
func (c *claims) addBrought(p attribution.Print, by id.SessionID, path string) {
	for _, l := range c.people[p] {
		if path == "" || l.path == path {
			c.add(l.path, l.at, claim{owner: agentOwner(by.String()), when: longAgo, alone: true})
		}
	}
}
