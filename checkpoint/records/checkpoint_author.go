package records

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
)

const (
	firstWindow = 256 // how many commits are searched before the whole history is
	maxMerges   = 64  // how many merges are followed to the parent that has the checkpoint
)

// Author returns the author of the commit that added the checkpoint to its ref or branch; empty if
// there is none; for a sealed one that of its page. A recent commit is found among the latest ones; an old one costs a walk over
// the branch's commits, without their trees.
func (r *Reader) Author(ctx context.Context, cp id.CheckpointID) (Author, error) {
	for _, ref := range []string{metadata.CheckpointRef(cp), shadow.MetadataRef, shadow.RemoteMetadataRef, shadow.LegacyRef, shadow.LegacyRemoteRef} {
		path := cp.Path() + "/" + metadata.FileName
		if strings.HasPrefix(ref, metadata.CheckpointRefs) {
			path = metadata.FileName
		}
		c, ok, err := r.Repo.Reader(ctx).CommitOf(ref)
		if err == nil && ok {
			c, ok, err = r.introduced(ctx, c.OID, path)
		}
		if err != nil {
			return Author{}, fmt.Errorf("author of checkpoint %s: %w", cp, err)
		}
		if ok {
			return Author{Name: c.Author.Name, Email: c.Author.Email}, nil
		}
	}
	return r.sealedAuthor(ctx, cp)
}

// introduced finds the commit that added path to the history of tip; ok is false if tip has no
// such path.
func (r *Reader) introduced(ctx context.Context, tip git.OID, path string) (c git.Commit, ok bool, err error) {
	has := func(commit git.OID) bool {
		o, oerr := r.Repo.Reader(ctx).Objects(commit.String() + ":" + path)
		if oerr != nil {
			err = oerr
			return false
		}
		return o[0].Type != ""
	}
	for range maxMerges {
		if !has(tip) || err != nil {
			return git.Commit{}, false, err
		}
		if tip, err = r.oldestWith(ctx, tip, has); err != nil {
			return git.Commit{}, false, err
		}
		if c, err = r.Repo.Reader(ctx).Commit(tip); err != nil {
			return git.Commit{}, false, err
		}
		side := git.OID{}
		for _, p := range c.Parents {
			if has(p) {
				side = p
			}
		}
		if side.IsZero() || err != nil {
			break
		}
		tip = side
	}
	return c, err == nil, err
}

// oldestWith bisects the first-parent history of tip, for which has is true, and returns the
// oldest commit for which it is.
func (r *Reader) oldestWith(ctx context.Context, tip git.OID, has func(git.OID) bool) (git.OID, error) {
	for window := firstWindow; ; window = -1 {
		commits, err := r.firstParents(ctx, tip, window)
		if err != nil {
			return git.OID{}, err
		}
		last := len(commits) - 1
		if has(commits[last]) {
			if window > 0 && len(commits) == window {
				continue
			}
			return commits[last], nil
		}
		with, without := 0, last
		for without-with > 1 {
			if mid := (with + without) / 2; has(commits[mid]) {
				with = mid
			} else {
				without = mid
			}
		}
		return commits[with], nil
	}
}

// firstParents lists commits from tip back, at most count of them if that is positive.
func (r *Reader) firstParents(ctx context.Context, tip git.OID, count int) ([]git.OID, error) {
	out, err := r.Repo.Run(ctx, "rev-list", "--first-parent", "--max-count="+strconv.Itoa(count), tip.String())
	if err != nil {
		return nil, err
	}
	lines := strings.Fields(string(out))
	commits := make([]git.OID, len(lines))
	for i, line := range lines {
		if commits[i], err = git.ParseOID(line); err != nil {
			return nil, err
		}
	}
	if len(commits) == 0 {
		return nil, fmt.Errorf("list history of %s: %w", tip.Short(), git.ErrMissing)
	}
	return commits, nil
}
