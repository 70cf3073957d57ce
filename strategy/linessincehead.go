package strategy

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"entire/internal/attribution"
	"entire/internal/git"
)

// LinesSinceHead returns the owner of each line of a worktree file that HEAD does not have,
// according to the steps since the last commit; other lines get an empty class. It changes nothing.
// It returns nil for a file that nothing is known of.
func (s *ManualCommitStrategy) LinesSinceHead(ctx context.Context, path string) ([]attribution.RecordOwner, error) {
	wt, err := s.repo.OpenWorktree()
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
	sessions, chains, cm, err := s.sinceHead(ctx)
	if err != nil {
		return nil, err
	}
	files := map[string]foldedFile{}
	for _, p := range chains {
		if err := s.foldWorktree(ctx, p, cm, filepath.ToSlash(path), text, files); err != nil {
			return nil, err
		}
	}
	if len(chains) == 0 { // without steps, the changes are a person's
		if err := s.foldWorktree(ctx, &past{authors: &authors{}}, cm, filepath.ToSlash(path), text, files); err != nil {
			return nil, err
		}
	}
	if err := s.movedHere(ctx, wt, chains, cm, filepath.ToSlash(path), files); err != nil {
		return nil, err
	}
	s.leaveCalled(ctx, sessions, cm.sums, files)
	names := s.ownerNames(ctx, sessions)
	var out []attribution.RecordOwner
	for _, l := range files[path].Lines {
		var o attribution.RecordOwner
		if l.Added {
			o = names(l.Owner)
		}
		out = append(out, o)
	}
	return out, nil
}

// movedHere marks as unknown the lines that a person moved into the file from other worktree files
// since HEAD.
func (s *ManualCommitStrategy) movedHere(ctx context.Context, wt *git.Worktree, chains []*past, cm madeCommit, path string, files map[string]foldedFile) error {
	f := files[path]
	var candidates []int // lines that may have been moved
	for i, l := range f.Lines {
		if l.Added && !l.Moved && l.Owner.Class == attribution.Person {
			candidates = append(candidates, i)
		}
	}
	if !slices.ContainsFunc(candidates, func(i int) bool { return f.strong[i] }) {
		return nil
	}
	st, err := s.repo.Status(ctx)
	if err != nil {
		return err
	}
	others := map[string]bool{}
	for _, e := range st.Entries {
		others[e.Path] = !e.Submodule && !e.Ignored
	}
	for _, p := range chains {
		for _, st := range p.steps {
			changes, err := s.stepChanges(ctx, st)
			if err != nil {
				return err
			}
			for _, c := range changes {
				others[c.Path] = true
			}
		}
	}
	others[path] = false
	if len(chains) == 0 {
		chains = []*past{{authors: &authors{}}}
	}
	for _, other := range slices.Sorted(maps.Keys(others))[:min(len(others), leftMax)] {
		if !others[other] {
			continue
		}
		text, _, err := wt.Read(other)
		if err != nil {
			text = nil // the file is gone
		}
		for _, p := range chains {
			if err := s.foldWorktree(ctx, p, cm, other, text, files); err != nil {
				return err
			}
		}
	}
	markMoved(files)
	s.leaveMoved(files, nil, nil)
	for _, i := range candidates {
		if f.Lines[i].Moved {
			f.Lines[i].Owner = attribution.Owner{Class: attribution.Unknown}
		}
	}
	return nil
}

// sinceHead returns the sessions with work since HEAD, the step chains that led to the worktree,
// and the commit that the worktree would make.
func (s *ManualCommitStrategy) sinceHead(ctx context.Context) ([]*open, []*past, madeCommit, error) {
	var cm madeCommit
	head, born, err := s.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return nil, nil, cm, err
	}
	if born {
		cm.parent, cm.Commit.Parents = head.OID, []git.OID{head.OID}
	}
	sums, err := s.here(ctx)
	if err != nil {
		return nil, nil, cm, err
	}
	cm.sums = sums
	var sessions []*open
	for _, sum := range sums {
		if !pending(sum) {
			continue
		}
		o := &open{id: sum.ID}
		if err := s.readSession(ctx, o); err != nil || o.isNew {
			continue
		}
		o.hearUnread()
		sessions = append(sessions, o)
	}
	chains, err := s.pasts(ctx, cm, sessions)
	return sessions, chains, cm, err
}

// foldWorktree adds to files the history of path up to text, its content in the worktree.
func (s *ManualCommitStrategy) foldWorktree(ctx context.Context, p *past, cm madeCommit, path string, text []byte, files map[string]foldedFile) error {
	below, err := s.headTree(ctx, cm.parent)
	if err != nil {
		return err
	}
	trees := []git.OID{p.base}
	for _, st := range p.steps {
		trees = append(trees, st.Tree)
	}
	at, err := s.filesAt(ctx, append(trees, below), []string{path})
	if err != nil {
		return err
	}
	var now git.OID
	if text != nil {
		now = s.repo.BlobOID(text)
	}
	c := &fileChain{path: path, commit: now, parents: []git.OID{at[len(trees)][0]}, amended: p.amended}
	c.place(at[:len(trees)], 0, len(p.steps), p.base.IsZero())
	moves, err := s.baseMoves(ctx, p, []string{path})
	if err != nil {
		return err
	}
	c.led(moves, 0)
	memory := s.loadLines()
	plan := c.plan(p, memory)
	oids := plan.blobs()
	if len(oids) > versionsMax {
		return nil
	}
	texts, err := s.texts(ctx, slices.DeleteFunc(oids, func(oid git.OID) bool { return oid == now }))
	if err != nil {
		return err
	}
	texts[now] = text
	if f, ok := plan.fold(texts, memory, &folding{}); ok {
		if earlier, twice := files[path]; twice {
			f.File = agreed(earlier.File, f.File)
			f.dropped, f.lost = attribution.Unite(earlier.dropped, f.dropped), append(earlier.lost, f.lost...)
		}
		files[path] = f
	}
	return nil
}
