package strategy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/sergi/go-diff/diffmatchpatch"

	"entire/agent"
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
	changes, err := s.repo.DiffTrees(ctx, plan.before, plan.after)
	if err != nil {
		return nil, err
	}
	if err := s.protect(ctx, plan, codeChanges(changes)); err != nil {
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

// protect sorts the differences into what will be done and what is kept.
func (s *ManualCommitStrategy) protect(ctx context.Context, plan *RewindPlan, changes []git.Change) error {
	var removals []string
	for _, c := range changes {
		if c.NewMode == 0 {
			removals = append(removals, c.Path)
		}
	}
	ignored, err := s.repo.IgnoredIn(ctx, plan.after, removals)
	if err != nil {
		return err
	}
	skipped := map[string]string{}
	for _, k := range plan.now.skipped {
		skipped[k.Path] = k.Why
	}
	fold := s.foldConflicts(ctx, changes)
	for _, c := range changes {
		why := s.whyKept(c, skipped, ignored)
		if why == "" {
			why = fold[c.Path]
		}
		if why != "" {
			plan.Kept = append(plan.Kept, KeptFile{c.Path, why})
			continue
		}
		plan.Changes = append(plan.Changes, PlannedChange{Path: c.Path, Action: actionOf(c), change: c})
	}
	return nil
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

// whyKept names the protection that applies to a path, "" when none does.
func (s *ManualCommitStrategy) whyKept(c git.Change, skipped map[string]string, ignored map[string]bool) string {
	if why, ok := skipped[c.Path]; ok {
		return why
	}
	if c.OldMode == git.ModeGitlink || c.NewMode == git.ModeGitlink {
		return "submodule"
	}
	if s.insideNested(c.Path) {
		return "inside a nested repository"
	}
	fi, err := os.Lstat(filepath.Join(s.repo.Top, filepath.FromSlash(c.Path)))
	gone := errors.Is(err, fs.ErrNotExist) || isNotDir(err)
	switch {
	case c.OldMode == 0 && err == nil && !fi.IsDir():
		return "ignored, and in no snapshot"
	case c.OldMode != 0 && gone:
		return "outside the sparse checkout"
	case c.NewMode == 0 && ignored[c.Path]:
		return "ignored by the state gone back to"
	case s.holdsHooks(c.Path):
		return "holds the hooks"
	}
	return ""
}

// insideNested reports whether a folder above path is a repository of its own.
func (s *ManualCommitStrategy) insideNested(path string) bool {
	for dir := filepath.Dir(filepath.FromSlash(path)); dir != "."; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(s.repo.Top, dir, ".git")); err == nil {
			return true
		}
	}
	return false
}

// holdsHooks reports the agents' settings while our hooks are in them: without
// those nothing would be saved any more.
func (s *ManualCommitStrategy) holdsHooks(path string) bool {
	for _, a := range agent.All() {
		if a.SettingsPath() == path {
			data, err := os.ReadFile(filepath.Join(s.repo.Top, filepath.FromSlash(path)))
			return err == nil && a.Installed(data)
		}
	}
	return false
}

// foldConflicts are the paths that a file system without case would mix up.
func (s *ManualCommitStrategy) foldConflicts(ctx context.Context, changes []git.Change) map[string]string {
	var written []string
	for _, c := range changes {
		if c.NewMode != 0 {
			written = append(written, c.Path)
		}
	}
	out := map[string]string{}
	pairs := git.FoldConflicts(written)
	if len(pairs) == 0 {
		return out
	}
	conf, err := s.repo.Config(ctx, "core.ignorecase")
	if err == nil && conf["core.ignorecase"] != "true" {
		return out
	}
	for _, pair := range pairs {
		out[pair[0]] = "same name as " + pair[1] + " on this file system"
		out[pair[1]] = "same name as " + pair[0] + " on this file system"
	}
	return out
}

const (
	diffMax  = 1 << 20
	diffTime = 200 * time.Millisecond
)

// countLines fills in the plan's line counts. What cannot be read counts as
// binary: the plan is not worse for it.
func (s *ManualCommitStrategy) countLines(ctx context.Context, changes []PlannedChange) {
	var specs []string
	for _, c := range changes {
		for _, oid := range []git.OID{c.change.Old, c.change.New} {
			if !oid.IsZero() {
				specs = append(specs, oid.String())
			}
		}
	}
	if s.repo.Writer().Sync() != nil {
		return
	}
	objs, err := s.repo.Reader(ctx).Objects(specs...)
	if err != nil {
		return
	}
	for i := range changes {
		var side [2][]byte
		for k, oid := range []git.OID{changes[i].change.Old, changes[i].change.New} {
			if !oid.IsZero() {
				side[k], objs = objs[0].Data, objs[1:]
			}
		}
		changes[i].Insertions, changes[i].Deletions = lineCounts(side[0], side[1])
	}
}

// lineCounts are the lines a change adds and removes, -1 for binary or large.
func lineCounts(a, b []byte) (added, removed int) {
	if len(a) > diffMax || len(b) > diffMax || bytes.IndexByte(a, 0) >= 0 || bytes.IndexByte(b, 0) >= 0 {
		return -1, -1
	}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = diffTime
	ra, rb, _ := dmp.DiffLinesToRunes(string(a), string(b))
	for _, d := range dmp.DiffMainRunes(ra, rb, false) {
		switch n := len([]rune(d.Text)); d.Type {
		case diffmatchpatch.DiffInsert:
			added += n
		case diffmatchpatch.DiffDelete:
			removed += n
		}
	}
	return added, removed
}

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
