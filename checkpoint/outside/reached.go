package outside

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint/epoch"
	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/internal/bodies"
	"entire/internal/git"
)

// maxBlob is more bytes than a blob that stands for a body has.
const maxBlob = 512

// readBatch is how many objects are read in one round.
const readBatch = 1024

// Reached returns the bodies that stand in what tips reach and not does not, by name. A body may be there that not
// reaches, too.
func Reached(ctx context.Context, repo *git.Repo, tips, not []git.OID) (map[string]bodies.Pointer, error) {
	found := map[string]bodies.Pointer{}
	var in strings.Builder
	for _, oid := range tips {
		if !oid.IsZero() {
			in.WriteString(oid.String() + "\n")
		}
	}
	if in.Len() == 0 {
		return found, nil
	}
	for _, oid := range not {
		if !oid.IsZero() {
			in.WriteString("^" + oid.String() + "\n")
		}
	}
	out, err := repo.RunInput(ctx, []byte(in.String()), "rev-list", "--objects", "--no-object-names", "--filter=blob:limit=513",
		"--missing=allow-any", "--ignore-missing", "--stdin")
	if err != nil {
		return nil, fmt.Errorf("list what may stand for bodies: %w", err)
	}
	return Named(ctx, repo, strings.Fields(string(out)))
}

// Named returns the bodies that stand in those of objects which are blobs.
func Named(ctx context.Context, repo *git.Repo, objects []string) (map[string]bodies.Pointer, error) {
	found := map[string]bodies.Pointer{}
	rd := repo.Reader(ctx)
	for some := range slices.Chunk(objects, readBatch) {
		objs, err := rd.RawSmall(maxBlob, some...)
		if err != nil {
			return nil, err
		}
		for _, o := range objs {
			if o.Type != "blob" || o.Large {
				continue
			}
			if p, err := bodies.Parse(o.Data); err == nil {
				found[p.SHA256] = p
			}
		}
		rd.Trim(readBatch)
	}
	return found, nil
}

// ownFolders are the refs with checkpoints that are sent.
var ownFolders = []string{shadow.MetadataRef, metadata.CheckpointRefs, epoch.BodyRefs}

// fetchedBranches are the branches of other clones, as they were last fetched.
const fetchedBranches = "refs/remotes/**/" + shadow.MetadataBranch

// Own returns the bodies that this clone's checkpoints need.
func Own(ctx context.Context, repo *git.Repo) (map[string]bodies.Pointer, error) {
	return below(ctx, repo, ownFolders...)
}

// Shared returns the bodies that those of fetched branches need.
func Shared(ctx context.Context, repo *git.Repo) (map[string]bodies.Pointer, error) {
	return below(ctx, repo, fetchedBranches)
}

// all returns the bodies that anything of ours here needs, unfinished work included.
func all(ctx context.Context, repo *git.Repo) (map[string]bodies.Pointer, error) {
	return below(ctx, repo, "refs/heads/entire", "refs/entire", fetchedBranches)
}

func below(ctx context.Context, repo *git.Repo, folders ...string) (map[string]bodies.Pointer, error) {
	refs, err := repo.Refs(ctx, folders...)
	if err != nil {
		return nil, err
	}
	tips := make([]git.OID, len(refs))
	for i, ref := range refs {
		tips[i] = ref.OID
	}
	return Reached(ctx, repo, tips, nil)
}

// Mark is what the refs with checkpoints named before an operation.
type Mark struct {
	repo   *git.Repo
	before []git.Ref
}

// Begin notes what the refs with checkpoints name. It returns nil in a clone without bodies.
func Begin(ctx context.Context, repo *git.Repo) (*Mark, error) {
	if !repo.Bodies.Used() {
		return nil, nil
	}
	refs, err := ownRefs(ctx, repo)
	return &Mark{repo, refs}, err
}

func ownRefs(ctx context.Context, repo *git.Repo) ([]git.Ref, error) {
	return repo.Refs(ctx, ownFolders...)
}

// Dropped notes in the folder of bodies which bodies the refs may not need any more.
func (m *Mark) Dropped(ctx context.Context) error {
	if m == nil {
		return nil
	}
	now, err := ownRefs(ctx, m.repo)
	if err != nil {
		return err
	}
	var gone, not []git.OID
	for _, ref := range m.before {
		if !slices.Contains(now, ref) {
			gone = append(gone, ref.OID)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	for _, ref := range now {
		not = append(not, ref.OID)
	}
	found, err := Reached(ctx, m.repo, gone, not)
	for name := range found {
		if err == nil {
			err = m.repo.Bodies.NoteForgotten(name)
		}
	}
	return err
}

// Sweep removes from the folder of bodies those that nothing here needs. fresh says whether a body that waits may belong
// to what is being written now. It returns how many it removed.
func Sweep(ctx context.Context, repo *git.Repo, fresh func(name string) bool) (n int, err error) {
	kept, err := repo.Bodies.Kept()
	if err != nil {
		return 0, err
	}
	waiting, err := repo.Bodies.Waiting()
	if err != nil || len(kept)+len(waiting) == 0 {
		return 0, err
	}
	need, err := all(ctx, repo)
	if err != nil {
		return 0, err
	}
	var unneeded []string
	for _, names := range []map[string]int64{kept, waiting} {
		for name := range names {
			if _, needed := need[name]; !needed && !fresh(name) {
				unneeded = append(unneeded, name)
			}
		}
	}
	return Remove(ctx, repo, unneeded)
}

// Remove removes from the folder of bodies those of names that nothing here needs, and reports how many.
func Remove(ctx context.Context, repo *git.Repo, names []string) (n int, err error) {
	return repo.Bodies.Remove(ctx, names, func() (map[string]bodies.Pointer, error) { return all(ctx, repo) })
}
