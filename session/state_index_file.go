package session

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"entire/internal/durable"
	"entire/session/internal/index"
	"entire/session/internal/layout"
)

// The index file consists of indexMagic, the CRC-32 (IEEE) of the rest in four bytes, least
// significant first, and the rest: the time it was begun, a table of strings, and a record for
// each state file. Numbers are varints. It is a cache that only this program uses: if anything
// in it is wrong, it is rewritten.
const indexMagic = "entire sessions index 3\n"

// An stateIndex holds what was read from the state files, and when.
type stateIndex struct {
	begun   int64    // the file system's clock before the first state was read, in ns
	records []record // in ascending order of stem
	sum     uint32   // of the file; 0 for none
}

// A record is one state file as the index knows it.
type record struct {
	stem    string // the file's name without .json
	stamp   layout.Stamp
	place   int  // where the folder lists the file, to find the record without a search; a hint
	usable  bool // false if the file is not a state; summary is then empty
	read    bool // not in the file: this process has read the state
	summary Summary
}

// encodeIndex returns the file of an index.
func encodeIndex(begun int64, records []*record) []byte {
	e := index.Encoder{Table: map[string]uint64{}}
	for _, r := range records {
		encodeRecord(&e, r)
	}
	return e.Seal(indexMagic, begun, len(records))
}

// pointers returns the addresses of records.
func pointers(records []record) []*record {
	out := make([]*record, len(records))
	for i := range records {
		out[i] = &records[i]
	}
	return out
}

func encodeRecord(e *index.Encoder, r *record) {
	e.Text(r.stem)
	e.Stamp(r.stamp)
	e.Int(int64(r.place))
	e.Flag(r.usable)
	if !r.usable {
		return
	}
	s := &r.summary
	for _, v := range []string{s.WorktreePath, s.WorktreeID, string(s.Phase), s.BaseCommit, s.LastCheckpointID.String(), s.Files} {
		e.Text(v)
	}
	for _, v := range []int{s.FilesTouched, s.CheckpointCount, s.TurnCheckpointIDs} {
		e.Int(int64(v))
	}
	for _, v := range []time.Time{s.StartedAt, s.EndedAt, s.LastInteraction} {
		e.Time(v)
	}
}

// decodeIndex reads what encode wrote.
func decodeIndex(data []byte) (x stateIndex, err error) {
	x.begun, x.records, err = index.Decode(data, indexMagic, decodeRecord, func(r *record) string { return r.stem })
	return x, err
}

func decodeRecord(d *index.Decoder, r *record) {
	r.stem = d.Text()
	r.stamp = d.Stamp()
	r.place = int(d.Int())
	r.usable = d.Flag()
	if !r.usable || d.Bad {
		return
	}
	s := &r.summary
	s.ID = d.Session(r.stem)
	s.WorktreePath, s.WorktreeID = d.Text(), d.Text()
	s.Phase, s.BaseCommit = ParsePhase(d.Text()), d.Text()
	s.LastCheckpointID = d.Checkpoint()
	s.Files = d.Text()
	s.FilesTouched, s.CheckpointCount, s.TurnCheckpointIDs = int(d.Int()), int(d.Int()), int(d.Int())
	s.StartedAt, s.EndedAt, s.LastInteraction = d.Time(), d.Time(), d.Time()
}

// The file of the recent listing has the frame of the index with recentMagic. Its first entry, with an empty stem, has
// the stamp of the folder, the time and the checksum of the index; the others are the records that differ from the index,
// and the stems that only the index has. It is a cache as the index is.
const recentMagic = "entire sessions listing 1\n"

const (
	// manyStates is from how many states on a listing is kept: fewer are looked at in no time.
	manyStates = 256
	// recentMax is how many records a kept listing may have that the index has not.
	recentMax = 64
)

// A listing is what was in the state directory, and when.
type listing struct {
	dir     layout.Stamp // of the directory, before it was read
	at      time.Time    // before it was read
	sum     uint32       // of the index at that time
	records []*record    // in ascending order of stem
}

// holds reports whether no name in the directory has changed since the listing was made, and this was recently.
func (s *StateStore) holds(l *listing, dir layout.Stamp) bool {
	age := s.now().Sub(l.at)
	return l.dir == dir && age >= 0 && age <= s.within
}

