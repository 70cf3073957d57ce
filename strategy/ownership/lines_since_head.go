package ownership

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"entire/internal/attribution"
	"entire/internal/git"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// LinesSinceHead returns the owner of each line of a worktree file that HEAD does not have,
// according to the steps since the last commit; other lines get an empty class. It changes nothing.
// It returns nil for a file that nothing is known of.
func LinesSinceHead(ctx context.Context, s *sessionstate.Env, path string) ([]attribution.RecordOwner, error) {
	wt, err := s.Repo.OpenWorktree()
	if err != nil {
		return nil, err
	}
	defer wt.Close()
	fi, err := wt.Lstat(path)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > attribution.MaxBytes {
		return nil, err
	}
	text, _, err := wt.Read(path)
	if err != nil || !attribution.Countable(text) {
		return nil, err
	}
	sessions, idle, chains, cm, err := workSinceHead(ctx, s)
	if err != nil {
		return nil, err
	}
	files := map[string]attributedFile{}
	for _, p := range chains {
		if err := addWorktreeHistory(ctx, s, p, cm, filepath.ToSlash(path), text, files); err != nil {
			return nil, err
		}
	}
	if err := markMovedInto(ctx, s, wt, chains, cm, filepath.ToSlash(path), files); err != nil {
		return nil, err
	}
	c := newClaims(s, files, len(chains) > 1)
	if err := c.addUncaptured(ctx, slices.Concat(sessions, idle)); err != nil {
		s.Log.Warn("sessions of other worktrees were not looked at", "path", path, "err", err)
	}
	brought := maps.Clone(c.byLine[filepath.ToSlash(path)])
	c.addCalled(ctx, sessions, cm.Sessions, authorsOf(chains))
	c.addConcurrent(ctx, authorsOf(chains))
	if err := c.addUndone(ctx); err != nil {
		s.Log.Warn("what resets undid was not looked at", "path", path, "err", err)
	}
	c.decide()
	files[path].doubtBeside(brought)
	unseen, err := outOfSteps(ctx, s, filepath.ToSlash(path))
	if err != nil {
		return nil, err
	}
	names := recordOwners(ctx, s, sessions)
	var out []attribution.RecordOwner
	for _, l := range files[path].Lines {
		var o attribution.RecordOwner
		if l.Added && !(unseen && l.Owner.Class == attribution.Person) {
			o = names(l.Owner)
		}
		out = append(out, o)
	}
	return out, nil
}

// doubtBeside makes unknown a person's lines that are too short to be recognised and stand, with nothing but such lines
// between, beside a line that a session wrote where no step shows it: they came with that line, or a person wrote them.
func (f attributedFile) doubtBeside(brought map[int][]claim) {
	for i := range brought {
		for _, by := range []int{-1, 1} {
			for k := i + by; k >= 0 && k < len(f.Lines) && f.Lines[k].Added && !f.strong[k]; k += by {
				if f.Lines[k].Owner.Class == attribution.Person {
					f.Lines[k].Owner = unknownOwner
				}
			}
		}
	}
}

// outOfSteps reports whether steps do not hold a file, because git ignores it or another repository has it. That no
// agent's step shows its lines then does not make them a person's.
func outOfSteps(ctx context.Context, s *sessionstate.Env, path string) (bool, error) {
	ignored, err := s.Repo.Ignored(ctx, []string{path})
	if err != nil || !ignored[path] || worktree.IncludedDigest(s) == "" {
		return ignored[path], err
	}
	included, err := s.Repo.Matching(ctx, s.IncludeIgnored)
	return !slices.Contains(included, path), err
}

