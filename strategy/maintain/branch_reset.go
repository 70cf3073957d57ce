package maintain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/condense"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// errNotSaved is returned by ResetTo when the reset would overwrite a file that no step can hold:
// it is ignored, or was left out of the snapshot. Nothing was changed.
var errNotSaved = errors.New("would be overwritten and cannot be saved first")

// ResetTo saves the present as a step, then resets the branch to a commit, as `git reset --hard`
// does. It returns the branch's former commit.
func ResetTo(ctx context.Context, s *sessionstate.Env, p step.RewindPoint) (oldHead string, err error) {
	if !p.IsLogsOnly && !rewind.IsCommit(p) {
		return "", errors.New("only a commit can be reset to")
	}
	to, err := git.ParseOID(p.ID)
	if err != nil {
		return "", err
	}
	now, err := rewind.SnapshotNow(ctx, s)
	if err != nil {
		return "", err
	}
	if err := checkSavable(ctx, s, now, to); err != nil {
		return "", fmt.Errorf("reset to %s: %w", to.Short(), err)
	}
	lock, err := condense.RewindLock(ctx, s)
	if err != nil {
		return "", err
	}
	defer lock.Release()
	entry, err := saveBeforeReset(ctx, s, now, p, to)
	if err != nil {
		return "", fmt.Errorf("save the present: %w", err)
	}
	if _, err := s.Repo.Run(ctx, "reset", "--hard", to.String()); err != nil {
		return "", err
	}
	return now.Head.String(), condense.AppendRewindEntry(ctx, s, *entry)
}

// saveBeforeReset keeps the worktree and the branch's commit under a ref, and returns the entry for
// the log.
func saveBeforeReset(ctx context.Context, s *sessionstate.Env, now *worktree.Snapshot, p step.RewindPoint, to git.OID) (*condense.RewindEntry, error) {
	before := now.Head
	if len(now.Files) > 0 {
		sig := s.Repo.Identity(ctx)
		sig.When = s.Now()
		sid, _ := id.ParseSessionID(p.SessionID)
		w, err := step.WriteStep(ctx, s, step.NewStep{
			Step: shadow.Step{Kind: shadow.StepHuman, Subject: "before reset to " + p.ID[:step.MinPrefix], Session: sid,
				StepContext: shadow.StepContext{Why: shadow.WhyBeforeReset}},
			Author: sig, Snap: now,
		})
		if err != nil {
			return nil, err
		}
		before = w.Commit
	}
	e, err := rewind.NewEntry(ctx, s, &rewind.Plan{Kind: condense.RewindReset, Scope: condense.Scope{Kind: condense.ScopeTree, SkipConversation: true}})
	if err != nil {
		return nil, err
	}
	e.Exact = false // git replaces the files, so their exact bytes are not saved
	e.Point, e.Before, e.After = to.String(), before.String(), to.String()
	if e.Files, err = countChanged(ctx, s, before, to); err != nil {
		return nil, err
	}
	return e, condense.NumberEntry(ctx, s, e, func() error {
		return s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: condense.UndoRef(s, e.Seq), New: before}})
	})
}

func countChanged(ctx context.Context, s *sessionstate.Env, a, b git.OID) (int, error) {
	before, err := worktree.HeadTree(ctx, s, a)
	if err != nil {
		return 0, err
	}
	after, err := worktree.HeadTree(ctx, s, b)
	if err != nil {
		return 0, err
	}
	changes, err := step.CodeDiff(ctx, s, before, after)
	return len(changes), err
}

// checkSavable checks that every file the reset would replace is in a commit or in the snapshot.
func checkSavable(ctx context.Context, s *sessionstate.Env, now *worktree.Snapshot, to git.OID) error {
	held, err := treePaths(ctx, s, now.Head)
	if err != nil {
		return err
	}
	wanted, err := treePaths(ctx, s, to)
	if err != nil {
		return err
	}
	for _, k := range now.Skipped {
		if held[k.Path] || wanted[k.Path] {
			if k.Why != "submodule" {
				return fmt.Errorf("%s %w (%s)", k.Path, errNotSaved, k.Why)
			}
		}
	}
	for _, f := range now.Files {
		held[f.Path] = true
	}
	for p := range wanted {
		if held[p] {
			continue
		}
		if lost, err := unsavedBlocker(s, p, held); err != nil {
			return err
		} else if lost != "" {
			return fmt.Errorf("%s %w (ignored)", lost, errNotSaved)
		}
	}
	return nil
}

// treePaths returns the paths in a commit's tree, submodules included.
func treePaths(ctx context.Context, s *sessionstate.Env, commit git.OID) (map[string]bool, error) {
	tree, err := worktree.HeadTree(ctx, s, commit)
	if err != nil {
		return nil, err
	}
	all, err := s.Repo.DiffTrees(ctx, git.OID{}, tree)
	if err != nil {
		return nil, err
	}
	return worktree.SetOf(step.Paths(all)), nil
}

// unsavedBlocker returns a file that is in the way of path and not among those held, "" if there is none.
func unsavedBlocker(s *sessionstate.Env, path string, held map[string]bool) (lost string, err error) {
	for dir := filepath.Dir(filepath.FromSlash(path)); dir != "."; dir = filepath.Dir(dir) {
		if fi, err := os.Lstat(filepath.Join(s.Repo.Top, dir)); err == nil && !fi.IsDir() && !held[filepath.ToSlash(dir)] {
			return filepath.ToSlash(dir), nil
		}
	}
	err = filepath.WalkDir(filepath.Join(s.Repo.Top, filepath.FromSlash(path)), func(full string, e fs.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) || worktree.IsNotDir(err) {
			return nil
		}
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(s.Repo.Top, full)
		if err == nil && !held[filepath.ToSlash(rel)] {
			lost = filepath.ToSlash(rel)
			return fs.SkipAll
		}
		return err
	})
	return lost, err
}
