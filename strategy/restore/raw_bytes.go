package restore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// Line ends, `$Id$` and other filters can map several files to one blob, from which git always
// writes the same file. The step saved before a rewind therefore also holds the exact bytes of the
// files that will be replaced, whatever filter made their blobs, and an undo restores those.

// MaxRaw is the size in bytes above which they are not stored: filters for large files keep the
// content elsewhere, losslessly.
const MaxRaw = 8 << 20

// RawEdits returns the edits that add to a step the bytes of the files that a rewind will replace,
// if they are not those of the blob. An executable entry with the blob itself marks a file whose
// bytes are left to the filters.
func RawEdits(s *sessionstate.Env, j *RewindJournal) ([]git.Edit, error) {
	wt, err := s.Repo.OpenWorktree()
	if err != nil {
		return nil, err
	}
	defer wt.Close()
	var edits []git.Edit
	for _, c := range j.Changes {
		if !worktree.IsRegular(c.OldMode) || c.OldFile == nil {
			continue
		}
		oid, _, err := wt.RawOID(s.Repo, c.Text())
		if errors.Is(err, fs.ErrNotExist) || err == nil && oid == c.Old {
			continue // a file that is gone is not replaced
		}
		if err != nil {
			return nil, err
		}
		e := git.Edit{Path: worktree.RawPath(c.Text(), c.Old), Mode: git.ModeExec, OID: c.Old}
		if c.OldFile.Size <= MaxRaw {
			data, _, err := wt.Read(c.Text())
			if err != nil {
				return nil, err
			}
			e.Mode = git.ModeFile
			if e.OID, err = s.Repo.Writer().Blob(data); err != nil {
				return nil, err
			}
		}
		edits = append(edits, e)
	}
	return edits, nil
}

// placeRaw stages a file whose very bytes are known. None of git's filters runs.
func placeRaw(ctx context.Context, s *sessionstate.Env, c *JournalChange, path string) error {
	if c.ExactOID.IsZero() {
		return nil
	}
	data, err := s.Repo.Reader(ctx).RawBlob(c.ExactOID)
	if err != nil {
		return err
	}
	perm := fs.FileMode(0o666)
	if c.NewMode == git.ModeExec {
		perm = 0o777
	}
	err = os.MkdirAll(filepath.Dir(path), 0o750)
	if err == nil {
		err = os.WriteFile(path, data, perm)
	}
	if err != nil {
		return fmt.Errorf("stage %s: %w", c.Text(), err)
	}
	return nil
}
