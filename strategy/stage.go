package strategy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"entire/internal/durable"
	"entire/internal/git"
)

// The files of a rewind are staged in a folder on the worktree's own file system: in the git
// directory, or in the worktree's .entire/tmp. Its folder `new` holds the files that the rewind
// places, under their paths; `old` holds the replaced files, by number.

func (s *ManualCommitStrategy) stageRoot() string { return filepath.Join(s.localDir(), "stage") }

// stageInTree is the staging folder if the git directory is on another file system than the
// worktree.
const stageInTree = ownFolder + "/tmp/rewind"

func (s *ManualCommitStrategy) treeStageRoot() string {
	return filepath.Join(s.repo.Top, filepath.FromSlash(stageInTree))
}

func (s *ManualCommitStrategy) stage(j *journal) string {
	switch {
	case j.Version < 2:
		return filepath.Join(s.stageRoot(), j.Point.Short())
	case j.InTree:
		return filepath.Join(s.treeStageRoot(), j.ID)
	}
	return filepath.Join(s.stageRoot(), j.ID)
}

// newSpot is the staged path of the file that change i places.
func (s *ManualCommitStrategy) newSpot(j *journal, i int) string {
	dir := s.stage(j)
	if j.Version >= 2 {
		dir = filepath.Join(dir, "new")
	}
	return filepath.Join(dir, filepath.FromSlash(j.Changes[i].path()))
}

// oldSpot is where the file goes that change i replaces or removes.
func (s *ManualCommitStrategy) oldSpot(j *journal, i int) string {
	dir := filepath.Join(s.stage(j), "old")
	if j.Version < 2 {
		dir = s.stage(j) + ".old"
	}
	return filepath.Join(dir, strconv.Itoa(i))
}

// clearStage removes the staged files of finished rewinds.
func (s *ManualCommitStrategy) clearStage() error {
	err := os.RemoveAll(s.stageRoot())
	if exists(s.treeStageRoot()) {
		err = errors.Join(err, s.clearTreeStage())
	}
	return err
}

// doneMark is a file in the staging folder of a finished rewind.
const doneMark = "done"

func (s *ManualCommitStrategy) markDone(j *journal) {
	if err := os.WriteFile(filepath.Join(s.stage(j), doneMark), nil, 0o600); err != nil {
		s.Log.Warn("staging folder not marked as done", "err", err)
	}
}

// stageDone reports whether all rewinds with a staging folder are finished.
func (s *ManualCommitStrategy) stageDone() bool {
	for _, root := range []string{s.stageRoot(), s.treeStageRoot()} {
		stages, err := os.ReadDir(root)
		if err != nil {
			continue
		}
		for _, d := range stages {
			if !exists(filepath.Join(root, d.Name(), doneMark)) {
				return false
			}
		}
	}
	return true
}

// clearTreeStage stays inside the worktree even if somebody has put a symbolic link on the path.
func (s *ManualCommitStrategy) clearTreeStage() error {
	top, err := os.OpenRoot(s.repo.Top)
	if err != nil {
		return err
	}
	defer top.Close()
	return top.RemoveAll(filepath.FromSlash(stageInTree))
}

// stageFiles durably writes every file that the rewind places, with its final permissions. An
// error ends the rewind before it changes the worktree.
func (s *ManualCommitStrategy) stageFiles(ctx context.Context, j *journal) error {
	if err := s.clearStage(); err != nil { // left by a rewind that never wrote its journal
		return err
	}
	if err := s.makeStage(j); err != nil {
		return err
	}
	var files []git.File
	for _, c := range j.Changes {
		if c.NewMode != 0 {
			files = append(files, git.File{Path: c.path(), Mode: c.NewMode, OID: c.New})
		}
	}
	if err := s.repo.Materialise(ctx, j.After, files, filepath.Join(s.stage(j), "new")); err != nil {
		return err
	}
	var written []string
	for i := range j.Changes {
		if c := &j.Changes[i]; c.NewMode != 0 {
			path := s.newSpot(j, i)
			if err := s.placeRaw(ctx, c, path); err != nil {
				return err
			}
			if err := s.dress(c, path); err != nil {
				return fmt.Errorf("stage %s: %w", c.path(), err)
			}
			written = append(written, path)
		}
	}
	return git.MakeDurable(written)
}

// makeStage creates the staging folder on a file system from which files can be renamed into the
// worktree.
func (s *ManualCommitStrategy) makeStage(j *journal) error {
	top, err := os.Stat(s.repo.Top)
	if err != nil {
		return err
	}
	dir, err := os.Stat(s.repo.GitDir)
	if err != nil {
		return err
	}
	if j.InTree = !git.SameDevice(top, dir); j.InTree {
		j.InTree = s.makeTreeStage() == nil // otherwise the rewind copies files
	}
	return os.MkdirAll(filepath.Join(s.stage(j), "old"), 0o700)
}

func (s *ManualCommitStrategy) makeTreeStage() error {
	tree, err := durable.OpenTree(s.repo.Top)
	if err != nil {
		return err
	}
	defer tree.Close()
	way, err := tree.Walk(stageInTree+"/x", true)
	if err != nil {
		return err
	}
	way.Close()
	return nil
}

// dress gives a staged file the permissions of the file that it replaces, except for the
// executable bit, and records its stat data and raw hash in c.
func (s *ManualCommitStrategy) dress(c *planned, path string) error {
	fi, err := os.Lstat(path)
	if err != nil {
		return err
	}
	was := c.Perm
	if c.Was != nil {
		was = c.Was.Mode
	}
	if was != 0 && was.IsRegular() && fi.Mode().IsRegular() {
		if perm := permissions(was.Perm(), fi.Mode().Perm()); perm != fi.Mode().Perm() {
			if err := os.Chmod(path, perm); err != nil {
				return err
			}
			if fi, err = os.Lstat(path); err != nil {
				return err
			}
		}
	}
	c.Now = footprintOf(fi)
	if fi.Mode()&fs.ModeSymlink == 0 {
		c.Raw, err = s.repo.RawOID(path)
	}
	return err
}

// permissions returns old's permissions, with new's executable bit.
func permissions(old, new fs.FileMode) fs.FileMode {
	if new&0o111 == 0 {
		return old &^ 0o111
	}
	if old&0o111 != 0 {
		return old
	}
	return old | old&0o444>>2
}