// markMovedInto marks as unknown the lines that a person or a command moved into the file from other worktree
// files since HEAD.
func markMovedInto(ctx context.Context, s *sessionstate.Env, wt *git.Worktree, chains []*stepChain, cm githead.MadeCommit, path string, files map[string]attributedFile) error {
	f := files[path]
	var candidates []int // lines that may have been moved
	for i, l := range f.Lines {
		called := func(p *stepChain) bool { return p.authors.called(l.Owner, f.prints[i]) }
		if l.Added && !l.Moved && (l.Owner.Class == attribution.Person || l.Owner.Class == attribution.Agent && !slices.ContainsFunc(chains, called)) {
			candidates = append(candidates, i)
		}
	}
	if !slices.ContainsFunc(candidates, func(i int) bool { return f.strong[i] }) {
		return nil
	}
	st, err := s.Repo.Status(ctx)
	if err != nil {
		return err
	}
	others := map[string]bool{}
	for _, e := range st.Entries {
		others[e.Path] = !e.Submodule && !e.Ignored
	}
	for _, p := range chains {
		for _, st := range p.steps {
			changes, err := evidence.StepChanges(ctx, s, st)
			if err != nil {
				return err
			}
			for _, c := range changes {
				others[c.Path] = true
			}
		}
	}
	others[path] = false
	for _, other := range slices.Sorted(maps.Keys(others))[:min(len(others), leftOutMax)] {
		if !others[other] {
			continue
		}
		text, _, err := wt.Read(other)
		if err != nil {
			text = nil // the file is gone
		}
		for _, p := range chains {
			if err := addWorktreeHistory(ctx, s, p, cm, other, text, files); err != nil {
				return err
			}
		}
	}
	markMoved(files)
	c := newClaims(s, files, len(chains) > 1)
	c.addMovedBetween(nil, nil)
	c.decide()
	for _, i := range candidates {
		if f.Lines[i].Moved {
			f.Lines[i].Owner = unknownOwner
		}
	}
	return nil
}

// workSinceHead returns the sessions with work since HEAD, the other ones, the step chains that led to the worktree,
// and the commit that the worktree would make.
func workSinceHead(ctx context.Context, s *sessionstate.Env) (sessions, idle []*sessionstate.LockedSession, _ []*stepChain, cm githead.MadeCommit, _ error) {
	head, born, err := s.Repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return nil, nil, nil, cm, err
	}
	if born {
		cm.Parent, cm.Commit.Parents = head.OID, []git.OID{head.OID}
	}
	sums, err := step.WorktreeSessions(ctx, s)
	if err != nil {
		return nil, nil, nil, cm, err
	}
	cm.Sessions = sums
	for _, sum := range sums {
		o := &sessionstate.LockedSession{ID: sum.ID}
		if err := s.ReadSession(ctx, o); err != nil || o.IsNew {
			continue
		}
		if !step.HasPendingWork(sum) {
			idle = append(idle, o)
			continue
		}
		transcript.AddUnreadCalls(o)
		sessions = append(sessions, o)
	}
	chains, err := stepChains(ctx, s, cm, sessions)
	if len(chains) == 0 { // without steps, the changes are a person's
		chains = []*stepChain{{authors: &Authors{}}}
	}
	return sessions, idle, chains, cm, err
}

// addWorktreeHistory adds to files the history of path up to text, its content in the worktree.
func addWorktreeHistory(ctx context.Context, s *sessionstate.Env, p *stepChain, cm githead.MadeCommit, path string, text []byte, files map[string]attributedFile) error {
	below, err := worktree.HeadTree(ctx, s, cm.Parent)
	if err != nil {
		return err
	}
	trees := p.trees()
	at, err := step.BlobsAt(ctx, s, append(trees, below), []string{path})
	if err != nil {
		return err
	}
	var now git.OID
	if text != nil {
		now = s.Repo.BlobOID(text)
	}
	c := &lineHistory{path: path, commit: now, parents: []git.OID{at[len(trees)][0]}, amended: p.amended}
	c.setBlobs(at[:len(trees)], 0, len(p.steps), p.base.IsZero())
	moves, err := headMovesAmong(ctx, s, p, []string{path})
	if err != nil {
		return err
	}
	c.noteHeadMoves(moves, 0)
	memory := loadLineMemory(s)
	plan := c.plan(p, memory)
	oids := plan.blobs()
	if len(oids) > VersionsMax {
		return nil
	}
	texts, err := transcript.BlobTexts(ctx, s, slices.DeleteFunc(oids, func(oid git.OID) bool { return oid == now }))
	if err != nil {
		return err
	}
	texts[now] = text
	if f, ok := plan.attribute(texts, memory, &attributionBuffers{}); ok {
		addAccount(files, path, f, false)
	}
	return nil
}
