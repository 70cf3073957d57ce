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
	path = filepath.ToSlash(path)
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
	work, err := workSinceHead(ctx, s)
	if err != nil {
		return nil, err
	}
	files := map[string]attributedFile{}
	if err := work.addHistory(ctx, s, path, text, files); err != nil {
		return nil, err
	}
	if err := work.markMovedInto(ctx, s, wt, path, files); err != nil {
		return nil, err
	}
	if err := work.claim(ctx, s, path, files); err != nil {
		return nil, err
	}
	unseen, err := outOfSteps(ctx, s, path)
	if err != nil {
		return nil, err
	}
	names := recordOwners(ctx, s, work.sessions)
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

// claim gives the new lines of the file at a path that were written elsewhere before to their owners.
func (w *unfinishedWork) claim(ctx context.Context, s *sessionstate.Env, path string, files map[string]attributedFile) error {
	c := newClaims(s, files, len(w.chains) > 1)
	if err := c.addUncaptured(ctx, slices.Concat(w.sessions, w.idle)); err != nil {
		s.Log.Warn("sessions of other worktrees were not looked at", "path", path, "err", err)
	}
	brought := slices.Collect(maps.Keys(c.byLine[path]))
	c.addCalled(ctx, w.sessions, w.commit.Sessions, authorsOf(w.chains))
	c.addConcurrent(ctx, authorsOf(w.chains))
	if err := c.addUndone(ctx); err != nil {
		s.Log.Warn("what resets undid was not looked at", "path", path, "err", err)
	}
	c.decide()
	files[path].doubtBeside(brought)
	return nil
}

// doubtBeside makes unknown a person's lines that are too short to be recognised and stand, with nothing but such lines
// between, beside a line that a session wrote where no step shows it: they came with that line, or a person wrote them.
func (f attributedFile) doubtBeside(brought []int) {
	for _, i := range brought {
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
func (w *unfinishedWork) markMovedInto(ctx context.Context, s *sessionstate.Env, wt *git.Worktree, path string, files map[string]attributedFile) error {
	f := files[path]
	var candidates []int // lines that may have been moved
	for i, l := range f.Lines {
		called := func(p *stepChain) bool { return p.authors.called(l.Owner, f.prints[i]) }
		if l.Added && !l.Moved && (l.Owner.Class == attribution.Person || l.Owner.Class == attribution.Agent && !slices.ContainsFunc(w.chains, called)) {
			candidates = append(candidates, i)
		}
	}
	if !slices.ContainsFunc(candidates, func(i int) bool { return f.strong[i] }) {
		return nil
	}
	others, err := w.changedFiles(ctx, s)
	if err != nil {
		return err
	}
	for _, other := range others[:min(len(others), leftOutMax)] {
		if other == path {
			continue
		}
		text, _, err := wt.Read(other)
		if err != nil {
			text = nil // the file is gone
		}
		if err := w.addHistory(ctx, s, other, text, files); err != nil {
			return err
		}
	}
	markMoved(files)
	c := newClaims(s, files, len(w.chains) > 1)
	c.addMovedBetween(nil, nil)
	c.decide()
	for _, i := range candidates {
		if f.Lines[i].Moved {
			f.Lines[i].Owner = unknownOwner
		}
	}
	return nil
}

// changedFiles returns the files that differ from HEAD, or that a step changed since, sorted.
func (w *unfinishedWork) changedFiles(ctx context.Context, s *sessionstate.Env) ([]string, error) {
	st, err := s.Repo.Status(ctx)
	if err != nil {
		return nil, err
	}
	paths := map[string]bool{}
	for _, e := range st.Entries {
		if !e.Submodule && !e.Ignored {
			paths[e.Path] = true
		}
	}
	for _, p := range w.chains {
		for _, st := range p.steps {
			changes, err := evidence.StepChanges(ctx, s, st)
			if err != nil {
				return nil, err
			}
			for _, c := range changes {
				paths[c.Path] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(paths)), nil
}

// unfinishedWork is what sessions and people have done in the worktree since HEAD.
type unfinishedWork struct {
	sessions []*sessionstate.LockedSession // with work since HEAD
	idle     []*sessionstate.LockedSession // the other ones
	chains   []*stepChain                  // the steps that led to the worktree
	commit   githead.MadeCommit            // as the worktree would make it
	memory   *lineMemory
}

func workSinceHead(ctx context.Context, s *sessionstate.Env) (*unfinishedWork, error) {
	w := &unfinishedWork{memory: loadLineMemory(s)}
	head, born, err := s.Repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return nil, err
	}
	if born {
		w.commit.Parent, w.commit.Commit.Parents = head.OID, []git.OID{head.OID}
	}
	if w.commit.Sessions, err = step.WorktreeSessions(ctx, s); err != nil {
		return nil, err
	}
	for _, sum := range w.commit.Sessions {
		o := &sessionstate.LockedSession{ID: sum.ID}
		if err := s.ReadSession(ctx, o); err != nil || o.IsNew {
			continue
		}
		if !step.HasPendingWork(sum) {
			w.idle = append(w.idle, o)
			continue
		}
		transcript.AddUnreadCalls(o)
		w.sessions = append(w.sessions, o)
	}
	w.chains, err = stepChains(ctx, s, w.commit, w.sessions)
	if len(w.chains) == 0 { // without steps, the changes are a person's
		w.chains = []*stepChain{{authors: &Authors{}}}
	}
	return w, err
}

// addHistory adds to files the histories of path in all step chains, up to text, its content in the worktree.
func (w *unfinishedWork) addHistory(ctx context.Context, s *sessionstate.Env, path string, text []byte, files map[string]attributedFile) error {
	for _, p := range w.chains {
		if err := w.addHistoryOf(ctx, s, p, path, text, files); err != nil {
			return err
		}
	}
	return nil
}

// addHistoryOf is addHistory for one of the step chains.
func (w *unfinishedWork) addHistoryOf(ctx context.Context, s *sessionstate.Env, p *stepChain, path string, text []byte, files map[string]attributedFile) error {
	below, err := worktree.HeadTree(ctx, s, w.commit.Parent)
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
	plan := c.plan(p, w.memory)
	oids := plan.blobs()
	if len(oids) > VersionsMax {
		return nil
	}
	texts, err := transcript.BlobTexts(ctx, s, slices.DeleteFunc(oids, func(oid git.OID) bool { return oid == now }))
	if err != nil {
		return err
	}
	texts[now] = text
	if f, ok := plan.attribute(texts, w.memory, &attributionBuffers{}); ok {
		addAccount(files, path, f, false)
	}
	return nil
}
