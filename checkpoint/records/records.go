package records

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire/agent"
	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
)

// Links reads all links. If there are none, it costs one round trip.
func (r *Reader) Links(ctx context.Context) (metadata.Links, error) {
	roots, _, err := r.roots(ctx)
	if err != nil {
		return nil, err
	}
	links, err := metadata.ReadLinks(r.Repo.Reader(ctx), roots)
	if err != nil {
		return nil, fmt.Errorf("read links of commits: %w", err)
	}
	return links, nil
}

// Reader reads committed checkpoints. It looks for a checkpoint in its own ref, on the local metadata branch
// and on origin's, the newer one first, then on the branches of the older layout. Each call reads
// the refs again.
type Reader struct{ Repo *git.Repo }

// NewReader returns a Reader of the checkpoints of repo.
func NewReader(repo *git.Repo) *Reader { return &Reader{repo} }

// StoredCheckpoint is a checkpoint with the metadata of its sessions.
type StoredCheckpoint struct {
	Summary  metadata.CheckpointSummary
	Sessions []StoredSession // in the order of Summary.Sessions
	Err      error           // why the summary could not be read and was made from the sessions
	Lines    bool            // it records who wrote the lines of its commit
}

// StoredSession is the metadata of one session in a checkpoint.
type StoredSession struct {
	Metadata metadata.CommittedMetadata
	Err      error // why Metadata could not be read; it is then empty
}

// ReadMany reads checkpoints, in the order of ids, without those that do not exist. Any number
// of them takes a few round trips to one process.
func (r *Reader) ReadMany(ctx context.Context, ids []id.CheckpointID) ([]StoredCheckpoint, error) {
	folders, err := r.findWith(ctx, ids, metadata.Documents)
	if err != nil {
		return nil, err
	}
	return storedOf(folders), nil
}

// ReadManyWithPrompts is ReadMany and Prompts in one.
func (r *Reader) ReadManyWithPrompts(ctx context.Context, ids []id.CheckpointID) ([]StoredCheckpoint, map[id.CheckpointID][]string, error) {
	folders, err := r.findWith(ctx, ids, metadata.Documents)
	if err != nil {
		return nil, nil, err
	}
	prompts, err := r.promptsOf(ctx, folders)
	return storedOf(folders), prompts, err
}

func storedOf(folders []*metadata.Folder) (found []StoredCheckpoint) {
	for _, f := range folders {
		if f != nil {
			found = append(found, stored(f))
		}
	}
	return found
}

// ReadAll reads all checkpoints.
func (r *Reader) ReadAll(ctx context.Context) ([]StoredCheckpoint, error) {
	ids, err := r.ListIDs(ctx)
	if err != nil {
		return nil, err
	}
	return r.ReadMany(ctx, ids)
}

// Read reads one checkpoint, or returns [metadata.ErrCheckpointNotFound].
func (r *Reader) Read(ctx context.Context, cp id.CheckpointID) (StoredCheckpoint, error) {
	f, err := r.folder(ctx, cp)
	if err != nil {
		return StoredCheckpoint{}, err
	}
	return stored(f), nil
}

func stored(f *metadata.Folder) StoredCheckpoint {
	c := StoredCheckpoint{Summary: f.FullSummary(), Err: f.Err}
	for _, e := range f.Entries {
		c.Lines = c.Lines || e.Name == AttributionName && e.Mode != git.ModeTree
	}
	for _, s := range f.Slots {
		c.Sessions = append(c.Sessions, StoredSession{Metadata: s.Meta, Err: s.Err})
	}
	return c
}

// Info returns the short form of a checkpoint, for lists. Session, agent and task are those of
// the latest session.
func (c StoredCheckpoint) Info() CommittedInfo {
	info := CommittedInfo{
		CheckpointID:     c.Summary.CheckpointID,
		CheckpointsCount: c.Summary.CheckpointsCount,
		FilesTouched:     c.Summary.FilesTouched,
		SessionCount:     len(c.Sessions),
	}
	for _, s := range c.Sessions {
		if s.Err != nil {
			continue
		}
		m := s.Metadata
		info.SessionIDs = append(info.SessionIDs, m.SessionID)
		info.SessionID, info.CreatedAt, info.Agent = m.SessionID, m.CreatedAt, m.Agent
		info.IsTask, info.ToolUseID = m.IsTask, m.ToolUseID
	}
	return info
}

