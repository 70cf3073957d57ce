package strategy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"entire/internal/git"
)

// Line ends, `$Id$` and other filters can map several files to one blob, from which git always
// writes the same file. The step saved before a rewind therefore also holds the exact bytes of the
// files that will be replaced, and an undo restores those.

// rawDir is the folder of these bytes in a step's tree; a file is named by path and blob.
const rawDir = ownFolder + "/raw"

// maxRaw is the size in bytes above which they are not stored: filters for large files keep the
// content elsewhere, losslessly.
const maxRaw = 8 << 20

// rawPath returns where a step holds the bytes of the file at path that git converts to a blob.
func rawPath(path string, blob git.OID) string {
	sum := sha256.Sum256([]byte(path))
	return rawDir + "/" + hex.EncodeToString(sum[:8]) + "-" + blob.String()
}

// rawEdits returns the edits that add to a step the bytes of the files that a rewind will replace,
// if they are not those of the blob. An executable entry with the blob itself marks a file whose
// bytes are left to the filters.
func (s *ManualCommitStrategy) rawEdits(j *journal) ([]git.Edit, error) {
	wt, err := s.repo.OpenWorktree()
	if err != nil {
		return nil, err
	}
	defer wt.Close()
	var edits []git.Edit
	for _, c := range j.Changes {
		if !isRegular(c.OldMode) || c.Was == nil {
			continue
		}
		oid, _, err := wt.RawOID(s.repo, c.path())
		if errors.Is(err, fs.ErrNotExist) || err == nil && oid == c.Old {
			continue // a file that is gone is not replaced
		}
		if err != nil {
			return nil, err
		}
		e := git.Edit{Path: rawPath(c.path(), c.Old), Mode: git.ModeExec, OID: c.Old}
		if c.Was.Size <= maxRaw {
			data, _, err := wt.Read(c.path())
			if err != nil {
				return nil, err
			}
			e.Mode = git.ModeFile
			if e.OID, err = s.repo.Writer().Blob(data); err != nil {
				return nil, err
			}
		}
		edits = append(edits, e)
	}
	return edits, nil
}

// findRaw sets in the journal the exact bytes that files had in the step gone back to. If the step
// recorded every file whose bytes were not the blob's, the other files had the blob's bytes.
func (s *ManualCommitStrategy) findRaw(ctx context.Context, j *journal, plan *RewindPlan) error {
	rd := s.repo.Reader(ctx)
	if _, any, err := rd.Path(plan.step.Tree, rawDir); err != nil || !any && !plan.exact {
		return err
	}
	for i := range j.Changes {
		c := &j.Changes[i]
		if !isRegular(c.NewMode) {
			continue
		}
		raw, noted, err := rd.Path(plan.step.Tree, rawPath(c.path(), c.New))
		if err != nil {
			return err
		}
		switch {
		case noted && raw.Mode == git.ModeFile:
			c.Bytes = raw.OID
		case !noted && plan.exact:
			if e, ok, err := rd.Path(plan.step.Tree, c.path()); err != nil {
				return err
			} else if ok && e.OID == c.New {
				c.Bytes = c.New
			}
		}
	}
	return nil
}

// placeRaw writes those bytes into a staged file, if git has written others.
func (s *ManualCommitStrategy) placeRaw(ctx context.Context, c *planned, path string) error {
	if c.Bytes.IsZero() {
		return nil
	}
	if has, err := s.repo.RawOID(path); err != nil || has == c.Bytes {
		return err
	}
	data, err := s.repo.Reader(ctx).Blob(c.Bytes)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, data, 0o600); err != nil { // the file exists: its mode stays
		return fmt.Errorf("stage %s: %w", c.path(), err)
	}
	return nil
}
