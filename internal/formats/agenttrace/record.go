package agenttrace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
)

// Version is the version of the format that Encode writes.
const Version = "0.1.0"

// Types of contributors. Mixed lines were edited by a person and an agent.
const (
	Human   = "human"
	AI      = "ai"
	Mixed   = "mixed"
	Unknown = "unknown"
)

// Record says who wrote which lines at one revision.
type Record struct {
	Version   string                     `json:"version"`
	ID        string                     `json:"id"`        // a UUID
	Timestamp string                     `json:"timestamp"` // RFC 3339
	VCS       *VCS                       `json:"vcs,omitempty"`
	Tool      *Tool                      `json:"tool,omitempty"` // that made the record
	Files     []File                     `json:"files"`          // in the order of their paths
	Metadata  map[string]json.RawMessage `json:"metadata,omitempty"`
}

// VCS names the revision in whose files the lines are counted.
type VCS struct {
	Type     string `json:"type"`
	Revision string `json:"revision"`
}

// Tool is a program with its version.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// File has the conversations that wrote lines of one file.
type File struct {
	Path          string         `json:"path"`
	Conversations []Conversation `json:"conversations"`
}

// Conversation has the lines that came out of one conversation, or that have one contributor.
type Conversation struct {
	URL         string       `json:"url,omitempty"`
	Contributor *Contributor `json:"contributor,omitempty"`
	Ranges      []Range      `json:"ranges"`
	Related     []Related    `json:"related,omitempty"`
}

// Range is StartLine to EndLine, from 1, both included. Its contributor, if any, overrides the
// conversation's.
type Range struct {
	StartLine   int          `json:"start_line"`
	EndLine     int          `json:"end_line"`
	ContentHash string       `json:"content_hash,omitempty"`
	Contributor *Contributor `json:"contributor,omitempty"`
}

// Contributor is who wrote lines. ModelID is "provider/model", or "".
type Contributor struct {
	Type    string `json:"type"`
	ModelID string `json:"model_id,omitempty"`
}

// Related is something that belongs to a conversation, such as a session.
type Related struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

// Length returns the number of lines of a file at the record's revision, and whether there is such
// a file.
type Length func(path string) (lines int, there bool)

// Encode returns the record on one line, or what is wrong with it. A nil length leaves the ends of
// files unchecked.
func (r *Record) Encode(length Length) ([]byte, error) {
	if err := cmp.Or(r.Check(length), r.checkForm()); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(r)
	return out.Bytes(), err
}

// Decode returns a record that Check accepts. It refuses fields that the format does not have.
func Decode(data []byte, length Length) (*Record, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	r := &Record{}
	if err := dec.Decode(r); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the record")
	}
	return r, r.Check(length)
}
