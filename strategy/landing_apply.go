package strategy

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/checkpoint"
	"entire/internal/git"
	"entire/session"
)

// MayApply checks that the bundle's worktree can be applied: HEAD is the bundle's commit and,
// unless replace, the worktree has no uncommitted work that the bundle lacks. done is true if the
// worktree is already as in the bundle.
func (l *Landing) MayApply(ctx context.Context, replace bool) (done bool, err error) {
	head, _, err := l.s.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return false, err
	}
	if head.OID != l.Head {
		return false, ErrOtherHead
	}
	st, err := l.s.store.Load(ctx, l.Session)
	if err == nil && st.Phase == session.PhaseActive {
		return false, ErrAtWork
	}
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return false, err
	}
	now, err := l.s.now(ctx)
	if err != nil {
		return false, err
	}
	tree, err := l.s.repo.EditTree(ctx, head.Tree, now.files.edits())
	if err != nil {
		return false, err
	}
	if err := l.s.repo.Writer().Sync(); err != nil {
		return false, err
	}
	c := l.tip
	for n := 0; n < stepsScanned; n++ { // the present may be an earlier state that was sent from here and came back
		same, err := l.sameFiles(ctx, tree, c.Tree)
		if err != nil {
			return false, err
		}
		if same {
			return n == 0, nil
		}
		if len(now.files) == 0 || replace || len(c.Parents) == 0 {
			break
		}
		if c, err = l.commit(ctx, c.Parents[0]); err != nil {
			return false, err
		}
	}
	if len(now.files) > 0 && !replace {
		return false, fmt.Errorf("%w: %s", ErrDirty, someOf(now.files))
	}
	return false, nil
}

// AheadOfHere reports whether HEAD can be fast-forwarded to the bundle's HEAD once the bundle's
// objects are kept.
func (l *Landing) AheadOfHere(ctx context.Context) (bool, error) {
	out, err := l.q.Run(ctx, "rev-list", "--max-count=1", "HEAD", "^"+l.Head.String())
	return len(out) == 0, err
}

// Blocked returns ErrInTheWay if applying the bundle would leave out a file because something that
// cannot be saved is in its place. It keeps the bundle's objects.
func (l *Landing) Blocked(ctx context.Context) error {
	if err := l.Keep(ctx); err != nil {
		return err
	}
	plan, err := l.PlanApply(ctx)
	if err != nil {
		return err
	}
	changes, err := l.changes(ctx)
	if err != nil {
		return err
	}
	carried := map[string]git.Change{}
	for _, c := range changes {
		if c.NewMode == 0 {
			continue
		}
		holds, err := l.s.holdsHooks(c.Path)
		if err != nil {
			return err
		}
		if !holds { // settings that hold our hooks stay as they are, which is expected
			carried[c.Path] = c
		}
	}
	wt, err := l.s.repo.OpenWorktree()
	if err != nil {
		return err
	}
	defer wt.Close()
	var blocked []string
	for _, k := range plan.Kept {
		c, is := carried[k.Path]
		if !is {
			continue
		}
		oid, mode, err := wt.RawOID(l.s.repo, k.Path)
		if err != nil || oid != c.New || mode != c.NewMode {
			blocked = append(blocked, fmt.Sprintf("%s (%s)", pathText(k.Path), k.Why))
		}
	}
	if len(blocked) > 0 {
		return fmt.Errorf("%w: %s", ErrInTheWay, strings.Join(blocked[:min(len(blocked), 3)], ", "))
	}
	return nil
}

// sameFiles reports whether two trees have the same files outside our own folder.
func (l *Landing) sameFiles(ctx context.Context, a, b git.OID) (bool, error) {
	out, err := l.q.Run(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", a.String(), b.String())
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" && !ownPath(name) {
			return false, err
		}
	}
	return err == nil, err
}

