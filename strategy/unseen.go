package strategy

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"entire/checkpoint"
	"entire/internal/git"
)

const (
	// unseenMax bounds the commits without our hooks that are examined, and the commits that a
	// session records.
	unseenMax = 50
	// unseenTime bounds the time for that. After it, a commit that is being examined counts if it
	// changes one of the session's files, and a further commit counts if it was made here.
	unseenTime = 300 * time.Millisecond
)

// unseen returns the commits with work of the session that were made since its last event
// without our hooks: by a program that runs none, or with core.hooksPath set. They lie below
// HEAD, or HEAD has left them; seen is a commit whose hook runs. If in doubt it includes a
// commit: one too many makes a person's lines unknown, one too few gives an agent's lines to a
// person.
func (s *ManualCommitStrategy) unseen(ctx context.Context, o *open, to, seen git.OID, late func() bool) ([]unlinkedCommit, error) {
	from := baseOf(o)
	if from.IsZero() || to.IsZero() || len(o.state.FilesTouched) == 0 && !o.inTurn() {
		return nil, nil
	}
	reflog := s.reflogSince(o.side.Reflog)
	made := madeIn(reflog)
	// If HEAD was only committed to, a commit that the reflog lacks was made here by a program
	// without a reflog, or with its own.
	allHere := o.side.Reflog > 0 && s.reflogSize() >= o.side.Reflog && !moved(reflog)
	commits, err := s.sinceEvent(ctx, from, to, made)
	if err != nil {
		return nil, err
	}
	commits = slices.DeleteFunc(commits, func(c git.Commit) bool {
		// Lines that the record of a linked commit lacks are unknown.
		return c.OID == seen || s.missed[c.OID] || len(checkpoint.ParseCheckpointTrailers(c.Message)) > 0
	})
	if len(commits) == 0 {
		return nil, nil
	}
	links, err := checkpoint.NewRecords(s.repo).Links(ctx)
	if err != nil {
		return nil, err
	}
	commits = slices.DeleteFunc(commits, func(c git.Commit) bool { return len(links[c.OID]) > 0 })
	if len(commits) == 0 {
		return nil, nil
	}
	own, err := s.workOf(ctx, o.id)
	if err != nil {
		return nil, err
	}
	var out []unlinkedCommit
	ev := s.evidence(ctx)
	if len(ev.chain(from)) == 0 { // the steps have moved further than the session
		own.base = to
		if err := s.addLeft(ctx, o, from, &own); err != nil {
			return nil, err
		}
	}
	for _, c := range commits {
		files, madeHere := 0, allHere || slices.Contains(made, c.OID)
		switch {
		case late():
			if madeHere {
				files = 1
			}
		case madeHere:
			cm, err := s.newCommit(ctx, c, nil)
			if err != nil {
				return nil, err
			}
			w := own
			if err := s.addBegan(ctx, &w, cm.changes); err != nil {
				return nil, err
			}
			files = w.foundIn(cm.changes, ev, late)
		default: // made elsewhere: only the identical version proves the session's work
			if files, err = s.sameIn(ctx, c, own, late); err != nil {
				return nil, err
			}
		}
		if files > 0 {
			out = append(out, unlinkedCommit{Commit: c.OID, Files: files})
		}
	}
	return out, nil
}

// sameIn counts the files that have, in a commit, the version of the session's last step.
func (s *ManualCommitStrategy) sameIn(ctx context.Context, c git.Commit, w work, late func() bool) (files int, err error) {
	var below git.OID
	if len(c.Parents) > 0 {
		if below, err = s.headTree(ctx, c.Parents[0]); errors.Is(err, git.ErrMissing) {
			return 0, nil
		} else if err != nil {
			return 0, err
		}
	}
	rd := s.repo.Reader(ctx)
	for path, left := range w.left {
		if left.mode == 0 || late() {
			continue
		}
		is, _, err := rd.Path(c.Tree, path)
		if err != nil {
			return files, err
		}
		if is.OID != left.oid {
			continue
		}
		if !below.IsZero() {
			was, _, err := rd.Path(below, path)
			if err != nil {
				return files, err
			}
			if was.OID == is.OID {
				continue
			}
		}
		files++
	}
	return files, nil
}

// addLeft adds the files of the session's last step that differ from base.
func (s *ManualCommitStrategy) addLeft(ctx context.Context, o *open, base git.OID, w *work) error {
	if o.side.Tip.IsZero() {
		return nil
	}
	tip, ok, err := s.repo.Reader(ctx).CommitOf(o.side.Tip.String())
	if err != nil || !ok {
		return err
	}
	files, err := s.above(ctx, base, tip.Tree)
	if err != nil {
		return err
	}
	for p := range w.touched {
		if f, ok := files.find(p); ok {
			w.left[p] = f
		}
	}
	return nil
}

