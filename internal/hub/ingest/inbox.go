package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/git"
)

// inboxRefs are where pushes leave a metadata branch that they could not merge, because others kept pushing. A later push
// merges it into the branch; until then the hub shows what such a branch has beyond the other.
const inboxRefs = "refs/entire/inbox/"

// A left is one ref of the inbox.
type left struct {
	ref string
	tip git.Commit
}

// inboxState returns a text that is the same for the same refs of the inbox, "" for none.
func inboxState(ctx context.Context, repo *git.Repo) (string, error) {
	list, err := repo.Refs(ctx, inboxRefs)
	if err != nil || len(list) == 0 {
		return "", err
	}
	sum := sha256.New()
	for _, ref := range list {
		fmt.Fprintf(sum, "%s %s\n", ref.Name, ref.OID)
	}
	return fmt.Sprintf(" inbox %x", sum.Sum(nil)[:16]), nil
}

// inbox returns what was left, the latest first: who pushes twice has all of the first in the second.
func inbox(ctx context.Context, repo *git.Repo) ([]left, error) {
	list, err := repo.Refs(ctx, inboxRefs)
	if err != nil {
		return nil, err
	}
	rd := repo.Reader(ctx)
	var all []left
	for _, ref := range list {
		l := left{ref: ref.Name}
		var ok bool
		if l.tip, ok, err = rd.CommitOf(ref.OID.String()); err != nil || !ok {
			return nil, errors.Join(err, fmt.Errorf("read %s: %w", ref.Name, git.ErrMissing))
		}
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b left) int {
		return cmp.Or(b.tip.Committer.When.Compare(a.tip.Committer.When), strings.Compare(a.ref, b.ref))
	})
	return all, nil
}

// baseOf returns the newest commit that a commit shares with the branch; zero for none.
func baseOf(ctx context.Context, repo *git.Repo, tip git.OID) (c git.Commit, err error) {
	branch, found, err := repo.Ref(ctx, branchRef)
	if err != nil || !found {
		return c, err
	}
	out, err := repo.Run(ctx, "merge-base", branch.String(), tip.String())
	var exit *git.ExitError
	if errors.As(err, &exit) && exit.Code == 1 {
		return c, nil // they share none
	}
	if err != nil {
		return c, err
	}
	c, _, err = repo.Reader(ctx).CommitOf(strings.TrimSpace(string(out)))
	return c, err
}

// withInbox replaces and adds the checkpoints that the inbox has in a later state than versions: those that are nowhere
// else, and those that are elsewhere as they were before.
func withInbox(ctx context.Context, repo *git.Repo, versions []records.Version) ([]records.Version, error) {
	all, err := inbox(ctx, repo)
	if err != nil || len(all) == 0 {
		return versions, err
	}
	at := make(map[id.CheckpointID]int, len(versions))
	for i, v := range versions {
		at[v.ID] = i
	}
	for _, l := range all {
		base, err := baseOf(ctx, repo, l.tip.OID)
		if err != nil {
			return nil, err
		}
		before, now, err := changed(repo.Reader(ctx), base.Tree, l.tip.Tree)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", l.ref, err)
		}
		for _, cp := range slices.SortedFunc(maps.Keys(now), id.CheckpointID.Compare) {
			switch i, known := at[cp]; {
			case !known:
				at[cp] = len(versions)
				versions = append(versions, records.Version{ID: cp, Tree: now[cp]})
			case versions[i].Tree == before[cp]:
				versions[i].Tree = now[cp]
			}
		}
	}
	return versions, nil
}

// changed returns the checkpoints that a tree has and another one, which may be zero, has not or has otherwise, and what they
// were there.
func changed(rd *git.Reader, base, tree git.OID) (before, now map[id.CheckpointID]git.OID, err error) {
	tip, err := rd.Tree(tree)
	if err != nil {
		return nil, nil, err
	}
	was, err := byName(rd, base)
	if err != nil {
		return nil, nil, err
	}
	before, now = map[id.CheckpointID]git.OID{}, map[id.CheckpointID]git.OID{}
	for _, shard := range tip {
		if shard.Mode != git.ModeTree || len(shard.Name) != 2 || was[shard.Name] == shard.OID {
			continue
		}
		if err := changedIn(rd, shard, was[shard.Name], before, now); err != nil {
			return nil, nil, err
		}
	}
	return before, now, nil
}

func changedIn(rd *git.Reader, shard git.TreeEntry, was git.OID, before, now map[id.CheckpointID]git.OID) error {
	entries, err := rd.Tree(shard.OID)
	if err != nil {
		return err
	}
	old, err := byName(rd, was)
	if err != nil {
		return err
	}
	for _, e := range entries {
		cp, bad := id.NewCheckpointID(shard.Name + e.Name)
		if bad == nil && e.Mode == git.ModeTree && old[e.Name] != e.OID {
			before[cp], now[cp] = old[e.Name], e.OID
		}
	}
	return nil
}

// byName returns the entries of a tree, none of the zero tree.
func byName(rd *git.Reader, tree git.OID) (map[string]git.OID, error) {
	found := map[string]git.OID{}
	if tree.IsZero() {
		return found, nil
	}
	list, err := rd.Tree(tree)
	for _, e := range list {
		found[e.Name] = e.OID
	}
	return found, err
}

// tombstones returns what was forgotten, also in the inbox.
func tombstones(ctx context.Context, repo *git.Repo) (map[id.CheckpointID]metadata.Tombstone, error) {
	found, err := records.NewReader(repo).Forgotten(ctx, nil)
	if err != nil {
		return nil, err
	}
	all, err := inbox(ctx, repo)
	if err != nil || len(all) == 0 {
		return found, err
	}
	var roots []git.OID
	for _, l := range all {
		roots = append(roots, l.tip.Tree)
	}
	rd := repo.Reader(ctx)
	blobs, err := metadata.ReadTombstones(rd, roots)
	if err != nil {
		return nil, err
	}
	for cp, blob := range blobs {
		if _, known := found[cp]; known {
			continue
		}
		o, err := rd.Objects(blob.String())
		if err != nil {
			return nil, fmt.Errorf("read tombstones: %w", err)
		}
		found[cp] = metadata.DecodeTombstone(cp, o[0].Data)
	}
	return found, nil
}
