package records

import (
	"context"
	"fmt"

	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/git"
)

// ForeignRefs is the folder of refs in which newer versions keep each checkpoint: <last two characters>/<ID>. Its commit's
// tree is what a checkpoint's folder is on the metadata branch. This program only reads them.
const ForeignRefs = "refs/entire/checkpoints/"

// ForeignCheckpoint is a checkpoint of another version, whose ID is none here.
type ForeignCheckpoint struct {
	ID string
	StoredCheckpoint
	Author   git.Signature     // of the checkpoint's commit
	Contents []*SessionContent // in the order of Sessions; nil where nothing could be read
	Problems []error
}

// foreignRef returns the ref of a checkpoint; "" for a name that can be none.
func foreignRef(name string) string {
	if len(name) < 8 || len(name) > 64 {
		return ""
	}
	for _, c := range name {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return ""
		}
	}
	return ForeignRefs + name[len(name)-2:] + "/" + name
}

// Foreign reads a checkpoint that another version keeps in a ref of its own, or returns
// [metadata.ErrCheckpointNotFound]. What cannot be read of it becomes a problem.
func (r *Reader) Foreign(ctx context.Context, name string) (*ForeignCheckpoint, error) {
	f, commit, err := r.foreignFolder(ctx, name)
	if err != nil {
		return nil, err
	}
	c := &ForeignCheckpoint{ID: name, StoredCheckpoint: stored(f), Author: commit.Author}
	if f.Err != nil {
		c.Problems = append(c.Problems, f.Err)
	}
	for i := range f.Slots {
		s := &f.Slots[i]
		content, err := r.content(ctx, id.CheckpointID{}, s)
		if err == nil {
			err = s.Err
		}
		if err != nil {
			c.Problems = append(c.Problems, fmt.Errorf("session %d: %w", s.Number, err))
		}
		c.Contents = append(c.Contents, content)
	}
	return c, nil
}

// foreignFolder returns what the ref of a checkpoint has.
func (r *Reader) foreignFolder(ctx context.Context, name string) (*metadata.Folder, git.Commit, error) {
	ref := foreignRef(name)
	if ref == "" {
		return nil, git.Commit{}, fmt.Errorf("checkpoint %.64q: %w", name, metadata.ErrCheckpointNotFound)
	}
	tip, found, err := r.Repo.Ref(ctx, ref)
	if err != nil {
		return nil, git.Commit{}, fmt.Errorf("read %s: %w", ref, err)
	}
	if !found {
		return nil, git.Commit{}, fmt.Errorf("checkpoint %s: %w", name, metadata.ErrCheckpointNotFound)
	}
	rd := r.Repo.Reader(ctx)
	commit, err := rd.Commit(tip)
	if err != nil {
		return nil, commit, fmt.Errorf("read %s: %w", ref, err)
	}
	entries, err := rd.Tree(commit.Tree)
	if err != nil {
		return nil, commit, fmt.Errorf("read %s: %w", ref, err)
	}
	f := &metadata.Folder{Tree: commit.Tree, Entries: entries}
	if f.ID, err = id.NewCheckpointID(name); err != nil {
		f.Foreign = true
	}
	return f, commit, metadata.FillFolders(rd, []*metadata.Folder{f}, metadata.HashLen(r.Repo))
}

// ForeignExists reports whether the repository has the ref of such a checkpoint.
func (r *Reader) ForeignExists(ctx context.Context, name string) bool {
	ref := foreignRef(name)
	if ref == "" {
		return false
	}
	_, found, err := r.Repo.Ref(ctx, ref)
	return err == nil && found
}

// findInRefs finds those of the checkpoints left that a newer version has put into refs of their own, under the IDs
// that they had.
func (r *Reader) findInRefs(ctx context.Context, ids []id.CheckpointID, left []int, found []*metadata.Folder) error {
	if len(left) == 0 {
		return nil
	}
	there, err := r.foreignRefs(ctx)
	if err != nil {
		return err
	}
	for _, i := range left {
		if !there[foreignRef(ids[i].String())] {
			continue
		}
		if found[i], _, err = r.foreignFolder(ctx, ids[i].String()); err != nil {
			return err
		}
	}
	return nil
}

// foreignRefs returns the names of the refs in which newer versions keep checkpoints.
func (r *Reader) foreignRefs(ctx context.Context) (map[string]bool, error) {
	refs, err := r.Repo.Refs(ctx, ForeignRefs)
	there := map[string]bool{}
	for _, ref := range refs {
		there[ref.Name] = true
	}
	return there, err
}