// Usage returns the tokens of all sessions with those of their subagents, which the stored sum leaves out; that sum
// only if no session has a figure. It is nil if nothing is known.
func (c StoredCheckpoint) Usage() *agent.TokenUsage {
	var sum agent.TokenUsage
	known := false
	for _, s := range c.Sessions {
		if u := s.Metadata.TokenUsage; u != nil {
			sum, known = sum.Add(*u), true
		}
	}
	if known {
		return &sum
	}
	return c.Summary.TokenUsage
}

// Exists reports which of ids are stored, without reading them.
func (r *Reader) Exists(ctx context.Context, ids []id.CheckpointID) (map[id.CheckpointID]bool, error) {
	roots, gone, err := r.roots(ctx)
	if err != nil {
		return nil, err
	}
	ids = gone.Without(ids)
	exists := make(map[id.CheckpointID]bool, len(ids))
	for _, root := range roots {
		at, err := metadata.LookUp(r.Repo.Reader(ctx), root, ids)
		if err != nil {
			return nil, fmt.Errorf("look for checkpoints: %w", err)
		}
		for i, cp := range ids {
			exists[cp] = exists[cp] || !at[i].IsZero()
		}
	}
	there, err := r.Tips(ctx, slices.DeleteFunc(slices.Clone(ids), func(cp id.CheckpointID) bool { return exists[cp] }))
	for cp := range there {
		exists[cp] = true
	}
	if err != nil {
		return exists, err
	}
	return exists, r.sealedHere(ctx, ids, exists)
}

// ListIDs lists every checkpoint, sorted, and reads nothing below the shards.
func (r *Reader) ListIDs(ctx context.Context) ([]id.CheckpointID, error) {
	return r.FindByPrefix(ctx, "")
}

// FindByPrefix lists the checkpoints whose ID begins with prefix, in upper or lower case,
// sorted. With at least two digits it reads one shard of the branch.
func (r *Reader) FindByPrefix(ctx context.Context, prefix string) ([]id.CheckpointID, error) {
	roots, gone, err := r.roots(ctx)
	if err != nil {
		return nil, err
	}
	forms := prefixForms(prefix)
	if len(forms) == 0 {
		return nil, nil
	}
	var ids []id.CheckpointID
	for _, root := range roots {
		for _, form := range forms {
			some, err := r.idsBelow(ctx, root, form)
			if err != nil {
				return nil, fmt.Errorf("list checkpoints: %w", err)
			}
			ids = append(ids, some...)
		}
	}
	inRefs, err := r.Tips(ctx, nil)
	if err != nil {
		return nil, err
	}
	for cp := range inRefs {
		if slices.ContainsFunc(forms, func(form string) bool { return strings.HasPrefix(cp.String(), form) }) {
			ids = append(ids, cp)
		}
	}
	sealed, err := r.sealedIDs(ctx, forms)
	if err != nil {
		return nil, fmt.Errorf("list checkpoints: %w", err)
	}
	ids = append(ids, sealed...)
	slices.SortFunc(ids, id.CheckpointID.Compare)
	return gone.Without(slices.Compact(ids)), nil
}

