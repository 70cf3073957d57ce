package strategy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
)

var (
	// ErrLogsOnly is returned for a point that has a conversation but no files.
	ErrLogsOnly = errors.New("this point has no files to go back to, only the conversation")

	// ErrWorktreeMoved is returned when files changed between the plan and the rewind. Nothing was
	// written.
	ErrWorktreeMoved = errors.New("files changed since the plan was made")

	// ErrBaseMoved is returned when a step was made on another commit and HEAD changed one of its
	// files differently.
	ErrBaseMoved = errors.New("the step was made on another commit")

	// ErrBaseGone is returned when the commit that a step was made on is no longer in the
	// repository, so that the step's changes are unknown.
	ErrBaseGone = errors.New("the commit that the step was made on is gone")
)

// PlanAction is what a rewind does to one path.
type PlanAction string

// The actions of a plan.
const (
	PlanCreate PlanAction = "create"
	PlanWrite  PlanAction = "write"
	PlanMode   PlanAction = "mode"
	PlanRemove PlanAction = "remove"
)

// PlannedChange is one path that a rewind will change. Insertions and Deletions count lines; they
// are -1 for a binary or large file.
type PlannedChange struct {
	Path       string     `json:"path"`
	Action     PlanAction `json:"action"`
	Insertions int        `json:"insertions"`
	Deletions  int        `json:"deletions"`
	Undoes     []Undone   `json:"undoes,omitempty"` // whose later changes the rewind undoes, oldest first
	Merged     bool       `json:"merged,omitempty"` // the new version keeps later changes of others

	change git.Change // from the present to the planned version
}

// RewindPlan is everything a rewind will do, and the differing paths that it leaves alone.
type RewindPlan struct {
	Kind      RewindKind // RewindDone, RewindUndo or RewindRedo
	Entry     string     // undo and redo: the ID of the reversed rewind in the log
	Point     RewindPoint
	Scope     Scope
	Changes   []PlannedChange
	Kept      []KeptFile
	Conflicts []PlanConflict
	Warnings  []string

	// Uncaptured lists what cannot be restored or saved first: what the point did not capture, and
	// what no step can capture of the present.
	Uncaptured []Uncaptured
	point      *gaps // what the point did not capture

	// Conversation is true if the session's conversation goes back, too. It is false if the scope
	// leaves the conversation alone, or if it already ends at the point.
	Conversation bool

	now    *snapshot
	head   git.OID // HEAD's tree
	before git.OID // the worktree's present tree
	after  git.OID // the tree that the rewind leads to
	step   step
	sid    id.SessionID // the session whose state and conversation follow
	talk   *talkMark    // where the conversation goes, if not to the step's position
	back   map[string][]string
	exact  bool          // undo and redo: the step has the exact bytes of every file it replaced
	undoes git.OID       // undo and redo: the step that is reversed
	author git.Signature // the session's identity, if it is known
	state  git.OID       // the step whose state and conversation the session takes, if not the point's
	chain  *chain        // nil if the authors need not be separated
	merged map[string]bool
	undone map[string][]Undone
	auto   bool            // the user did not state whose work to undo
	theirs map[string]bool // files of active sessions, which stay as they are
}

// PlanRewind plans what a rewind to p would write, remove and keep. It changes nothing.
func (s *ManualCommitStrategy) PlanRewind(ctx context.Context, p RewindPoint, sc Scope) (*RewindPlan, error) {
	if p.IsLogsOnly && !sc.SkipTalk { // the files of a commit are restored only if the scope asks for them
		return nil, ErrLogsOnly
	}
	plan, err := s.planTo(ctx, p, sc)
	if err != nil {
		return nil, err
	}
	plan.auto = sc.Kind == ScopeAuto
	if err := s.scoped(ctx, plan); err != nil {
		return nil, err
	}
	if err := s.fill(ctx, plan); err != nil {
		return nil, err
	}
	if plan.auto {
		plan.tellTaken()
	}
	plan.Conversation, err = s.talkMoves(ctx, plan)
	return plan, err
}

// Nothing reports whether the rewind would change no file and no conversation.
func (p *RewindPlan) Nothing() bool {
	return p.Kind == RewindDone && len(p.Changes) == 0 && !p.Conversation
}

// planTo begins a plan with the present and the step to go to.
func (s *ManualCommitStrategy) planTo(ctx context.Context, p RewindPoint, sc Scope) (*RewindPlan, error) {
	oid, err := git.ParseOID(p.ID)
	if err != nil {
		return nil, err
	}
	c, err := s.repo.Reader(ctx).Commit(oid)
	if err != nil {
		return nil, fmt.Errorf("read rewind point: %w", err)
	}
	plan := &RewindPlan{Kind: RewindDone, Point: p, Scope: sc, step: step{c, checkpoint.ParseStep(c.Message)}}
	plan.sid = plan.step.info.Session
	return plan, s.planPresent(ctx, plan)
}

