package rewind

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/evidence"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// Absent reports whether the version says that the file does not exist.
func Absent(f sessionstate.FileVersion) bool { return f.Mode == 0 }

// Regular reports a regular file; only regular files can be merged.
func Regular(f sessionstate.FileVersion) bool {
	return f.Mode == git.ModeFile || f.Mode == git.ModeExec
}

// IsCommit reports whether the point is a commit of the branch, not a step.
func IsCommit(p step.RewindPoint) bool { return !p.CheckpointID.IsZero() }

// Plan is everything a rewind will do, and the differing paths that it leaves alone.
type Plan struct {
	Kind      condense.RewindKind // RewindDone, RewindUndo or RewindRedo
	Entry     string              // undo and redo: the ID of the reversed rewind in the log
	Point     step.RewindPoint
	Scope     condense.Scope
	Changes   []restore.PlannedChange
	Kept      []sessionstate.KeptFile
	Conflicts []restore.PlanConflict
	Warnings  []string

	// Uncaptured lists what cannot be restored or saved first: what the point did not capture, and
	// what no step can capture of the present.
	Uncaptured []worktree.Uncaptured
	pointGaps  *worktree.Gaps // what the point did not capture

	// Conversation is true if the session's conversation goes back, too. It is false if the scope
	// leaves the conversation alone, or if it already ends at the point.
	Conversation bool

	Present          *worktree.Snapshot
	head             git.OID // HEAD's tree
	before           git.OID // the worktree's present tree
	after            git.OID // the tree that the rewind leads to
	step             step.Step
	session          id.SessionID                 // the session whose state and conversation follow
	conversationMark *transcript.ConversationMark // where the conversation goes, if not to the step's position
	returnedWork     map[string][]string
	exact            bool // undo and redo: the step has the exact bytes of every file it replaced
	chosen           map[string]Choice
	undoes           git.OID       // undo and redo: the step that is reversed
	author           git.Signature // the session's identity, if it is known
	state            git.OID       // the step whose state and conversation the session takes, if not the point's
	chain            *rewindSteps  // nil if the authors need not be separated
	merged           map[string]bool
	undone           map[string][]restore.UndoneChange
	autoScope        bool            // the user did not state whose work to undo
	activeFiles      map[string]bool // files of active sessions, which stay as they are
}

// PlanRewind plans what a rewind to p would write, remove and keep. It changes nothing.
func PlanRewind(ctx context.Context, s *sessionstate.Env, p step.RewindPoint, sc condense.Scope) (*Plan, error) {
	if p.IsLogsOnly && !sc.SkipConversation { // the files of a commit are restored only if the scope asks for them
		return nil, restore.ErrLogsOnly
	}
	plan, err := newRewindPlan(ctx, s, p, sc)
	if err != nil {
		return nil, err
	}
	plan.autoScope = sc.Kind == condense.ScopeAuto
	if err := resolveScope(ctx, s, plan); err != nil {
		return nil, err
	}
	if err := planChanges(ctx, s, plan); err != nil {
		return nil, err
	}
	if plan.autoScope {
		plan.warnUndoneSessions()
	}
	if plan.Conversation, err = movesConversation(ctx, s, plan); err != nil || !plan.Conversation {
		return plan, err
	}
	return plan, plan.warnNoCut(ctx, s)
}

// warnNoCut says that the session's agent cannot go back in its conversation.
func (p *Plan) warnNoCut(ctx context.Context, s *sessionstate.Env) error {
	st, err := s.Store.Load(ctx, p.session)
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if why := transcript.WhyNoCut(st.AgentType); why != "" {
		p.Conversation, p.Warnings = false, append(p.Warnings, why)
	}
	return nil
}

// Nothing reports whether the rewind would change no file and no conversation.
func (p *Plan) Nothing() bool {
	return p.Kind == condense.RewindDone && len(p.Changes) == 0 && !p.Conversation
}

// newRewindPlan begins a plan with the present and the step to go to.
func newRewindPlan(ctx context.Context, s *sessionstate.Env, p step.RewindPoint, sc condense.Scope) (*Plan, error) {
	oid, err := git.ParseOID(p.ID)
	if err != nil {
		return nil, err
	}
	c, err := s.Repo.Reader(ctx).Commit(oid)
	if err != nil {
		return nil, fmt.Errorf("read rewind point: %w", err)
	}
	plan := &Plan{Kind: condense.RewindDone, Point: p, Scope: sc, step: step.Step{Commit: c, Info: shadow.ParseStep(c.Message)}}
	plan.session = plan.step.Info.Session
	return plan, readPresent(ctx, s, plan)
}

