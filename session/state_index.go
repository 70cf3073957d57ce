package session

import (
	"bytes"
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
// time. See KeepListings.
func (s *StateStore) Summaries(ctx context.Context) ([]Summary, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	if records, ok := s.recentListing(); ok {
		return summaries(records), nil
	}
	began := s.beginListing()
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
	s.keepListing(began, p)
	return summaries(p.found), nil
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
	found   []*record // in ascending order of stem
	stale   []*record // those of found whose states are to be read
	gone    []string  // stems that only the index has
	indexed int       // how many records the index has
	sum     uint32    // of the index
}

func (s *StateStore) scan(ctx context.Context) (*indexScan, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	x := s.readIndex()
	m := newMatcher(x)
	if err := m.match(s.dir); err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	if s.now != nil { // a hook; a command reports them
		durable.RemoveLeftovers(s.dir, m.left)
	}
	return m.result(), nil
}

// A matcher compares the names and stamps in the state directory with the records of an index.
type matcher struct {
	x     stateIndex
	safe  int64  // a state that changed later may have changed since, too
	order []int  // indexes of the records as the directory listed them, -1 for none
	next  int    // where in order the next name is expected
	seen  []bool // by record
	stale []bool // by record; of those that were seen
	added []*record
	names int
	left  []string // names of temporary files
}

func newMatcher(x stateIndex) *matcher {
	n := len(x.records)
	m := &matcher{x: x, safe: x.begun - int64(index.RacyWindow), order: slices.Repeat([]int{-1}, n), seen: make([]bool, n), stale: make([]bool, n)}
	for i := range x.records {
		if at := x.records[i].place; 0 <= at && at < n {
			m.order[at] = i
		}
	}
	return m
}

// match looks at every file in the directory named *.json. An absent directory has none.
func (m *matcher) match(path string) error {
	dir, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	return layout.EachName(dir, func(name []byte) error {
		stem, ok := bytes.CutSuffix(name, []byte(layout.StateExt))
		switch {
		case ok && len(stem) > 0:
			return m.add(dir, string(name), stem)
		case len(name) > len(layout.StateExt) && durable.IsTemp(string(name)):
			m.left = append(m.left, string(name))
		}
		return nil
	})
}

// add notes a file of the directory: new, as the index knows it, or stale. A file whose times are too young
// to prove that it is unchanged counts as stale.
func (m *matcher) add(dir *os.File, name string, stem []byte) error {
	st, err := layout.StampAt(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	place := m.names
	m.names++
	i, known := m.find(stem)
	if known && m.seen[i] {
		return nil
	}
	if !known {
		m.added = append(m.added, &record{stem: string(stem), stamp: st, place: place})
		return nil
	}
	r := &m.x.records[i]
	m.seen[i] = true
	m.stale[i] = r.stamp != st || st.Mtime > m.safe || st.Ctime > m.safe
	if m.stale[i] {
		*r = record{stem: r.stem, stamp: st}
	}
	r.place = place
	return nil
}

// find returns the index of a record. Most names come in the order in which they came for the index.
func (m *matcher) find(stem []byte) (int, bool) {
	for at := m.next; at < min(m.next+4, len(m.order)); at++ {
		if i := m.order[at]; i >= 0 && m.x.records[i].stem == string(stem) {
			m.next = at + 1
			return i, true
		}
	}
	i, known := slices.BinarySearchFunc(m.x.records, stem, func(r record, stem []byte) int { return strings.Compare(r.stem, string(stem)) })
	if known {
		m.next = m.x.records[i].place + 1
	}
	return i, known
}

// result returns the records of the files that were seen. A directory that changes meanwhile may name a file twice.
func (m *matcher) result() *indexScan {
	p := &indexScan{indexed: len(m.x.records), sum: m.x.sum, found: make([]*record, 0, len(m.x.records)+len(m.added))}
	for i := range m.seen {
		r := &m.x.records[i]
		switch {
		case !m.seen[i]:
			p.gone = append(p.gone, r.stem)
			continue
		case m.stale[i]:
			p.stale = append(p.stale, r)
		}
		p.found = append(p.found, r)
	}
	if len(m.added) == 0 {
		return p
	}
	slices.SortFunc(m.added, byStem)
	m.added = slices.CompactFunc(m.added, func(a, b *record) bool { return a.stem == b.stem })
	p.stale = append(p.stale, m.added...)
	p.found = append(p.found, m.added...)
	slices.SortFunc(p.found, byStem)
	return p
}

func byStem(a, b *record) int { return strings.Compare(a.stem, b.stem) }

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
	x.sum = index.Sum(data, indexMagic)
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
	data := encodeIndex(now.UnixNano(), p.found)
	if err := durable.WriteCache(s.index, data, 0o600); err != nil {
		return fmt.Errorf("%w: %w", index.ErrIndex, err)
	}
	for _, r := range p.found {
		r.read = false
	}
	p.sum, p.gone = index.Sum(data, indexMagic), nil
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
	for _, r := range p.stale {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("list sessions: %w", err)
		}
		summary, err := readSummary(dir, r.stem, r.stamp)
		if errors.Is(err, ErrNotFound) {
			p.gone, r.stem = append(p.gone, r.stem), ""
			gone++
		}
		if c := s.summaryOfCopy(r.stem, err); c != nil {
			summary, err = *c, nil
		}
		r.usable, r.read, r.summary = err == nil, true, summary
	}
	if gone > 0 {
		p.found = slices.DeleteFunc(p.found, func(r *record) bool { return r.stem == "" })
	}
	p.stale = nil
	return nil
}

// summaryOfCopy returns the summary of the copy of a damaged state, nil if there is none.
func (s *StateStore) summaryOfCopy(stem string, err error) *Summary {
	sid, bad := id.ParseSessionID(stem)
	if bad != nil {
		return nil
	}
	c := s.copyAfter(sid, err)
	if c == nil {
		return nil
	}
	summary := c.Summary()
	return &summary
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

func summaries(records []*record) []Summary {
	list := make([]Summary, 0, len(records))
	for _, r := range records {
		if r.usable {
			list = append(list, r.summary)
		}
	}
	return list
}