// planPresent reads the present worktree into the plan.
func (s *ManualCommitStrategy) planPresent(ctx context.Context, plan *RewindPlan) (err error) {
	if plan.now, err = s.now(ctx); err != nil {
		return err
	}
	if err := plan.now.broken; err != nil {
		return fmt.Errorf("read the worktree: %w: nothing was changed", err)
	}
	if plan.head, err = s.headTree(ctx, plan.now.head); err != nil {
		return err
	}
	plan.before, err = s.repo.EditTree(ctx, plan.head, plan.now.files.edits())
	return err
}

// fill adds the changes between the trees before and after.
func (s *ManualCommitStrategy) fill(ctx context.Context, plan *RewindPlan) error {
	changes, err := s.codeDiff(ctx, plan.before, plan.after)
	if err != nil {
		return err
	}
	if len(plan.Scope.Paths) > 0 || plan.Scope.SkipCode {
		changes = slices.DeleteFunc(changes, func(c git.Change) bool { return !plan.Scope.covers(c.Path) })
		var edits []git.Edit
		for _, c := range changes {
			edits = append(edits, git.Edit{Path: c.Path, Mode: c.NewMode, OID: c.New})
		}
		if plan.after, err = s.repo.EditTree(ctx, plan.before, edits); err != nil {
			return err
		}
	}
	if err := s.protect(ctx, plan, changes); err != nil {
		return err
	}
	s.countLines(ctx, plan.Changes)
	if err := s.warnOfTurns(ctx, plan); err != nil {
		return err
	}
	return s.tellWhose(ctx, plan)
}

// target returns the tree to reach. For a step on another base, only the step's changes are applied
// to HEAD, file by file; where HEAD changed the same file otherwise, it returns ErrBaseMoved.
func (s *ManualCommitStrategy) target(ctx context.Context, plan *RewindPlan, head git.OID) (git.OID, error) {
	base := plan.step.info.Base
	if base.IsZero() || base == plan.now.head {
		return plan.step.Tree, nil
	}
	if plan.Point.TakenBy != "" {
		if whole, err := s.asItWas(ctx, plan, base); err != nil || whole {
			return plan.step.Tree, err
		}
	}
	was, err := s.headTree(ctx, base)
	if errors.Is(err, git.ErrMissing) {
		return git.OID{}, fmt.Errorf("%w: git has pruned %s", ErrBaseGone, base.Short())
	}
	if err != nil {
		return git.OID{}, err
	}
	made, err := s.treeFiles(ctx, was, plan.step.Tree)
	if err != nil {
		return git.OID{}, err
	}
	moved, err := s.treeFiles(ctx, was, head)
	if err != nil {
		return git.OID{}, err
	}
	var edits []git.Edit
	for _, f := range made {
		m, both := moved.find(f.path)
		if both && m != f {
			return git.OID{}, fmt.Errorf("%w: %s was changed by the step (on %s) and by HEAD (%s)", ErrBaseMoved, f.path, base.Short(), plan.now.head.Short())
		}
		if !both { // otherwise HEAD has the same change, and maybe a folder where both removed a file
			edits = append(edits, f.edit())
		}
	}
	if err := s.fitsOn(ctx, plan, head, edits); err != nil {
		return git.OID{}, err
	}
	plan.Warnings = append(plan.Warnings, fmt.Sprintf("the point was made on %s; its changes are applied to %s", base.Short(), plan.now.head.Short()))
	return s.repo.EditTree(ctx, head, edits)
}

func actionOf(c git.Change) PlanAction {
	switch {
	case c.NewMode == 0:
		return PlanRemove
	case c.OldMode == 0:
		return PlanCreate
	case c.Old == c.New:
		return PlanMode
	}
	return PlanWrite
}

const (
	diffMax  = 1 << 20
	diffTime = 200 * time.Millisecond
)

// Summary returns one line on what the plan does.
func (p *RewindPlan) Summary() string {
	n := map[PlanAction]int{}
	for _, c := range p.Changes {
		n[c.Action]++
	}
	var parts []string
	for action, count := range n {
		parts = append(parts, fmt.Sprintf("%d to %s", count, action))
	}
	sort.Strings(parts)
	if len(parts) == 0 {
		return "no file differs"
	}
	return strings.Join(parts, ", ")
}
