package restore

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
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// The files of a rewind are staged in a folder on the worktree's own file system: in the git
// directory, or in the worktree's .entire/tmp. Its folder `new` holds the files that the rewind
// places, under their paths; `old` holds the replaced files, by number.

// StageRoot returns the folder for the stages of rewinds in git's directory.
func StageRoot(s *sessionstate.Env) string { return filepath.Join(s.LocalDir(), "stage") }

// treeStagePath is the staging folder if the git directory is on another file system than the
// worktree.
const treeStagePath = worktree.OwnFolder + "/tmp/rewind"

// TreeStageRoot returns the folder for the stages of rewinds in the worktree.
func TreeStageRoot(s *sessionstate.Env) string {
	return filepath.Join(s.Repo.Top, filepath.FromSlash(treeStagePath))
}

// StageDir returns where a rewind stages its files; older versions named the folder by the point.
func StageDir(s *sessionstate.Env, j *RewindJournal) string {
	switch {
	case j.Version < 2:
		return filepath.Join(StageRoot(s), j.Point.Short())
	case j.InTree:
		return filepath.Join(TreeStageRoot(s), j.ID)
	}
	return filepath.Join(StageRoot(s), j.ID)
}

// StagedNewPath is the staged path of the file that change i places.
func StagedNewPath(s *sessionstate.Env, j *RewindJournal, i int) string {
	dir := StageDir(s, j)
	if j.Version >= 2 {
		dir = filepath.Join(dir, "new")
	}
	return filepath.Join(dir, filepath.FromSlash(j.Changes[i].Text()))
}

// stagedOldPath is where the file goes that change i replaces or removes.
func stagedOldPath(s *sessionstate.Env, j *RewindJournal, i int) string {
	dir := filepath.Join(StageDir(s, j), "old")
	if j.Version < 2 {
		dir = StageDir(s, j) + ".old"
	}
	return filepath.Join(dir, strconv.Itoa(i))
}

// ClearStage removes the staged files of finished rewinds.
func ClearStage(s *sessionstate.Env) error {
	err := os.RemoveAll(StageRoot(s))
	if sessionstate.PathExists(TreeStageRoot(s)) {
		err = errors.Join(err, clearTreeStage(s))
	}
	return err
}

// doneMarker is a file in the staging folder of a finished rewind.
const doneMarker = "done"

func markDone(s *sessionstate.Env, j *RewindJournal) {
	if err := os.WriteFile(filepath.Join(StageDir(s, j), doneMarker), nil, 0o600); err != nil {
		s.Log.Warn("staging folder not marked as done", "err", err)
	}
}

// IsStageDone reports whether all rewinds with a staging folder are finished.
func IsStageDone(s *sessionstate.Env) bool {
	for _, root := range []string{StageRoot(s), TreeStageRoot(s)} {
		stages, err := os.ReadDir(root)
		if err != nil {
			continue
		}
		for _, d := range stages {
			if !sessionstate.PathExists(filepath.Join(root, d.Name(), doneMarker)) {
				return false
			}
		}
	}
	return true
}

// clearTreeStage stays inside the worktree even if somebody has put a symbolic link on the path.
func clearTreeStage(s *sessionstate.Env) error {
	top, err := os.OpenRoot(s.Repo.Top)
	if err != nil {
		return err
	}
	defer top.Close()
	return top.RemoveAll(filepath.FromSlash(treeStagePath))
}

// StageFiles durably writes every file that the rewind places, with its final permissions. An
// error ends the rewind before it changes the worktree.
func StageFiles(ctx context.Context, s *sessionstate.Env, j *RewindJournal) error {
	if err := ClearStage(s); err != nil { // left by a rewind that never wrote its journal
		return err
	}
	if err := makeStage(s, j); err != nil {
		return err
	}
	var files []git.File
	for _, c := range j.Changes {
		if c.NewMode != 0 && c.ExactOID.IsZero() {
			files = append(files, git.File{Path: c.Text(), Mode: c.NewMode, OID: c.New})
		}
	}
	if err := s.Repo.Materialise(ctx, j.After, files, filepath.Join(StageDir(s, j), "new")); err != nil {
		return err
	}
	var written []string
	for i := range j.Changes {
		if c := &j.Changes[i]; c.NewMode != 0 {
			path := StagedNewPath(s, j, i)
			if err := placeRaw(ctx, s, c, path); err != nil {
				return err
			}
			if err := applyPermissions(s, c, path); err != nil {
				return fmt.Errorf("stage %s: %w", c.Text(), err)
			}
			written = append(written, path)
		}
	}
	return git.MakeDurable(written)
}

// makeStage creates the staging folder on a file system from which files can be renamed into the
// worktree.
func makeStage(s *sessionstate.Env, j *RewindJournal) error {
	top, err := os.Stat(s.Repo.Top)
	if err != nil {
		return err
	}
	dir, err := os.Stat(s.Repo.GitDir)
	if err != nil {
		return err
	}
	if j.InTree = !git.SameDevice(top, dir); j.InTree {
		j.InTree = makeTreeStage(s) == nil // otherwise the rewind copies files
	}
	return os.MkdirAll(filepath.Join(StageDir(s, j), "old"), 0o700)
}

func makeTreeStage(s *sessionstate.Env) error {
	tree, err := durable.OpenTree(s.Repo.Top)
	if err != nil {
		return err
	}
	defer tree.Close()
	way, err := tree.Walk(treeStagePath+"/x", true)
	if err != nil {
		return err
	}
	way.Close()
	return nil
}

// applyPermissions gives a staged file the permissions of the file that it replaces, except for the
// executable bit, and records its stat data and raw hash in c.
func applyPermissions(s *sessionstate.Env, c *JournalChange, path string) error {
	fi, err := os.Lstat(path)
	if err != nil {
		return err
	}
	was := c.Perm
	if c.OldFile != nil {
		was = c.OldFile.Mode
	}
	if was != 0 && was.IsRegular() && fi.Mode().IsRegular() {
		perm := permissions(was.Perm(), fi.Mode().Perm())
		if !s.Repo.FileMode { // the executable bit is not the repository's
			perm = was.Perm()
		}
		if perm != fi.Mode().Perm() {
			if err := os.Chmod(path, perm); err != nil {
				return err
			}
			if fi, err = os.Lstat(path); err != nil {
				return err
			}
		}
	}
	c.NewFile = worktree.FootprintOf(fi)
	if fi.Mode()&fs.ModeSymlink == 0 {
		c.PlacedOID, err = s.Repo.RawOID(path)
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
