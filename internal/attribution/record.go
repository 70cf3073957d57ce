package attribution

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// RecordVersion is the version of the record's form.
const RecordVersion = 1

// recordMax bounds the bytes of a record that is read.
const recordMax = 64 << 20

// Names of classes, as a record has them.
const (
	ClassAgent   = "agent"
	ClassHuman   = "human"
	ClassUnknown = "unknown"
)

// Record says who wrote the lines that a commit added, and who removed those it
// removed. It holds no text. Its form is that of attribution.json in
// docs/format.md.
type Record struct {
	Version int           `json:"version"`
	Time    int64         `json:"time,omitempty"`   // of the commit, in seconds since 1970
	Parent  string        `json:"parent,omitempty"` // the commit's first parent
	Owners  []RecordOwner `json:"owners"`
	Files   []RecordFile  `json:"files"` // in the order of their paths
}

// RecordOwner is an owner of lines. Only an agent's has more than a class.
type RecordOwner struct {
	Class     string `json:"class"`
	SessionID string `json:"session_id,omitempty"`
	Agent     string `json:"agent,omitempty"`
	Model     string `json:"model,omitempty"`
	Turn      int    `json:"turn,omitempty"` // the number of the session's turn, from 1
	ToolUseID string `json:"tool_use_id,omitempty"`
	Prompt    string `json:"prompt,omitempty"` // the key of the turn's prompt; "" where it is not known
}

// RecordFile is one file of the commit. A file that could not be followed is not
// in the record.
type RecordFile struct {
	Path    string         `json:"path"`
	Blob    string         `json:"blob,omitempty"` // as committed; none for a file that was removed
	Lines   int            `json:"lines"`          // of the committed version
	Ranges  []Range        `json:"ranges,omitempty"`
	Removed []RemovedRange `json:"removed,omitempty"`

	// Dropped are lines that agents, or nobody that is known, wrote before the commit
	// and that it has not.
	Dropped Prints `json:"dropped,omitempty"`
}

// Range is added lines in a row of one owner.
type Range struct {
	Start  int    `json:"start"` // from 1
	Count  int    `json:"count"`
	Owner  int    `json:"owner"` // in Record.Owners
	Prints Prints `json:"prints"`

	// Moved: the words are older than the owner's change, which moved or
	// re-indented them. Modified: the lines took the place of others.
	Moved    bool `json:"moved,omitempty"`
	Modified bool `json:"modified,omitempty"`
}

// RemovedRange is removed lines in a row, by their place in the first parent.
type RemovedRange struct {
	Line     int  `json:"line"` // from 1
	Count    int  `json:"count"`
	Owner    int  `json:"owner"`              // who removed them
	Replaced bool `json:"replaced,omitempty"` // others took their place
}

// Prints are those of lines in a row, in base64 when written.
type Prints []Print

// MarshalText writes the prints one after the other.
func (p Prints) MarshalText() ([]byte, error) {
	raw := make([]byte, 0, 4*len(p))
	for _, one := range p {
		raw = append(raw, byte(one>>24), byte(one>>16), byte(one>>8), byte(one))
	}
	return base64.StdEncoding.AppendEncode(nil, raw), nil
}

// UnmarshalText reads what MarshalText wrote.
func (p *Prints) UnmarshalText(text []byte) error {
	raw, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return err
	}
	if len(raw)%4 != 0 {
		return fmt.Errorf("prints of %d bytes", len(raw))
	}
	*p = make(Prints, len(raw)/4)
	for i := range *p {
		b := raw[4*i:]
		(*p)[i] = Print(b[0])<<24 | Print(b[1])<<16 | Print(b[2])<<8 | Print(b[3])
	}
	return nil
}

// Encode is the record as it is stored.
func (r *Record) Encode() ([]byte, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	data, err := json.Marshal(r)
	return append(data, '\n'), err
}

// DecodeRecord reads a record and checks it.
func DecodeRecord(data []byte) (*Record, error) {
	if len(data) > recordMax {
		return nil, fmt.Errorf("decode attribution: %d bytes are more than %d", len(data), recordMax)
	}
	var r Record
	err := json.Unmarshal(data, &r)
	if err == nil {
		err = r.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("decode attribution: %w", err)
	}
	return &r, nil
}

// File finds a file by its path.
func (r *Record) File(path string) *RecordFile {
	for i := range r.Files {
		if r.Files[i].Path == path {
			return &r.Files[i]
		}
	}
	return nil
}

// At is the range that has a line, from 1; nil for a line that was there before.
func (f *RecordFile) At(line int) *Range {
	lo, hi := 0, len(f.Ranges)
	for lo < hi {
		if mid := (lo + hi) / 2; f.Ranges[mid].Start+f.Ranges[mid].Count <= line {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(f.Ranges) && f.Ranges[lo].Start <= line {
		return &f.Ranges[lo]
	}
	return nil
}