// someOf returns the names of the first few files, and how many more there are.
func someOf(files fileStates) string {
	const some = 3
	var names []string
	for _, f := range files[:min(len(files), some)] {
		names = append(names, pathText(f.path))
	}
	if more := len(files) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// PlanApply plans a rewind of the worktree to the bundle's tip.
func (l *Landing) PlanApply(ctx context.Context) (*RewindPlan, error) {
	points, err := l.s.stepPoints(ctx, []step{{l.tip, checkpoint.ParseStep(l.tip.Message)}})
	if err != nil {
		return nil, err
	}
	return l.s.PlanRewind(ctx, points[0], Scope{Kind: ScopeTree, SkipTalk: true})
}

// Apply makes the session one of this worktree, with its steps on the shadow branch and its state,
// and carries the plan out. A nil plan means that the files are in place already. If the files
// cannot be put in place, the session gets its earlier state back.
func (l *Landing) Apply(ctx context.Context, plan *RewindPlan, transcript string) (out *RewindOutcome, err error) {
	if err := l.adoptSteps(ctx); err != nil {
		return nil, err
	}
	back, err := l.adoptState(ctx, transcript)
	if err != nil {
		return nil, err
	}
	if plan == nil {
		return &RewindOutcome{SessionID: l.Session.String()}, nil
	}
	out, err = l.s.Rewind(ctx, plan)
	if err != nil {
		return nil, errors.Join(err, back())
	}
	return out, nil
}

// adoptSteps puts the bundle's steps on this worktree's shadow branch for HEAD. Where the branch
// has other steps already, these stay, and the bundle's steps are set aside under
// refs/entire/orphans/.
func (l *Landing) adoptSteps(ctx context.Context) error {
	ref := l.s.shadowRef(l.Head)
	for {
		tip, exists, err := l.s.repo.Reader(ctx).CommitOf(ref)
		if err != nil {
			return err
		}
		update := git.RefUpdate{Name: ref, New: l.Tip, Old: tip.OID}
		if exists {
			have, err := l.s.isBelow(ctx, l.Tip, tip)
			if err != nil || have {
				return err
			}
			grown, err := l.s.isBelow(ctx, tip.OID, l.tip)
			if err != nil {
				return err
			}
			if !grown {
				return l.s.setRef(ctx, orphanRef(ref, l.Tip), l.Tip)
			}
		}
		err = l.s.repo.UpdateRefs(ctx, []git.RefUpdate{update})
		if !errors.Is(err, git.ErrRefMoved) {
			return err
		}
	}
}

// hasCommit reports whether text is the ID of a commit in this repository.
func (s *ManualCommitStrategy) hasCommit(ctx context.Context, text string) bool {
	oid, err := git.ParseOID(text)
	if err != nil || oid.IsZero() {
		return false
	}
	_, there, err := s.repo.Reader(ctx).CommitOf(oid.String())
	return err == nil && there
}

// adoptState makes the session one of this worktree. back restores the session's earlier state.
func (l *Landing) adoptState(ctx context.Context, transcript string) (back func() error, err error) {
	carried, err := l.state()
	if err != nil || carried == nil {
		return func() error { return nil }, err
	}
	o, err := l.s.openSession(ctx, l.Session)
	if err != nil {
		return nil, err
	}
	defer o.close()
	if o.state.Phase == session.PhaseActive {
		return nil, ErrAtWork
	}
	wasNew, was, wasSide := o.isNew, o.state, o.side
	st, moved := carried.State, carried.Side
	st.WorktreePath, st.WorktreeID, st.TranscriptPath = pathText(l.s.repo.Top), l.s.repo.WorktreeID, transcript
	st.CLIVersion, st.Phase, st.EndedAt, st.TurnCheckpointIDs = l.s.Version, session.PhaseIdle, nil, nil
	st.BaseCommit = l.Head.String()
	if !l.s.hasCommit(ctx, st.AttributionBaseCommit) {
		st.AttributionBaseCommit = st.BaseCommit
	}
	moved.Version, moved.Author, moved.Tip, moved.Capture = 1, wasSide.Author, l.Tip, capture{}
	o.state, o.side = st, moved
	if err := l.s.save(ctx, o); err != nil {
		return nil, err
	}
	return func() error {
		ctx := context.WithoutCancel(ctx)
		o, err := l.s.openSession(ctx, l.Session)
		if err != nil {
			return err
		}
		defer o.close()
		if wasNew {
			return l.s.store.Remove(ctx, l.Session)
		}
		o.state, o.side = was, wasSide
		return l.s.save(ctx, o)
	}, nil
}
