package session

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"entire/session/internal/layout"
)

// FuzzState reads a state file: what is accepted survives being written, keeps
// its unknown fields, and is summarised alike by the fast reader.
func FuzzState(f *testing.F) {
	for _, name := range []string{"state-full.json", "state-minimal.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, s := range []string{
		`{}`, `{"phase":"active_committed","condensed_transcript_lines":3}`, `{"last_checkpoint_id":"x","turn_checkpoint_ids":["x",null]}`,
		`{"x":1,"x":2,"PHASE":"active","phase":null}`, `{"files_touched":["a"],"files_touched":null,"worktree_path":"\ud800\u00e9"}`,
		`{"session_id":"s","started_at":"2026-01-02T03:04:05.6+07:00","ended_at":null}`, `{"checkpoint_count":-0,"worktree_id":"` + "\xff" + `"}`, `[`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		first := new(State)
		if err := json.Unmarshal(data, first); err != nil {
			return
		}
		out, err := json.Marshal(first)
		if err != nil {
			return // a year no writer can write
		}
		second := new(State)
		if err := json.Unmarshal(out, second); err != nil {
			t.Fatalf("%q was written as %q: %v", data, out, err)
		}
		if !reflect.DeepEqual(first.Summary(), second.Summary()) || len(first.unknown) != len(second.unknown) {
			t.Fatalf("%q became %q", data, out)
		}
		sid := first.SessionID
		if sid.IsZero() {
			sid = mustSession("s")
			first.SessionID = sid
		}
		if got, err := summarize(sid, data); err != nil || !reflect.DeepEqual(got, first.Summary()) {
			t.Fatalf("%q:\nsummary %+v, %v\nstate   %+v", data, got, err, first.Summary())
		}
	})
}

// sealed returns an index file with this body.
func sealed(magic string, body []byte) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte(magic), crc32.ChecksumIEEE(body)), body...)
}

// FuzzIndex reads the part of an index that a checksum guards.
func FuzzIndex(f *testing.F) {
	full := sampleState().Summary()
	x := stateIndex{begun: 5, records: []record{
		{stem: "-", stamp: layout.Stamp{Size: -1}},
		{stem: full.ID.String(), stamp: layout.Stamp{Size: 1, Mtime: 2, Ctime: 3, Inode: 4, Regular: true}, usable: true, summary: full},
	}}
	body := string(encodeIndex(x.begun, pointers(x.records))[len(indexMagic)+4:])
	if got, err := decodeIndex(sealed(indexMagic, []byte(body))); err != nil || !reflect.DeepEqual(got, x) {
		f.Fatalf("got %+v, %v, want %+v", got, err, x)
	}
	f.Add([]byte(body))
	f.Add([]byte{0, 0, 0})
	f.Add([]byte{0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := decodeIndex(sealed(indexMagic, data))
		if err != nil {
			return
		}
		again, err := decodeIndex(encodeIndex(x.begun, pointers(x.records)))
		if err != nil || again.begun != x.begun || len(again.records) != len(x.records) {
			t.Fatalf("%x: %+v became %+v, %v", data, x, again, err)
		}
	})
}
