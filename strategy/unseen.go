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
	// unseenMax bounds the commits that are looked at which our hooks did not see, and
	// those with its work that a session remembers.
	unseenMax = 50
	// unseenTime is how long that may take. What is left of a commit by then is taken to
	// hold work of the session's if it changes one of its files; further commits are if
	// they were made here.
	unseenTime = 300 * time.Millisecond
)

// unseen are the commits since a session's last event, up to HEAD or made on the way and
// left by it, that took work of the session's while our hooks did not run: made by a
// program that has none, or with core.hooksPath set. seen is one that they do run for.
// It errs on the side of a commit too many: that costs a person's lines their owner, one
// too few gives an agent's to a person.
func (s *ManualCommitStrategy) unseen(ctx context.Context, o *open, to, seen git.OID, late func() bool) ([]unlinkedCommit, error) {
	from := baseOf(o)
	if from.IsZero() || to.IsZero() || len(o.state.FilesTouched) == 0 && !o.inTurn() {
		return nil, nil
	}
	reflog := s.reflogSince(o.side.Reflog)
	made := madeIn(reflog)
	allHere := o.side.Reflog > 0 && s.reflogSize() >= o.side.Reflog && !moved(reflog) // made by what keeps no reflog, or its own
	commits, err := s.sinceEvent(ctx, from, to, made)
	if err != nil {
		return nil, err
	}
	commits = slices.DeleteFunc(commits, func(c git.Commit) bool {
		return c.OID == seen || s.missed[c.OID] || len(checkpoint.ParseCheckpointTrailers(c.Message)) > 0 // what is not in its record is nobody's
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
	if len(ev.chain(from)) == 0 { // the steps are ahead of the session
		own.base = to
		if err := s.addLeft(ctx, o, from, &own); err != nil {
			return nil, err
		}
	}
	for _, c := range commits {
		files, here := 0, allHere || slices.Contains(made, c.OID)
		switch {
		case late():
			if here {
				files = 1
			}
		case here:
			cm, err := s.newCommit(ctx, c, nil)
			if err != nil {
				return nil, err
			}
			w := own
			if err := s.addBegan(ctx, &w, cm.changes); err != nil {
				return nil, err
			}
			files = w.foundIn(cm.changes, ev, late)
		default: // came from elsewhere: only the very same says that it is the session's
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

// sameIn counts the files that a commit has made what the session's last step left there.
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

// addLeft adds what the session's last step left, relative to a commit.
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

// foundIn counts the files of a commit that may have work of the session's: none if it
// has nothing of it, as far as there is time to see that.
func (w work) foundIn(changes []git.Change, ver versions, late func() bool) (files int) {
	steps := w // what a person has put in place of a step's work is nothing of it
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

// sinceEvent are the commits that HEAD has more than a session's base, and those that
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

// noteUnseen remembers what unseen finds and reports whether there are any.
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

// gained are the first parents of a commit, itself the first, down to what another one
// has among its own; all for a zero one, before which there was none.
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

// commitsOf reads commits, those of them that are there.
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

// madeIn are the commits that lines of HEAD's reflog say were made here, the newest
// first: others came with a pull, a rebase or a switch.
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

// moved reports whether lines of HEAD's reflog say that it was brought to a commit that
// was made before or elsewhere.
func moved(reflog []byte) bool {
	for line := range strings.Lines(string(reflog)) {
		_, what, _ := strings.Cut(line, "\t")
		if what = strings.TrimSpace(what); what != "" && !strings.HasPrefix(what, "commit") {
			return true
		}
	}
	return false
}

// in is a time from now on: it says whether that is over.
func (s *ManualCommitStrategy) in(d time.Duration) (late func() bool) {
	end := s.Now().Add(d)
	return func() bool { return s.Now().After(end) }
}
