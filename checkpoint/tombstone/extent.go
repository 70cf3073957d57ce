package tombstone

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"entire/checkpoint/chunk"
	"entire/checkpoint/epoch"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
)

// Extent is everything that the history of the metadata branch has of some checkpoints: their
// files in every version that was ever written.
type Extent struct {
	Files int   // number of distinct files
	Bytes int64 // size of their content

	blobs map[git.OID]bool
}

// Has reports whether one of the checkpoints' files has this content.
func (x Extent) Has(blob git.OID) bool { return x.blobs[blob] }

// ExtentOf measures checkpoints in refs of their own and on the local branch, or on origin's if there is no
// local one.
func ExtentOf(ctx context.Context, r *records.Reader, ids []id.CheckpointID) (Extent, error) {
	x := Extent{blobs: map[git.OID]bool{}}
	seen := map[git.OID]bool{}
	note := func(o git.Object) error {
		if o.Type == "tree" {
			seen[o.OID] = true
		}
		return nil
	}
	var ask chunk.Batch
	if err := addBranch(ctx, r, ids, &ask, note); err != nil {
		return x, fmt.Errorf("measure checkpoints: %w", err)
	}
	if err := addRefs(ctx, r, ids, &ask, note); err != nil {
		return x, fmt.Errorf("measure checkpoints: %w", err)
	}
	sealed, _, err := r.Sealed(ctx, ids)
	for _, row := range sealed {
		ask.Add(row.Tree.String(), note)
	}
	if err != nil {
		return x, fmt.Errorf("measure checkpoints: %w", err)
	}
	rd := r.Repo.Reader(ctx)
	if err := ask.Run(rd); err != nil {
		return x, fmt.Errorf("measure checkpoints: %w", err)
	}
	if err := x.walk(rd, seen); err != nil {
		return x, fmt.Errorf("measure checkpoints: %w", err)
	}
	x.Files = len(x.blobs)
	x.Bytes, err = sizes(ctx, r, x.blobs)
	return x, err
}

// addBranch asks for the trees that the history of the branch has of checkpoints, and of their earlier refs.
func addBranch(ctx context.Context, r *records.Reader, ids []id.CheckpointID, ask *chunk.Batch, note func(git.Object) error) error {
	_, tip, err := metadata.Tip(ctx, r.Repo)
	if err != nil || tip.IsZero() {
		return err
	}
	gone := metadata.Forgotten{}
	for _, cp := range ids {
		gone[cp] = true
	}
	commits, err := newHistoryRewriter(ctx, r.Repo, gone).commitsTouching(tip, 0)
	for _, c := range commits {
		for _, cp := range ids {
			ask.Add(c.String()+":"+cp.Path(), note)
			ask.Add(c.String()+":"+metadata.HistoryPath(cp), note)
		}
	}
	return err
}

// addRefs asks for the trees of all commits of the checkpoints' own refs.
func addRefs(ctx context.Context, r *records.Reader, ids []id.CheckpointID, ask *chunk.Batch, note func(git.Object) error) error {
	tips, err := r.Tips(ctx, ids)
	if err != nil || len(tips) == 0 {
		return err
	}
	var in bytes.Buffer
	for _, tip := range tips {
		in.WriteString(tip.String() + "\n")
	}
	out, err := r.Repo.RunInput(ctx, in.Bytes(), "rev-list", "--stdin")
	for name := range strings.FieldsSeq(string(out)) {
		ask.Add(name+"^{tree}", note)
	}
	return err
}

// walk adds the files in folders and below them.
func (x *Extent) walk(rd *git.Reader, seen map[git.OID]bool) error {
	var level []git.OID
	for oid := range seen {
		level = append(level, oid)
	}
	for len(level) > 0 {
		trees, err := rd.Trees(level...)
		if err != nil {
			return err
		}
		level = nil
		for _, e := range slices.Concat(trees...) {
			switch {
			case e.Mode == git.ModeGitlink:
			case e.Mode != git.ModeTree:
				x.blobs[e.OID] = true
			case !seen[e.OID]:
				seen[e.OID] = true
				level = append(level, e.OID)
			}
		}
	}
	return nil
}

// sizes returns the sum of the sizes of blobs. A blob that the repository does not have counts
// as 0.
func sizes(ctx context.Context, r *records.Reader, blobs map[git.OID]bool) (sum int64, err error) {
	var in bytes.Buffer
	for oid := range blobs {
		in.WriteString(oid.String() + "\n")
	}
	out, err := r.Repo.RunInput(ctx, in.Bytes(), "cat-file", "--batch-check=%(objectsize)", "--buffer")
	if err != nil {
		return 0, fmt.Errorf("measure checkpoints: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		if n, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64); err == nil {
			sum += n
		}
	}
	return sum, nil
}

