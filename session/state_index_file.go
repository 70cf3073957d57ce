package session

import (
	"time"

	"entire/session/internal/index"
	"entire/session/internal/layout"
)

// The index file consists of indexMagic, the CRC-32 (IEEE) of the rest in four bytes, least
// significant first, and the rest: the time it was begun, a table of strings, and a record for
// each state file. Numbers are varints. It is a cache that only this program uses: if anything
// in it is wrong, it is rewritten.
const indexMagic = "entire sessions index 2\n"

// An stateIndex holds what was read from the state files, and when.
type stateIndex struct {
	begun   int64    // the file system's clock before the first state was read, in ns
	records []record // in ascending order of stem
}

// A record is one state file as the index knows it.
type record struct {
	stem    string // the file's name without .json
	stamp   layout.Stamp
	usable  bool // false if the file is not a state; summary is then empty
	summary Summary
}

func (x stateIndex) encode() []byte {
	e := index.Encoder{Table: map[string]uint64{}}
	for _, r := range x.records {
		encodeRecord(&e, r)
	}
	return e.Seal(indexMagic, x.begun, len(x.records))
}

func encodeRecord(e *index.Encoder, r record) {
	e.Text(r.stem)
	e.Stamp(r.stamp)
	e.Flag(r.usable)
	if !r.usable {
		return
	}
	s := r.summary
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
