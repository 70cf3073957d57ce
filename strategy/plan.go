package strategy

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"entire/checkpoint"
	"entire/internal/git"
)

var (
	// ErrLogsOnly is returned for a point that has a conversation but no files.
	ErrLogsOnly = errors.New("this point has no files to go back to, only the conversation")

	// ErrWorktreeMoved is returned when files changed between the plan and its
	// application. Nothing was written.
	ErrWorktreeMoved = errors.New("files changed since the plan was made")

	// ErrBaseMoved is returned when a step was made on another commit and its
	// changes cannot be brought over without a decision.
	ErrBaseMoved = errors.New("the step was made on another commit")

	// ErrBaseGone is returned when the commit that a step was made on is not in
	// the repository any more, so that nobody can tell what the step changed.
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

// PlannedChange is one path that a rewind will touch. Insertions and Deletions
// count lines; they are -1 for a binary file.
type PlannedChange struct {
	Path       string     `json:"path"`
	Action     PlanAction `json:"action"`
	Insertions int        `json:"insertions"`
	Deletions  int        `json:"deletions"`

	change git.Change // from what is there now to what will be
}

// RewindPlan is everything a rewind will do, and what it leaves alone though
// the point differs there.
type RewindPlan struct {
	Point    RewindPoint
	Changes  []PlannedChange
	Kept     []KeptFile
	Warnings []string

	now    *snapshot
	before git.OID // the worktree's tree now
	after  git.OID // the tree to reach
	step   step
}

// PlanRewind works out what going back to p would write, remove and keep.
// Nothing is touched.
func (s *ManualCommitStrategy) PlanRewind(ctx context.Context, p RewindPoint) (*RewindPlan, error) {
	if p.IsLogsOnly {
		return nil, ErrLogsOnly
	}
	oid, err := git.ParseOID(p.ID)
	if err != nil {
		return nil, err
	}
	c, err := s.repo.Reader(ctx).Commit(oid)
	if err != nil {
		return nil, fmt.Errorf("read rewind point: %w", err)
	}
	plan := &RewindPlan{Point: p, step: step{c, checkpoint.ParseStep(c.Message)}}
	if plan.now, err = s.now(ctx); err != nil {
		return nil, err
	}
	head, err := s.headTree(ctx, plan.now.head)
	if err != nil {
		return nil, err
	}
	if plan.before, err = s.repo.EditTree(ctx, head, plan.now.files.edits()); err != nil {
		return nil, err
	}
	if plan.after, err = s.target(ctx, plan, head); err != nil {
		return nil, err
	}
	changes, err := s.codeDiff(ctx, plan.before, plan.after)
	if err != nil {
		return nil, err
	}
	if err := s.protect(ctx, plan, changes); err != nil {
		return nil, err
	}
	s.countLines(ctx, plan.Changes)
	return plan, nil
}

// target is the tree to reach. A step on another base brings its changes only,
// file by file; where HEAD changed the same file, somebody has to decide.
func (s *ManualCommitStrategy) target(ctx context.Context, plan *RewindPlan, head git.OID) (git.OID, error) {
	base := plan.step.info.Base
	if base.IsZero() || base == plan.now.head {
		return plan.step.Tree, nil
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
		if m, both := moved.find(f.path); both && m != f {
			return git.OID{}, fmt.Errorf("%w: %s was changed by the step (on %s) and by HEAD (%s)", ErrBaseMoved, f.path, base.Short(), plan.now.head.Short())
		}
		edits = append(edits, f.edit())
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

// Summary is one line on what the plan does.
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
