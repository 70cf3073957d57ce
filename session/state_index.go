package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/id"
	"entire/internal/durable"
	"entire/session/internal/index"
	"entire/session/internal/layout"
)

// Summaries returns a summary of every session that has a usable state, in ascending order of
// ID. It reads the directory once, makes one lstat for each state, and reads only the states
// that changed since the index was written; if they are many, it rewrites the index. It
// leaves out what List reports as problems. A missing, damaged or unwritable index only costs
// time.
func (s *StateStore) Summaries(ctx context.Context) ([]Summary, error) {
	p, err := s.scan(ctx)
	if err != nil {
		return nil, err
	}
	if len(p.stale) <= index.RewriteAbove {
		err = s.readStale(ctx, p)
	} else {
		err = s.rewrite(ctx, p)
	}
	if err != nil && !errors.Is(err, index.ErrIndex) {
		return nil, err
	}
	return p.summaries(), nil
}

// Refresh rewrites the index if a state changed since it was written.
func (s *StateStore) Refresh(ctx context.Context) error {
	p, err := s.scan(ctx)
	if err != nil {
		return err
	}
	if len(p.stale) == 0 && len(p.found) == p.indexed {
		return nil
	}
	return s.rewrite(ctx, p)
}

// A indexScan is one comparison of the state directory with the index.
type indexScan struct {
	found   []record // in ascending order of stem
	stale   []int    // indexes in found of the states to read
	indexed int      // how many records the index has
}

func (s *StateStore) scan(ctx context.Context) (*indexScan, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	found, err := stampDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	x := s.readIndex()
	p := &indexScan{found: found, indexed: len(x.records)}
	safe := x.begun - int64(index.RacyWindow)
	old := x.records
	for i := range found {
		r := &found[i]
		for len(old) > 0 && old[0].stem < r.stem {
			old = old[1:]
		}
		if len(old) == 0 || old[0].stem != r.stem || old[0].stamp != r.stamp || r.stamp.Mtime > safe || r.stamp.Ctime > safe {
			p.stale = append(p.stale, i)
			continue
		}
		*r = old[0]
	}
	return p, nil
}

// readIndex returns an empty index if the file is absent or damaged.
func (s *StateStore) readIndex() stateIndex {
	data, err := layout.ReadRegular(s.index)
	if err != nil {
		return stateIndex{}
	}
	x, err := decodeIndex(data)
	if err != nil {
		return stateIndex{}
	}
	return x
}

// rewrite reads the stale states and writes the index. It reads the clock first: a file that
// changes after it was read has a time later than that, or so close that the index is not used
// for it. If only writing the index fails, the error is an ErrIndex and p is complete.
func (s *StateStore) rewrite(ctx context.Context, p *indexScan) error {
	now, clockErr := durable.Clock(filepath.Dir(s.index))
	if err := s.readStale(ctx, p); err != nil {
		return err
	}
	if clockErr != nil {
		return fmt.Errorf("%w: %w", index.ErrIndex, clockErr)
	}
	x := stateIndex{begun: now.UnixNano(), records: p.found}
	if err := durable.WriteCache(s.index, x.encode(), 0o600); err != nil {
		return fmt.Errorf("%w: %w", index.ErrIndex, err)
	}
	return nil
}

// readStale reads the states of p.stale, and removes from p those that no longer exist.
func (s *StateStore) readStale(ctx context.Context, p *indexScan) error {
	if len(p.stale) == 0 {
		return nil
	}
	dir, err := os.Open(s.dir)
	if err != nil {
		return fmt.Errorf("list sessions: %w", err)
	}
	defer dir.Close()
	gone := 0
	for _, i := range p.stale {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("list sessions: %w", err)
		}
		r := &p.found[i]
		summary, err := readSummary(dir, r.stem, r.stamp)
		if errors.Is(err, ErrNotFound) {
			r.stem = ""
			gone++
		}
		r.usable, r.summary = err == nil, summary
	}
	if gone > 0 {
		p.found = slices.DeleteFunc(p.found, func(r record) bool { return r.stem == "" })
	}
	p.stale = nil
	return nil
}

// readSummary opens no file whose name is not a session ID.
func readSummary(dir *os.File, stem string, st layout.Stamp) (Summary, error) {
	sid, err := id.ParseSessionID(stem)
	if err != nil {
		return Summary{}, err
	}
	if !st.Regular {
		return Summary{}, errors.New("not a regular file")
	}
	data, err := layout.ReadAt(dir, stem+layout.StateExt, st.Size)
	if err != nil {
		return Summary{}, err
	}
	return summarize(sid, data)
}

func (p *indexScan) summaries() []Summary {
	list := make([]Summary, 0, len(p.found))
	for i := range p.found {
		if r := &p.found[i]; r.usable {
			list = append(list, r.summary)
		}
	}
	return list
}

// stampDir returns a record without summary for each file in dir named *.json, in ascending
// order of stem, and none if dir is absent.
func stampDir(path string) ([]record, error) {
	dir, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	stems := names[:0]
	for _, name := range names {
		if stem, ok := strings.CutSuffix(name, layout.StateExt); ok && stem != "" {
			stems = append(stems, stem)
		}
	}
	slices.Sort(stems)
	list := make([]record, 0, len(stems))
	for _, stem := range stems {
		st, err := layout.StampAt(dir, stem+layout.StateExt)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, record{stem: stem, stamp: st})
	}
	return list, nil
}
