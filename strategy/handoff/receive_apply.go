package handoff

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// CheckApply checks that the bundle's worktree can be applied: HEAD is the bundle's commit and,
// unless replace, the worktree has no uncommitted work that the bundle lacks. done is true if the
// worktree is already as in the bundle.
func (l *Receive) CheckApply(ctx context.Context, replace bool) (done bool, err error) {
	head, _, err := l.s.Repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return false, err
	}
	if head.OID != l.Head {
		return false, ErrHeadDiffers
	}
	st, err := l.s.Store.Load(ctx, l.Session)
	if err == nil && st.Phase == session.PhaseActive {
		return false, ErrTurnActive
	}
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return false, err
	}
	now, err := rewind.SnapshotNow(ctx, l.s)
	if err != nil {
		return false, err
	}
	tree, err := l.s.Repo.EditTree(ctx, head.Tree, worktree.Edits(now.Files))
	if err != nil {
		return false, err
	}
	if err := l.s.Repo.Writer().Sync(); err != nil {
		return false, err
	}
	c := l.tip
	for n := range step.StepsScanned { // the present may be an earlier state that was sent from here and came back
		same, err := l.sameFiles(ctx, tree, c.Tree)
		if err != nil {
			return false, err
		}
		if same {
			return n == 0, nil
		}
		if len(now.Files) == 0 || replace || len(c.Parents) == 0 {
			break
		}
		if c, err = l.commit(ctx, c.Parents[0]); err != nil {
			return false, err
		}
	}
	if len(now.Files) > 0 && !replace {
		return false, fmt.Errorf("%w: %s", ErrDirty, someNames(now.Files))
	}
	return false, nil
}

// CanFastForward reports whether HEAD can be fast-forwarded to the bundle's HEAD once the bundle's
// objects are kept.
func (l *Receive) CanFastForward(ctx context.Context) (bool, error) {
	out, err := l.quarantine.Run(ctx, "rev-list", "--max-count=1", "HEAD", "^"+l.Head.String())
	return len(out) == 0, err
}

// CheckBlocked returns ErrBlocked if applying the bundle would leave out a file because something that
// cannot be saved is in its place. It keeps the bundle's objects.
func (l *Receive) CheckBlocked(ctx context.Context) error {
	if err := l.KeepObjects(ctx); err != nil {
		return err
	}
	plan, err := l.PlanApply(ctx)
	if err != nil {
		return err
	}
	changes, err := l.worktreeChanges(ctx)
	if err != nil {
		return err
	}
	carried := map[string]git.Change{}
	for _, c := range changes {
		if c.NewMode == 0 {
			continue
		}
		holds, err := restore.HoldsHooks(l.s, c.Path)
		if err != nil {
			return err
		}
		if !holds { // settings that hold our hooks stay as they are, which is expected
			carried[c.Path] = c
		}
	}
	wt, err := l.s.Repo.OpenWorktree()
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
		oid, mode, err := wt.RawOID(l.s.Repo, k.Path)
		if err != nil || oid != c.New || mode != c.NewMode {
			blocked = append(blocked, fmt.Sprintf("%s (%s)", sessionstate.EncodePath(k.Path), k.Why))
		}
	}
	if len(blocked) > 0 {
		return fmt.Errorf("%w: %s", ErrBlocked, strings.Join(blocked[:min(len(blocked), 3)], ", "))
	}
	return nil
}

// sameFiles reports whether two trees have the same files outside our own folder.
func (l *Receive) sameFiles(ctx context.Context, a, b git.OID) (bool, error) {
	out, err := l.quarantine.Run(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", a.String(), b.String())
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" && !worktree.OwnPath(name) {
			return false, err
		}
	}
	return err == nil, err
}

