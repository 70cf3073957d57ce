package strategy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
)

// ErrNotSaved is returned by ResetTo when the reset would overwrite a file that no step can hold:
// it is ignored, or was left out of the snapshot. Nothing was changed.
var ErrNotSaved = errors.New("would be overwritten and cannot be saved first")

// ResetTo saves the present as a step, then resets the branch to a commit, as `git reset --hard`
// does. It returns the branch's former commit.
func (s *ManualCommitStrategy) ResetTo(ctx context.Context, p RewindPoint) (oldHead string, err error) {
	if !p.IsLogsOnly && !p.IsCommit() {
		return "", errors.New("only a commit can be reset to")
	}
	to, err := git.ParseOID(p.ID)
	if err != nil {
		return "", err
	}
	now, err := s.now(ctx)
	if err != nil {
		return "", err
	}
	if err := s.savable(ctx, now, to); err != nil {
		return "", fmt.Errorf("reset to %s: %w", to.Short(), err)
	}
	lock, err := s.rewindLock(ctx)
	if err != nil {
		return "", err
	}
	defer lock.Release()
	entry, err := s.saveBeforeReset(ctx, now, p, to)
	if err != nil {
		return "", fmt.Errorf("save the present: %w", err)
	}
	if _, err := s.repo.Run(ctx, "reset", "--hard", to.String()); err != nil {
		return "", err
	}
	return now.head.String(), s.logRewind(*entry)
}

// saveBeforeReset keeps the worktree and the branch's commit under a ref, and returns the entry for
// the log.
func (s *ManualCommitStrategy) saveBeforeReset(ctx context.Context, now *snapshot, p RewindPoint, to git.OID) (*RewindEntry, error) {
	before := now.head
	if len(now.files) > 0 {
		sig := s.repo.Identity(ctx)
		sig.When = s.Now()
		sid, _ := id.ParseSessionID(p.SessionID)
		w, err := s.writeStep(ctx, newStep{
			step: checkpoint.Step{Kind: checkpoint.StepHuman, Subject: "before reset to " + p.ID[:minPrefix], Session: sid, Base: now.head,
				StepContext: checkpoint.StepContext{Why: checkpoint.WhyBeforeReset}},
			author: sig, base: now.head, snap: now,
		})
		if err != nil {
			return nil, err
		}
		before = w.commit
	}
	e, err := s.newEntry(ctx, &RewindPlan{Kind: RewindReset, Scope: Scope{Kind: ScopeTree, SkipTalk: true}})
	if err != nil {
		return nil, err
	}
	e.Exact = false // git replaces the files, so their exact bytes are not saved
	e.Point, e.Before, e.After = to.String(), before.String(), to.String()
	if e.Files, err = s.countChanged(ctx, before, to); err != nil {
		return nil, err
	}
	return e, s.repo.UpdateRefs(ctx, []git.RefUpdate{{Name: s.undoRef(e.Seq), New: before}})
}

func (s *ManualCommitStrategy) countChanged(ctx context.Context, a, b git.OID) (int, error) {
	before, err := s.headTree(ctx, a)
	if err != nil {
		return 0, err
	}
	after, err := s.headTree(ctx, b)
	if err != nil {
		return 0, err
	}
	changes, err := s.codeDiff(ctx, before, after)
	return len(changes), err
}

// savable checks that every file the reset would replace is in a commit or in the snapshot.
func (s *ManualCommitStrategy) savable(ctx context.Context, now *snapshot, to git.OID) error {
	held, err := s.pathsOf(ctx, now.head)
	if err != nil {
		return err
	}
	wanted, err := s.pathsOf(ctx, to)
	if err != nil {
		return err
	}
	for _, k := range now.skipped {
		if held[k.Path] || wanted[k.Path] {
			if k.Why != "submodule" {
				return fmt.Errorf("%s %w (%s)", k.Path, ErrNotSaved, k.Why)
			}
		}
	}
	for _, f := range now.files {
		held[f.path] = true
	}
	for p := range wanted {
		if held[p] {
			continue
		}
		if lost, err := s.unheld(p, held); err != nil {
			return err
		} else if lost != "" {
			return fmt.Errorf("%s %w (ignored)", lost, ErrNotSaved)
		}
	}
	return nil
}

// pathsOf returns the paths in a commit's tree, submodules included.
func (s *ManualCommitStrategy) pathsOf(ctx context.Context, commit git.OID) (map[string]bool, error) {
	tree, err := s.headTree(ctx, commit)
	if err != nil {
		return nil, err
	}
	all, err := s.repo.DiffTrees(ctx, git.OID{}, tree)
	if err != nil {
		return nil, err
	}
	return setOf(paths(all)), nil
}

// unheld returns a file that is in the way of path and not among those held, "" if there is none.
func (s *ManualCommitStrategy) unheld(path string, held map[string]bool) (lost string, err error) {
	for dir := filepath.Dir(filepath.FromSlash(path)); dir != "."; dir = filepath.Dir(dir) {
		if fi, err := os.Lstat(filepath.Join(s.repo.Top, dir)); err == nil && !fi.IsDir() && !held[filepath.ToSlash(dir)] {
			return filepath.ToSlash(dir), nil
		}
	}
	err = filepath.WalkDir(filepath.Join(s.repo.Top, filepath.FromSlash(path)), func(full string, e fs.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) || isNotDir(err) {
			return nil
		}
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(s.repo.Top, full)
		if err == nil && !held[filepath.ToSlash(rel)] {
			lost = filepath.ToSlash(rel)
			return fs.SkipAll
		}
		return err
	})
	return lost, err
}
