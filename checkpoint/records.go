package checkpoint

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire/id"
	"entire/internal/git"
)

// Records reads committed checkpoints. It looks for a checkpoint on the local metadata branch,
// then on origin's, then on the branches of the older layout. Each call reads the branches
// again.
type Records struct{ repo *git.Repo }

// NewRecords returns the Records of repo.
func NewRecords(repo *git.Repo) *Records { return &Records{repo} }

// StoredCheckpoint is a checkpoint with the metadata of its sessions.
type StoredCheckpoint struct {
	Summary  CheckpointSummary
	Sessions []StoredSession // in the order of Summary.Sessions
	Err      error           // why the summary could not be read and was made from the sessions
}

// StoredSession is the metadata of one session in a checkpoint.
type StoredSession struct {
	Metadata CommittedMetadata
	Err      error // why Metadata could not be read; it is then empty
}

// ReadMany reads checkpoints, in the order of ids, without those that do not exist. Any number
// of them takes a few round trips to one process.
func (r *Records) ReadMany(ctx context.Context, ids []id.CheckpointID) ([]StoredCheckpoint, error) {
	folders, err := r.find(ctx, ids)
	if err != nil {
		return nil, err
	}
	var found []StoredCheckpoint
	for _, f := range folders {
		if f != nil {
			found = append(found, f.stored())
		}
	}
	return found, nil
}

// Read reads one checkpoint, or returns [ErrCheckpointNotFound].
func (r *Records) Read(ctx context.Context, cp id.CheckpointID) (StoredCheckpoint, error) {
	f, err := r.folder(ctx, cp)
	if err != nil {
		return StoredCheckpoint{}, err
	}
	return f.stored(), nil
}

func (f *folder) stored() StoredCheckpoint {
	c := StoredCheckpoint{Summary: f.fullSummary(), Err: f.err}
	for _, s := range f.slots {
		c.Sessions = append(c.Sessions, StoredSession{Metadata: s.meta, Err: s.err})
	}
	return c
}

// fullSummary returns the stored summary, with the sessions that it does not list. If it could
// not be read, fullSummary computes it from the sessions.
func (f *folder) fullSummary() CheckpointSummary {
	sum := f.summary
	sum.CheckpointID = f.id
	sum.Sessions = make([]SessionFilePaths, len(f.slots))
	var metas []CommittedMetadata
	for i := range f.slots {
		s := &f.slots[i]
		sum.Sessions[i] = f.paths(s)
		if s.err == nil {
			metas = append(metas, s.meta)
		}
	}
	if f.err != nil && len(metas) > 0 {
		last := metas[len(metas)-1]
		sum.CheckpointsCount, sum.FilesTouched, sum.TokenUsage = aggregate(metas)
		sum.Strategy, sum.Branch, sum.CLIVersion = last.Strategy, last.Branch, last.CLIVersion
	}
	return sum
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

// Exists reports which of ids are stored, without reading them.
func (r *Records) Exists(ctx context.Context, ids []id.CheckpointID) (map[id.CheckpointID]bool, error) {
	roots, gone, err := r.roots(ctx)
	if err != nil {
		return nil, err
	}
	ids = gone.left(ids)
	exists := make(map[id.CheckpointID]bool, len(ids))
	for _, root := range roots {
		at, err := lookUp(r.repo.Reader(ctx), root, ids)
		if err != nil {
			return nil, fmt.Errorf("look for checkpoints: %w", err)
		}
		for i, cp := range ids {
			exists[cp] = exists[cp] || !at[i].IsZero()
		}
	}
	return exists, nil
}

// ListIDs lists every checkpoint, sorted, and reads nothing below the shards.
func (r *Records) ListIDs(ctx context.Context) ([]id.CheckpointID, error) {
	return r.FindByPrefix(ctx, "")
}

// FindByPrefix lists the checkpoints whose ID begins with prefix, sorted. With at least two
// digits it reads one shard.
func (r *Records) FindByPrefix(ctx context.Context, prefix string) ([]id.CheckpointID, error) {
	roots, gone, err := r.roots(ctx)
	if err != nil {
		return nil, err
	}
	if len(prefix) > 12 || prefix != "" && (!isHex(prefix) || strings.ToLower(prefix) != prefix) {
		return nil, nil
	}
	var ids []id.CheckpointID
	for _, root := range roots {
		some, err := r.below(ctx, root, prefix)
		if err != nil {
			return nil, fmt.Errorf("list checkpoints: %w", err)
		}
		ids = append(ids, some...)
	}
	slices.SortFunc(ids, func(a, b id.CheckpointID) int { return strings.Compare(a.String(), b.String()) })
	return gone.left(slices.Compact(ids)), nil
}

func (r *Records) below(ctx context.Context, root git.OID, prefix string) ([]id.CheckpointID, error) {
	rd := r.repo.Reader(ctx)
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
// checkpoints that have a tombstone in one of them; those must not be found in any.
func (r *Records) roots(ctx context.Context) ([]git.OID, forgotten, error) {
	var ask batch
	var roots []git.OID
	for _, ref := range []string{MetadataRef, RemoteMetadataRef, LegacyRef, LegacyRemoteRef} {
		ask.add(ref+"^{tree}", func(o git.Object) error {
			if o.Type == "tree" && !slices.Contains(roots, o.OID) {
				roots = append(roots, o.OID)
			}
			return nil
		})
	}
	if err := ask.run(r.repo.Reader(ctx)); err != nil {
		return nil, nil, fmt.Errorf("find checkpoints: %w", err)
	}
	gone, err := readForgotten(r.repo.Reader(ctx), roots...)
	return roots, gone, err
}

// find loads each checkpoint from the first branch that has it; nil if none has.
func (r *Records) find(ctx context.Context, ids []id.CheckpointID) ([]*folder, error) {
	return r.findWith(ctx, ids, false)
}

func (r *Records) findWith(ctx context.Context, ids []id.CheckpointID, brief bool) ([]*folder, error) {
	roots, gone, err := r.roots(ctx)
	if err != nil {
		return nil, err
	}
	found := make([]*folder, len(ids))
	var left []int
	for i, cp := range ids {
		if !cp.IsZero() && !gone[cp] {
			left = append(left, i)
		}
	}
	for _, root := range roots {
		ask := make([]id.CheckpointID, len(left))
		for k, i := range left {
			ask[k] = ids[i]
		}
		some, err := loadFolders(r.repo.Reader(ctx), root, ask, hashLen(r.repo), brief)
		if err != nil {
			return nil, fmt.Errorf("read checkpoints: %w", err)
		}
		var missing []int
		for k, f := range some {
			if f == nil {
				missing = append(missing, left[k])
			}
			found[left[k]] = f
		}
		left = missing
	}
	return found, nil
}

func (r *Records) folder(ctx context.Context, cp id.CheckpointID) (*folder, error) {
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
		return nil, &ForgottenError{t}
	}
	return nil, fmt.Errorf("checkpoint %s: %w", cp, ErrCheckpointNotFound)
}