// prefixForms returns the beginnings of IDs that a person may mean by a prefix: of hex IDs in
// lower case, of ULIDs in upper case. It returns none for what no ID begins with.
func prefixForms(prefix string) []string {
	if prefix == "" {
		return []string{""}
	}
	var forms []string
	for _, form := range []string{strings.ToLower(prefix), strings.ToUpper(prefix)} {
		if id.MayBegin(form) && !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	return forms
}

// IDsBelow lists the checkpoints in a tree of the branch.
func (r *Reader) IDsBelow(ctx context.Context, root git.OID) ([]id.CheckpointID, error) {
	return r.idsBelow(ctx, root, "")
}

func (r *Reader) idsBelow(ctx context.Context, root git.OID, prefix string) ([]id.CheckpointID, error) {
	rd := r.Repo.Reader(ctx)
	entries, err := rd.Tree(root)
	if err != nil {
		return nil, err
	}
	var names []string
	var shards []git.OID
	for _, e := range entries {
		if e.Mode == git.ModeTree && len(e.Name) == 2 && (strings.HasPrefix(e.Name, prefix) || strings.HasPrefix(prefix, e.Name)) {
			names, shards = append(names, e.Name), append(shards, e.OID)
		}
	}
	trees, err := rd.Trees(shards...)
	if err != nil {
		return nil, err
	}
	var ids []id.CheckpointID
	for i, tree := range trees {
		for _, e := range tree {
			cp, err := id.NewCheckpointID(names[i] + e.Name)
			if err == nil && e.Mode == git.ModeTree && strings.HasPrefix(cp.String(), prefix) {
				ids = append(ids, cp)
			}
		}
	}
	return ids, nil
}

// roots returns the trees of the branches that exist, in the order of preference, and the
// checkpoints that have a tombstone in one of them; those must not be found in any. Of the two metadata
// branches the one with the newer commit comes first: a later record of a checkpoint replaces an earlier one.
func (r *Reader) roots(ctx context.Context) ([]git.OID, metadata.Forgotten, error) {
	tips, err := r.tips(ctx)
	if err != nil {
		return nil, nil, err
	}
	var roots []git.OID
	for _, c := range tips {
		if !slices.Contains(roots, c.Tree) {
			roots = append(roots, c.Tree)
		}
	}
	gone, err := metadata.ReadForgotten(r.Repo.Reader(ctx), roots...)
	if err != nil {
		return roots, gone, err
	}
	forks, err := r.otherRoots(ctx)
	for _, tree := range forks {
		if !slices.Contains(roots, tree) {
			roots = append(roots, tree)
		}
	}
	return roots, gone, err
}

// tips returns the newest commits of the branches that exist, in the order of roots.
func (r *Reader) tips(ctx context.Context) ([]git.Commit, error) {
	var ask chunk.Batch
	var tips []git.Commit
	legacy := 0 // where the branches of the older layout begin
	for i, ref := range []string{shadow.MetadataRef, shadow.RemoteMetadataRef, shadow.LegacyRef, shadow.LegacyRemoteRef} {
		ask.Add(ref, func(o git.Object) error {
			if o.Type != "commit" {
				return nil
			}
			c, err := git.ParseCommit(o.OID, o.Data)
			if err != nil {
				return err
			}
			if tips = append(tips, c); i < 2 {
				legacy = len(tips)
			}
			return nil
		})
	}
	if err := ask.Run(r.Repo.Reader(ctx)); err != nil {
		return nil, fmt.Errorf("find checkpoints: %w", err)
	}
	slices.SortStableFunc(tips[:legacy], func(a, b git.Commit) int { return b.Committer.When.Compare(a.Committer.When) })
	return tips, nil
}

// Newest returns the time of the newest commit on the branches; zero if there is none.
func (r *Reader) Newest(ctx context.Context) (newest time.Time, err error) {
	tips, err := r.tips(ctx)
	if len(tips) > 0 {
		newest = tips[0].Committer.When
	}
	return newest, err
}

func (r *Reader) folder(ctx context.Context, cp id.CheckpointID) (*metadata.Folder, error) {
	found, err := r.find(ctx, []id.CheckpointID{cp})
	if err != nil {
		return nil, err
	}
	if found[0] != nil {
		return found[0], nil
	}
	tombstones, err := r.Forgotten(ctx, []id.CheckpointID{cp})
	if err != nil {
		return nil, err
	}
	if t, gone := tombstones[cp]; gone {
		return nil, &metadata.ForgottenError{Tombstone: t}
	}
	return nil, r.notHere(ctx, cp)
}

// Forgotten reads the tombstones of ids that have one, or all tombstones if ids is nil.
func (r *Reader) Forgotten(ctx context.Context, ids []id.CheckpointID) (map[id.CheckpointID]metadata.Tombstone, error) {
	roots, _, err := r.roots(ctx)
	if err != nil {
		return nil, err
	}
	rd := r.Repo.Reader(ctx)
	found, err := metadata.ReadTombstones(rd, roots)
	if err != nil {
		return nil, err
	}
	tombstones := map[id.CheckpointID]metadata.Tombstone{}
	var ask chunk.Batch
	for cp, blob := range found {
		if ids != nil && !slices.Contains(ids, cp) {
			continue
		}
		tombstones[cp] = metadata.Tombstone{ID: cp}
		ask.Add(blob.String(), func(o git.Object) error {
			tombstones[cp] = metadata.DecodeTombstone(cp, o.Data)
			return nil
		})
	}
	if err := ask.Run(rd); err != nil {
		return nil, fmt.Errorf("read tombstones: %w", err)
	}
	return tombstones, nil
}