// foundIn counts the files of a commit that may hold work of the session. It returns 0 if, in
// the time it has, it finds no such work.
func (w work) foundIn(changes []git.Change, ver versions, late func() bool) (files int) {
	steps := w // a person's version in place of a step's is not the session's work
	steps.strict = merging
	found, over := false, false
	for i, c := range changes {
		touched := w.touched[c.Path] || w.active && w.edited[c.Path]
		if touched {
			files++
		}
		if i%16 == 0 {
			over = late()
		}
		switch {
		case found:
		case over:
			found = touched
		default:
			one := changes[i : i+1]
			found = steps.owns(one, []work{w}, ver) || w.active && (w.provenInTurn(one) || !w.evidence && !(w.heard && w.told) && w.changedInTurn(one))
		}
	}
	if !found {
		return 0
	}
	return max(files, 1)
}

// sinceEvent returns the commits of HEAD that the session's base does not have, and those that
// were made here since its last event, each once.
func (s *ManualCommitStrategy) sinceEvent(ctx context.Context, from, to git.OID, made []git.OID) ([]git.Commit, error) {
	var out []git.Commit
	if from != to {
		var err error
		if out, err = s.gained(ctx, from, to); err != nil {
			return nil, err
		}
	}
	known := map[git.OID]bool{}
	for _, c := range out {
		known[c.OID] = true
	}
	var specs []string
	for _, oid := range made {
		if !known[oid] && len(specs) < unseenMax {
			known[oid] = true
			specs = append(specs, oid.String())
		}
	}
	left, err := s.commitsOf(ctx, specs)
	return append(out, left...), err
}

// noteUnseen records the commits that unseen finds and reports whether there are any.
func (s *ManualCommitStrategy) noteUnseen(ctx context.Context, o *open, to, seen git.OID) bool {
	size := s.reflogSize()
	commits, err := s.unseen(ctx, o, to, seen, s.in(unseenTime))
	if err != nil {
		s.Log.Warn("commits that hooks did not see were not looked at", "session_id", o.id.String(), "err", err)
	} else {
		o.side.Reflog = size
	}
	for _, c := range slices.Backward(commits) {
		s.noteUnlinked(o, c.Commit, c.Files)
	}
	return len(commits) > 0
}

// gained returns the first-parent history of to, beginning with to, down to the first commit
// that from also has; the newest unseenMax if from is zero.
func (s *ManualCommitStrategy) gained(ctx context.Context, from, to git.OID) ([]git.Commit, error) {
	var had []git.Commit
	if !from.IsZero() {
		var err error
		if had, err = s.commitsOf(ctx, ancestors(from.String(), keptMax)); err != nil || len(had) == 0 {
			return nil, err
		}
	}
	commits, err := s.commitsOf(ctx, ancestors(to.String(), unseenMax))
	if err != nil {
		return nil, err
	}
	known := func(c git.Commit) bool {
		return slices.ContainsFunc(had, func(h git.Commit) bool { return h.OID == c.OID })
	}
	if n := slices.IndexFunc(commits, known); n >= 0 {
		return commits[:n], nil
	}
	return commits, nil
}

// commitsOf reads the commits that exist.
func (s *ManualCommitStrategy) commitsOf(ctx context.Context, specs []string) ([]git.Commit, error) {
	objs, err := s.repo.Reader(ctx).Objects(specs...)
	if err != nil {
		return nil, err
	}
	var out []git.Commit
	for _, o := range objs {
		if o.Type != "commit" {
			continue
		}
		c, err := git.ParseCommit(o.OID, o.Data)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// madeIn returns the commits that HEAD's reflog says were made here, newest first. Others came
// with a pull, a rebase or a switch.
func madeIn(reflog []byte) (made []git.OID) {
	for line := range strings.Lines(string(reflog)) {
		head, what, _ := strings.Cut(line, "\t")
		words := strings.Fields(head)
		if len(words) < 2 || !strings.HasPrefix(what, "commit") {
			continue
		}
		if oid, err := git.ParseOID(words[1]); err == nil {
			made = append(made, oid)
		}
	}
	slices.Reverse(made)
	return made
}

// moved reports whether HEAD's reflog says that HEAD moved to an existing commit.
func moved(reflog []byte) bool {
	for line := range strings.Lines(string(reflog)) {
		_, what, _ := strings.Cut(line, "\t")
		if what = strings.TrimSpace(what); what != "" && !strings.HasPrefix(what, "commit") {
			return true
		}
	}
	return false
}

// in returns a function that reports whether the duration d is over.
func (s *ManualCommitStrategy) in(d time.Duration) (late func() bool) {
	end := s.Now().Add(d)
	return func() bool { return s.Now().After(end) }
}
