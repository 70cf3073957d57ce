package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/internal/durable"
)

const (
	// racyWindow is how near to the moment of reading a file may have changed
	// and still change again without its stamp showing it.
	racyWindow = 20 * time.Millisecond
	// rewriteAbove is how many files may be read at each call before it is
	// cheaper to write the index.
	rewriteAbove = 8
)

// Summaries returns a summary of every session that has a usable state, in
// ascending order of ID. It costs one reading of the directory and one lstat
// for each state, and reads only those states that changed since the index was
// written; the index is written anew when they are many. What List reports as
// problems is left out here. A missing, damaged or unwritable index only costs
// time.
func (s *StateStore) Summaries(ctx context.Context) ([]Summary, error) {
	p, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	if len(p.stale) > rewriteAbove {
		// The next call will find more to do if this fails, and nothing else.
		_ = s.rewrite(ctx, p)
	} else {
		err = s.readStale(ctx, p)
	}
	return p.summaries(), errors.Join(err, ctx.Err())
}

// Refresh writes the index anew if any state changed since it was written.
func (s *StateStore) Refresh(ctx context.Context) error {
	p, err := s.look(ctx)
	if err != nil {
		return err
	}
	if len(p.stale) == 0 && len(p.found) == p.indexed {
		return nil
	}
	return s.rewrite(ctx, p)
}

// A pass is one look at the state directory beside the index.
type pass struct {
	found   map[string]record // by name without .json
	stale   []string          // those of found whose state is still to be read
	indexed int               // how many the index has
}

func (s *StateStore) look(ctx context.Context) (*pass, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	stamps, err := stampDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	x := s.readIndex()
	p := &pass{found: make(map[string]record, len(stamps)), indexed: len(x.records)}
	safe := x.begun - int64(racyWindow)
	for stem, now := range stamps {
		r, ok := x.records[stem]
		if !ok || r.stamp != now || now.mtime > safe || now.ctime > safe {
			r = record{stamp: now}
			p.stale = append(p.stale, stem)
		}
		p.found[stem] = r
	}
	return p, nil
}

// readIndex returns an empty index for one that is absent or damaged.
func (s *StateStore) readIndex() index {
	data, err := os.ReadFile(s.index)
	if err != nil {
		return index{}
	}
	x, err := decodeIndex(data)
	if err != nil {
		return index{}
	}
	return x
}

// rewrite reads what is stale and writes the index. The clock is read first: a
// file that is changed after it was read has a later time than the clock showed,
// or one so near that the index will not be believed.
func (s *StateStore) rewrite(ctx context.Context, p *pass) error {
	now, clockErr := durable.Clock(filepath.Dir(s.index))
	if err := s.readStale(ctx, p); err != nil {
		return err
	}
	if clockErr != nil {
		return clockErr
	}
	x := index{begun: now.UnixNano(), records: p.found}
	return durable.WriteCache(s.index, x.encode(), 0o600)
}

// readStale reads the states of p.stale. Those that are gone by now leave p.
func (s *StateStore) readStale(ctx context.Context, p *pass) error {
	for _, stem := range p.stale {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("list sessions: %w", err)
		}
		r := p.found[stem]
		if !r.stamp.regular {
			continue
		}
		data, err := readRegular(filepath.Join(s.dir, stem+stateExt))
		if errors.Is(err, ErrNotFound) {
			delete(p.found, stem)
			continue
		}
		if err == nil {
			r.summary, err = summarize(stem, data)
		}
		r.usable = err == nil
		p.found[stem] = r
	}
	return nil
}

func (p *pass) summaries() []Summary {
	list := make([]Summary, 0, len(p.found))
	for _, stem := range slices.Sorted(maps.Keys(p.found)) {
		if r := p.found[stem]; r.usable {
			list = append(list, r.summary)
		}
	}
	return list
}

// stampDir returns the stamps of the files in dir named *.json, by name without
// .json. An absent directory has none.
func stampDir(dir string) (map[string]stamp, error) {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	stamps := make(map[string]stamp, len(names))
	for _, name := range names {
		stem, ok := strings.CutSuffix(name, stateExt)
		if !ok {
			continue
		}
		st, err := stampAt(d, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		stamps[stem] = st
	}
	return stamps, nil
}