// RefsReaching lists Entire's refs, and the remote-tracking refs of the metadata branch, that still
// reach checkpoints with this extent: their history has the checkpoints, or secrets that were taken
// out of others, or their steps have one of the files.
func RefsReaching(ctx context.Context, r *records.Reader, ids []id.CheckpointID, x Extent) ([]string, error) {
	gone := metadata.Forgotten{}
	for _, cp := range ids {
		gone[cp] = true
	}
	k := newHistoryRewriter(ctx, r.Repo, gone)
	_, tip, err := metadata.Tip(ctx, r.Repo)
	if err != nil {
		return nil, err
	}
	known, err := rewriterOf(ctx, r.Repo, tip)
	if err != nil {
		return nil, err
	}
	k.redactions = known.redactions
	k.index()
	var held []string
	epochs, err := epochsHolding(ctx, r, ids)
	if err != nil {
		return nil, err
	}
	held = append(held, epochs...)
	for _, prefix := range []string{"refs/heads/" + shadow.BranchPrefix, "refs/entire/", "refs/remotes/**/" + shadow.MetadataBranch, shadow.LegacyRemoteRef} {
		refs, err := r.Repo.Refs(ctx, prefix)
		if err != nil {
			return nil, err
		}
		for _, ref := range refs {
			_, other := metadata.ParseCheckpointRef(ref.Name)
			if _, month := epoch.MonthOfRef(ref.Name); other || month {
				continue // a checkpoint that is not forgotten may have the same conversation
			}
			holds, err := reaches(ctx, r, k, ref, x)
			if err != nil {
				return nil, fmt.Errorf("look into %s: %w", ref.Name, err)
			}
			if holds {
				held = append(held, ref.Name)
			}
		}
	}
	return held, nil
}

// epochsHolding lists the epochs that have one of the checkpoints.
func epochsHolding(ctx context.Context, r *records.Reader, ids []id.CheckpointID) (held []string, err error) {
	set, err := epoch.Load(ctx, r.Repo)
	for _, m := range set {
		for _, cp := range ids {
			_, holds, err := (epoch.Set{m}).MonthOf(r.Repo.Reader(ctx), cp)
			if err != nil {
				return nil, err
			}
			if holds {
				held = append(held, m.Month.Ref())
				break
			}
		}
	}
	return held, err
}

// reaches reports whether a ref has something of the checkpoints: a metadata branch in any commit, another
// ref in a file that HEAD does not reach.
func reaches(ctx context.Context, r *records.Reader, k *historyRewriter, ref git.Ref, x Extent) (bool, error) {
	if ref.Name == shadow.MetadataRef || strings.HasSuffix(ref.Name, "/"+shadow.MetadataBranch) || ref.Name == shadow.LegacyRef || ref.Name == shadow.LegacyRemoteRef ||
		strings.HasPrefix(ref.Name, fetchedPrefix) {
		held, err := k.commitsToChange(ref.OID, 1)
		return len(held) > 0, err
	}
	if len(x.blobs) == 0 {
		return false, nil
	}
	args := []string{"rev-list", "--objects", "--no-object-names", ref.OID.String()}
	if _, born, err := r.Repo.Reader(ctx).CommitOf("HEAD"); err != nil {
		return false, err
	} else if born {
		args = append(args, "^HEAD")
	}
	out, err := r.Repo.Run(ctx, args...)
	if err != nil {
		return false, err
	}
	for line := range strings.FieldsSeq(string(out)) {
		if oid, err := git.ParseOID(line); err == nil && x.blobs[oid] {
			return true, nil
		}
	}
	return false, nil
}

// ownRefs returns the refs of those of ids that have one of their own, as updates that delete them.
func ownRefs(ctx context.Context, r *records.Reader, ids []id.CheckpointID) ([]git.RefUpdate, error) {
	tips, err := r.Tips(ctx, ids)
	var updates []git.RefUpdate
	for cp, tip := range tips {
		updates = append(updates, git.RefUpdate{Name: metadata.CheckpointRef(cp), Old: tip})
	}
	return updates, err
}

// DropOwnRefs deletes the refs of forgotten checkpoints, and reports whether there were any. If one of them
// moves meanwhile, it is deleted all the same: nothing may be written under such an ID.
func DropOwnRefs(ctx context.Context, repo *git.Repo) (dropped bool, err error) {
	r := records.NewReader(repo)
	stones, err := r.Forgotten(ctx, nil)
	if err != nil || len(stones) == 0 {
		return false, err
	}
	ids := make([]id.CheckpointID, 0, len(stones))
	for cp := range stones {
		ids = append(ids, cp)
	}
	for try := 0; ; try++ {
		updates, err := ownRefs(ctx, r, ids)
		if err != nil || len(updates) == 0 {
			return dropped, err
		}
		dropped = true
		if err := repo.UpdateRefs(ctx, updates); err == nil || !errors.Is(err, git.ErrRefMoved) || try >= metadata.WriteTries {
			return dropped, err
		}
	}
}

// fetchedPrefix begins the refs of fetched branches while they are merged.
const fetchedPrefix = "refs/entire/fetched/"

// DropFetched removes the refs of fetched branches that a killed sync left.
func DropFetched(ctx context.Context, repo *git.Repo) error {
	refs, err := repo.Refs(ctx, fetchedPrefix)
	for _, ref := range refs {
		err = errors.Join(err, repo.UpdateRefs(ctx, []git.RefUpdate{{Name: ref.Name, Old: ref.OID}}))
	}
	return err
}