// someNames returns the names of the first few files, and how many more there are.
func someNames(files sessionstate.PathVersions) string {
	const some = 3
	var names []string
	for _, f := range files[:min(len(files), some)] {
		names = append(names, sessionstate.EncodePath(f.Path))
	}
	if more := len(files) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// PlanApply plans a rewind of the worktree to the bundle's tip.
func (l *Receive) PlanApply(ctx context.Context) (*rewind.Plan, error) {
	points, err := step.StepPoints(ctx, l.s, []step.Step{{Commit: l.tip, Info: shadow.ParseStep(l.tip.Message)}})
	if err != nil {
		return nil, err
	}
	return rewind.PlanRewind(ctx, l.s, points[0], condense.Scope{Kind: condense.ScopeTree, SkipConversation: true})
}

// Apply makes the session one of this worktree, with its steps on the shadow branch and its state,
// and carries the plan out. A nil plan means that the files are in place already. If the files
// cannot be put in place, the session gets its earlier state back.
func (l *Receive) Apply(ctx context.Context, plan *rewind.Plan, transcript string) (out *restore.RewindOutcome, err error) {
	if err := l.adoptSteps(ctx); err != nil {
		return nil, err
	}
	back, err := l.adoptState(ctx, transcript)
	if err != nil {
		return nil, err
	}
	if plan == nil {
		return &restore.RewindOutcome{SessionID: l.Session.String()}, nil
	}
	out, err = rewind.Rewind(ctx, l.s, plan)
	if err != nil {
		return nil, errors.Join(err, back())
	}
	return out, nil
}

// adoptSteps puts the bundle's steps on this worktree's shadow branch for HEAD. Where the branch
// has other steps already, these stay, and the bundle's steps are set aside under
// refs/entire/orphans/.
func (l *Receive) adoptSteps(ctx context.Context) error {
	ref := worktree.ShadowRef(l.s, l.Head)
	for {
		tip, exists, err := l.s.Repo.Reader(ctx).CommitOf(ref)
		if err != nil {
			return err
		}
		update := git.RefUpdate{Name: ref, New: l.Tip, Old: tip.OID}
		if exists {
			have, err := condense.IsAncestor(ctx, l.s, l.Tip, tip)
			if err != nil || have {
				return err
			}
			grown, err := condense.IsAncestor(ctx, l.s, tip.OID, l.tip)
			if err != nil {
				return err
			}
			if !grown {
				return setRef(ctx, l.s, condense.OrphanRef(ref, l.Tip), l.Tip)
			}
		}
		err = l.s.Repo.UpdateRefs(ctx, []git.RefUpdate{update})
		if !errors.Is(err, git.ErrRefMoved) {
			return err
		}
	}
}

// hasCommit reports whether text is the ID of a commit in this repository.
func hasCommit(ctx context.Context, s *sessionstate.Env, text string) bool {
	oid, err := git.ParseOID(text)
	if err != nil || oid.IsZero() {
		return false
	}
	_, there, err := s.Repo.Reader(ctx).CommitOf(oid.String())
	return err == nil && there
}

// adoptState makes the session one of this worktree. back restores the session's earlier state.
func (l *Receive) adoptState(ctx context.Context, transcript string) (back func() error, err error) {
	carried, err := l.bundledState()
	if err != nil || carried == nil {
		return func() error { return nil }, err
	}
	o, err := l.s.OpenSession(ctx, l.Session)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	if o.State.Phase == session.PhaseActive {
		return nil, ErrTurnActive
	}
	wasNew, was, wasSide := o.IsNew, o.State, o.Engine
	st, moved := carried.State, carried.Side
	st.WorktreePath, st.WorktreeID, st.TranscriptPath = sessionstate.EncodePath(l.s.Repo.Top), l.s.Repo.WorktreeID, transcript
	st.CLIVersion, st.Phase, st.EndedAt, st.TurnCheckpointIDs = l.s.Version, session.PhaseIdle, nil, nil
	st.BaseCommit = l.Head.String()
	if !hasCommit(ctx, l.s, st.AttributionBaseCommit) {
		st.AttributionBaseCommit = st.BaseCommit
	}
	moved.Version, moved.Author, moved.LastStep, moved.Capture = 1, wasSide.Author, l.Tip, sessionstate.TranscriptState{}
	o.State, o.Engine = st, moved
	if err := l.s.SaveSession(ctx, o); err != nil {
		return nil, err
	}
	return func() error {
		ctx := context.WithoutCancel(ctx)
		o, err := l.s.OpenSession(ctx, l.Session)
		if err != nil {
			return err
		}
		defer o.Close()
		if wasNew {
			return l.s.Store.Remove(ctx, l.Session)
		}
		o.State, o.Engine = was, wasSide
		return l.s.SaveSession(ctx, o)
	}, nil
}
