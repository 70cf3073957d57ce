package attribution

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// recordVersion is the version of the record's format.
const recordVersion = 1

// recordMax bounds the size of a record that is read, in bytes.
const recordMax = 64 << 20

// The names of the classes in a record.
const (
	ClassAgent   = "agent"
	ClassHuman   = "human"
	ClassUnknown = "unknown"
)

// Record names who wrote the lines that a commit added, and who removed the lines that it
// removed. It holds no text. docs/format.md specifies it as attribution.json.
type Record struct {
	Version int           `json:"version"`
	Time    int64         `json:"time,omitempty"`   // the commit's time, in seconds since 1970
	Parent  string        `json:"parent,omitempty"` // the commit's first parent
	Owners  []RecordOwner `json:"owners"`
	Files   []RecordFile  `json:"files"` // sorted by path

	// Incomplete is true if the commit holds lines of agents that the record leaves out.
	Incomplete bool `json:"incomplete,omitempty"`
}

// RecordOwner is an owner of lines. Only an agent's has fields other than the class.
type RecordOwner struct {
	Class     string `json:"class"`
	SessionID string `json:"session_id,omitempty"`
	Agent     string `json:"agent,omitempty"`
	Model     string `json:"model,omitempty"`
	Turn      int    `json:"turn,omitempty"` // the number of the session's turn, from 1
	ToolUseID string `json:"tool_use_id,omitempty"`
	Prompt    string `json:"prompt,omitempty"` // the key of the turn's prompt; "" if unknown
}

// RecordFile is one file of the commit. The record leaves out a file whose versions are
// not known.
type RecordFile struct {
	Path    string        `json:"path"`
	Blob    string        `json:"blob,omitempty"` // the committed blob; "" for a removed file
	Lines   int           `json:"lines"`          // of the committed version
	Ranges  Ranges        `json:"ranges,omitempty"`
	Removed RemovedRanges `json:"removed,omitempty"`

	// Dropped holds lines that agents or unknown owners wrote before the commit and that
	// the commit does not have.
	Dropped Prints `json:"dropped,omitempty"`
}

// Range is a run of added lines with one owner.
type Range struct {
	Start  int    `json:"start"` // from 1
	Count  int    `json:"count"`
	Owner  int    `json:"owner"` // in Record.Owners
	Prints Prints `json:"prints"`

	// Moved is true if the text is older than the owner's change, which moved or
	// reformatted it. Modified is true if the lines replaced others.
	Moved    bool `json:"moved,omitempty"`
	Modified bool `json:"modified,omitempty"`
}

// RemovedRange is a run of removed lines, by their place in the first parent.
type RemovedRange struct {
	Line     int  `json:"line"` // from 1
	Count    int  `json:"count"`
	Owner    int  `json:"owner"`              // who removed them
	Replaced bool `json:"replaced,omitempty"` // other lines replaced them
}

// Prints are the prints of lines in a row; encoded as base64.
type Prints []Print

// MarshalText encodes the prints one after the other, in base64.
func (p Prints) MarshalText() ([]byte, error) {
	raw := make([]byte, 0, 4*len(p))
	for _, one := range p {
		raw = append(raw, byte(one>>24), byte(one>>16), byte(one>>8), byte(one))
	}
	return base64.StdEncoding.AppendEncode(nil, raw), nil
}

// UnmarshalText decodes what MarshalText returns.
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
		(*p)[i] = printAt(raw[4*i:])
	}
	return nil
}

// printAt returns the print whose four bytes b begins with.
func printAt(b []byte) Print { return Print(binary.BigEndian.Uint32(b)) }

// Encode returns the record as it is stored. It returns the error of Check for an invalid
// record.
func (r *Record) Encode() ([]byte, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	data, err := json.Marshal(r)
	return append(data, '\n'), err
}

// DecodeRecord decodes a record and checks it.
func DecodeRecord(data []byte) (*Record, error) {
	if len(data) > recordMax {
		return nil, fmt.Errorf("decode attribution: %d bytes are more than %d", len(data), recordMax)
	}
	r, err := decode(data)
	if err == nil {
		err = r.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("decode attribution: %w", err)
	}
	return r, nil
}

// File returns the file with a path; nil for none.
func (r *Record) File(path string) *RecordFile {
	for i := range r.Files {
		if r.Files[i].Path == path {
			return &r.Files[i]
		}
	}
	return nil
}

// At returns the range that contains a line, counted from 1; nil for a line that the
// commit did not add.
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