// readPresent reads the present worktree into the plan.
func readPresent(ctx context.Context, s *sessionstate.Env, plan *Plan) (err error) {
	if plan.Present, err = SnapshotNow(ctx, s); err != nil {
		return err
	}
	if err := plan.Present.DiskError; err != nil {
		return fmt.Errorf("read the worktree: %w: nothing was changed", err)
	}
	if plan.head, err = worktree.HeadTree(ctx, s, plan.Present.Head); err != nil {
		return err
	}
	plan.before, err = s.Repo.EditTree(ctx, plan.head, worktree.Edits(plan.Present.Files))
	return err
}

// planChanges adds the changes between the trees before and after.
func planChanges(ctx context.Context, s *sessionstate.Env, plan *Plan) error {
	changes, err := step.CodeDiff(ctx, s, plan.before, plan.after)
	if err != nil {
		return err
	}
	if len(plan.Scope.Paths) > 0 || plan.Scope.SkipCode {
		changes = slices.DeleteFunc(changes, func(c git.Change) bool { return !covers(plan.Scope, c.Path) })
		var edits []git.Edit
		for _, c := range changes {
			edits = append(edits, git.Edit{Path: c.Path, Mode: c.NewMode, OID: c.New})
		}
		if plan.after, err = s.Repo.EditTree(ctx, plan.before, edits); err != nil {
			return err
		}
	}
	if err := protect(ctx, s, plan, changes); err != nil {
		return err
	}
	CountLines(ctx, s, plan.Changes)
	if err := warnOfActiveSessions(ctx, s, plan); err != nil {
		return err
	}
	return annotateUndone(ctx, s, plan)
}

// targetTree returns the tree to reach. For a step on another base, only the step's changes are applied
// to HEAD, file by file. Where HEAD changed the same file otherwise, it gets the step's version if the user
// asked for files or for the whole tree; if not, targetTree returns ErrBaseMoved.
func targetTree(ctx context.Context, s *sessionstate.Env, plan *Plan, head git.OID) (git.OID, error) {
	base := plan.step.Info.Base
	if base.IsZero() || base == plan.Present.Head {
		return plan.step.Tree, nil
	}
	if restoresWholeTree(ctx, s, plan, base) {
		return plan.step.Tree, nil
	}
	asked := !plan.autoScope || len(plan.Scope.Paths) > 0
	was, err := worktree.HeadTree(ctx, s, base)
	if errors.Is(err, git.ErrMissing) {
		return git.OID{}, fmt.Errorf("%w: git has pruned %s", restore.ErrBaseGone, base.Short())
	}
	if err != nil {
		return git.OID{}, err
	}
	made, err := evidence.TreeFiles(ctx, s, was, plan.step.Tree)
	if err != nil {
		return git.OID{}, err
	}
	moved, err := evidence.TreeFiles(ctx, s, was, head)
	if err != nil {
		return git.OID{}, err
	}
	var edits []git.Edit
	for _, f := range made {
		m, both := worktree.Find(moved, f.Path)
		switch {
		case !covers(plan.Scope, f.Path):
			continue
		case both && m != f && !asked:
			return git.OID{}, fmt.Errorf("%w: %s was changed by the step (on %s) and by HEAD (%s)", restore.ErrBaseMoved, f.Path, base.Short(), plan.Present.Head.Short())
		case !both || m != f: // otherwise HEAD has the same change, and maybe a folder where both removed a file
			edits = append(edits, worktree.Edit(f))
		}
	}
	if err := checkFits(ctx, s, plan, head, edits); err != nil {
		return git.OID{}, err
	}
	plan.Warnings = append(plan.Warnings, fmt.Sprintf("the point was made on %s; its changes are applied to %s", base.Short(), plan.Present.Head.Short()))
	return s.Repo.EditTree(ctx, head, edits)
}

const (
	diffMax  = 1 << 20
	diffTime = 200 * time.Millisecond
)

// Trees returns the worktree's tree as the plan found it, and the tree that the plan leads to.
// Paths in Kept may differ from the second one after the rewind.
func (p *Plan) Trees() (before, after git.OID) { return p.before, p.after }

// PointGaps returns what a point did not capture of the worktree, and how many entries could not be
// listed.
func PointGaps(ctx context.Context, s *sessionstate.Env, p step.RewindPoint) (list []worktree.Uncaptured, more int, err error) {
	c, ok, err := s.Repo.Reader(ctx).CommitOf(p.ID)
	if err != nil || !ok || IsCommit(p) {
		return nil, 0, err
	}
	if list, more, err = worktree.GapsIn(ctx, s, c.Tree); err != nil {
		return nil, 0, fmt.Errorf("read what %s did not capture: %w", c.OID.Short(), err)
	}
	return list, more, nil
}