// recentListing returns the records of a listing that still holds, of this process or another one.
func (s *StateStore) recentListing() ([]*record, bool) {
	if s.now == nil {
		return nil, false
	}
	dir, err := layout.StampOf(s.dir)
	if err != nil {
		return nil, false
	}
	if l := s.recent.Load(); l != nil && s.holds(l, dir) {
		return l.records, true
	}
	l := s.readRecent(dir)
	if l == nil {
		return nil, false
	}
	s.recent.Store(l)
	return l.records, true
}

// beginListing returns a listing without records that is about to be made; nil if it is not to be kept.
func (s *StateStore) beginListing() *listing {
	if s.now == nil {
		return nil
	}
	l := &listing{at: s.now()}
	var err error
	if l.dir, err = layout.StampOf(s.dir); err != nil || l.dir.Ctime == 0 {
		return nil
	}
	return l
}

// keepListing keeps a listing for this process and the next, if there are many states. It keeps none of a directory that
// had just changed: a change within the same tick of the file system's clock would not show. An error costs time only.
func (s *StateStore) keepListing(l *listing, p *indexScan) {
	if l == nil || len(p.found) < manyStates {
		return
	}
	now, err := durable.Clock(filepath.Dir(s.index))
	if err != nil {
		return
	}
	quiet := now.Add(l.at.Sub(s.now()) - index.RacyWindow).UnixNano()
	if l.dir.Mtime > quiet || l.dir.Ctime > quiet {
		return
	}
	l.sum, l.records = p.sum, p.found
	s.recent.Store(l)
	if data, ok := l.encode(p.gone); ok {
		_ = durable.WriteCache(s.recentPath(), data, 0o600)
	}
}

func (s *StateStore) recentPath() string { return filepath.Join(filepath.Dir(s.index), recentName) }

// encode returns the file; ok is false if the listing differs from the index too much.
func (l *listing) encode(gone []string) (data []byte, ok bool) {
	e := index.Encoder{Table: map[string]uint64{}}
	encodeRecord(&e, &record{stamp: l.dir})
	e.Flag(false)
	e.Int(int64(l.sum))
	differ := map[string]*record{}
	for _, stem := range gone {
		differ[stem] = nil
	}
	for _, r := range l.records {
		if r.read {
			differ[r.stem] = r
		}
	}
	if len(differ) > recentMax {
		return nil, false
	}
	for _, stem := range slices.Sorted(maps.Keys(differ)) {
		r := differ[stem]
		if r == nil {
			r = &record{stem: stem}
		}
		encodeRecord(&e, r)
		e.Flag(differ[stem] == nil)
	}
	return e.Seal(recentMagic, l.at.UnixNano(), len(differ)+1), true
}

// A recentEntry is one entry of that file.
type recentEntry struct {
	record
	gone bool
	sum  uint32 // of the first entry
}

func decodeRecent(d *index.Decoder, r *recentEntry) {
	decodeRecord(d, &r.record)
	if r.gone = d.Flag(); r.stem == "" {
		r.sum = uint32(d.Int())
	}
}

// readRecent returns the listing that a process has kept; nil if there is none, or it does not hold any more.
func (s *StateStore) readRecent(dir layout.Stamp) *listing {
	data, err := layout.ReadRegular(s.recentPath())
	if err != nil {
		return nil
	}
	at, entries, err := index.Decode(data, recentMagic, decodeRecent, func(r *recentEntry) string { return r.stem })
	if err != nil || len(entries) == 0 || entries[0].stem != "" {
		return nil
	}
	l := &listing{dir: entries[0].stamp, at: time.Unix(0, at), sum: entries[0].sum}
	if !s.holds(l, dir) {
		return nil
	}
	x := s.readIndex()
	if x.sum != l.sum {
		return nil
	}
	l.records = pointers(x.records)
	for i := range entries[1:] {
		e := &entries[i+1]
		at, known := slices.BinarySearchFunc(l.records, e.stem, func(r *record, stem string) int { return cmp.Compare(r.stem, stem) })
		switch {
		case e.gone && known:
			l.records = slices.Delete(l.records, at, at+1)
		case e.gone:
		case known:
			l.records[at] = &e.record
		default:
			l.records = slices.Insert(l.records, at, &e.record)
		}
	}
	return l
}
