package epoch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"entire/id"
	"entire/internal/git"
)

// Set is the manifests of a clone, the newest month first.
type Set []*Manifest

// Load reads which epochs there are. Without any, it starts no process.
func Load(ctx context.Context, repo *git.Repo) (Set, error) {
	refs, err := repo.Refs(ctx, Refs)
	if err != nil {
		return nil, fmt.Errorf("list epochs: %w", err)
	}
	var set Set
	for _, ref := range slices.Backward(refs) {
		month, ok := ParseMonth(strings.TrimPrefix(ref.Name, Refs))
		if !ok {
			continue
		}
		m, err := Open(repo.Reader(ctx), month, ref.OID)
		if err != nil {
			return nil, fmt.Errorf("read the manifest %s: %w", ref.Name, err)
		}
		set = append(set, m)
	}
	return set, nil
}

// Of returns the month's manifest; nil if there is none.
func (s Set) Of(m Month) *Manifest {
	for _, one := range s {
		if one.Month == m {
			return one
		}
	}
	return nil
}

// Find returns the rows of those of ids that are sealed. absent are those whose page is not in this clone, with the page.
func (s Set) Find(rd *git.Reader, ids []id.CheckpointID) (found map[id.CheckpointID]Row, absent map[id.CheckpointID]git.OID, err error) {
	found, absent = map[id.CheckpointID]Row{}, map[id.CheckpointID]git.OID{}
	left := slices.DeleteFunc(slices.Clone(ids), id.CheckpointID.IsZero)
	for _, m := range s {
		if len(left) == 0 {
			break
		}
		if left, err = m.find(rd, left, found, absent); err != nil {
			return nil, nil, fmt.Errorf("epoch %s: %w", m.Month, err)
		}
	}
	return found, absent, nil
}

// find adds those of ids that the month has, and returns the others. It reads each shard and each page once.
func (m *Manifest) find(rd *git.Reader, ids []id.CheckpointID, found map[id.CheckpointID]Row, absent map[id.CheckpointID]git.OID) (left []id.CheckpointID, err error) {
	byShard := map[string][]id.CheckpointID{}
	for _, cp := range ids {
		name := shardOf(cp, m.fan)
		byShard[name] = append(byShard[name], cp)
	}
	for name, some := range byShard {
		page, list, err := m.shard(rd, name)
		if err != nil {
			return nil, err
		}
		listed := slices.DeleteFunc(some, func(cp id.CheckpointID) bool {
			_, ok := findLine(list, cp.String())
			if !ok {
				left = append(left, cp)
			}
			return !ok
		})
		if len(listed) == 0 {
			continue
		}
		rows, err := rd.RawBlob(page)
		if errors.Is(err, git.ErrMissing) {
			for _, cp := range listed {
				absent[cp] = page
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, cp := range listed {
			if found[cp], err = rowOf(rows, cp); err != nil {
				return nil, err
			}
		}
	}
	return left, nil
}

func rowOf(page []byte, cp id.CheckpointID) (Row, error) {
	line, ok := findLine(page, cp.String())
	if !ok {
		return Row{}, fmt.Errorf("the page of %s has no row for it", cp)
	}
	return parseRow(line)
}

// MonthOf returns the month that a checkpoint is sealed in; ok is false if it is not sealed.
func (s Set) MonthOf(rd *git.Reader, cp id.CheckpointID) (m Month, ok bool, err error) {
	for _, one := range s {
		_, list, err := one.shard(rd, shardOf(cp, one.fan))
		if err != nil {
			return "", false, err
		}
		if _, ok := findLine(list, cp.String()); ok {
			return one.Month, true, nil
		}
	}
	return "", false, nil
}

// IDs lists the sealed checkpoints whose ID begins with prefix, sorted; "" lists all.
func (s Set) IDs(rd *git.Reader, prefix string) (ids []id.CheckpointID, err error) {
	for _, m := range s {
		for name, oid := range m.shards {
			if m.fan > 0 && prefix != "" && prefix == strings.ToLower(prefix) && !strings.HasPrefix(name, prefix[:min(m.fan, len(prefix))]) && !holdsULIDs(prefix) {
				continue
			}
			_, list, err := m.readShard(rd, oid)
			if err != nil {
				return nil, err
			}
			for _, line := range linesWithPrefix(list, prefix) {
				if cp, err := id.NewCheckpointID(line); err == nil {
					ids = append(ids, cp)
				}
			}
		}
	}
	slices.SortFunc(ids, id.CheckpointID.Compare)
	return slices.Compact(ids), nil
}

// holdsULIDs reports whether a prefix that is only digits may begin a ULID, which is in any shard.
func holdsULIDs(prefix string) bool {
	return prefix[0] <= '7' && strings.Trim(prefix, "0123456789") == ""
}

// Rows reads all rows of a month, sorted. It returns [git.ErrMissing] if a page is not here.
func (m *Manifest) Rows(rd *git.Reader) ([]Row, error) {
	var rows []Row
	for _, name := range slices.Sorted(maps.Keys(m.shards)) {
		page, _, err := m.readShard(rd, m.shards[name])
		if err != nil {
			return nil, err
		}
		data, err := rd.RawBlob(page)
		if err != nil {
			return nil, fmt.Errorf("read a page of %s: %w", m.Month, err)
		}
		some, err := parsePage(data)
		if err != nil {
			return nil, fmt.Errorf("epoch %s: %w", m.Month, err)
		}
		rows = append(rows, some...)
	}
	sortRows(rows)
	return rows, nil
}
