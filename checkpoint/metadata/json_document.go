package metadata

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"entire/checkpoint/chunk"
)

// unknownFields are the members of a JSON object that its type does not name, sorted by name,
// which is the order in which they are written.
type unknownFields []unknownField

type unknownField struct {
	name  string
	value json.RawMessage
}

var metadataKeys = []string{
	"agent", "branch", "checkpoint_id", "checkpoint_transcript_start", "checkpoints_count", "cli_version",
	"created_at", "files_touched", "initial_attribution", "is_task", "sealed", "session_id", "strategy", "summary",
	"token_usage", "tool_use_id", "transcript_identifier_at_start", "transcript_lines_at_start",
	"transcript_path", "turn_id", "unlisted",
}

var summaryKeys = []string{
	"branch", "checkpoint_id", "checkpoints_count", "cli_version", "files_touched", "sessions", "strategy",
	"token_usage",
}

// UnmarshalJSON reads the document and keeps unknown fields.
func (m *CommittedMetadata) UnmarshalJSON(data []byte) error {
	type plain CommittedMetadata
	var p plain
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	*m = CommittedMetadata(p)
	var err error
	m.unknown, err = readUnknown(data, metadataKeys)
	return err
}

// MarshalJSON writes the known fields and then the others.
func (m CommittedMetadata) MarshalJSON() ([]byte, error) {
	type plain CommittedMetadata
	return withUnknown(plain(m), m.unknown)
}

// UnmarshalJSON reads the document and keeps unknown fields.
func (s *CheckpointSummary) UnmarshalJSON(data []byte) error {
	type plain CheckpointSummary
	var p plain
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	*s = CheckpointSummary(p)
	var err error
	s.unknown, err = readUnknown(data, summaryKeys)
	return err
}

// MarshalJSON writes the known fields and then the others.
func (s CheckpointSummary) MarshalJSON() ([]byte, error) {
	type plain CheckpointSummary
	if s.Sessions == nil {
		s.Sessions = []SessionFilePaths{}
	}
	return withUnknown(plain(s), s.unknown)
}

func readUnknown(data []byte, known []string) (unknownFields, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	var names []string
	for name := range all {
		if _, found := slices.BinarySearch(known, folded(name)); !found {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var unknown unknownFields
	for _, name := range names {
		unknown = append(unknown, unknownField{name, all[name]})
	}
	return unknown, nil
}

// folded returns a name in the form in which encoding/json compares it.
func folded(name string) string { return strings.ToLower(strings.ToUpper(name)) }

func withUnknown(known any, unknown unknownFields) ([]byte, error) {
	data, err := json.Marshal(known)
	if err != nil || len(unknown) == 0 {
		return data, err
	}
	data = bytes.TrimSuffix(data, []byte("}"))
	for _, f := range unknown {
		name, err := json.Marshal(f.name)
		if err != nil {
			return nil, err
		}
		if len(data) > 1 {
			data = append(data, ',')
		}
		data = append(data, name...)
		data = append(data, ':')
		data = append(data, f.value...)
	}
	return append(data, '}'), nil
}

// decodeBriefly decodes only the members of a document that Listed needs. It decodes the whole
// of a document that does not have the expected form.
func decodeBriefly(data []byte, v any) error {
	if len(data) > chunk.MaxDocument || !gjson.ValidBytes(data) || !gjson.ParseBytes(data).IsObject() {
		return chunk.DecodeDocument(data, v)
	}
	switch doc := v.(type) {
	case *CheckpointSummary:
		if sessions := gjson.GetBytes(data, "sessions"); sessions.IsArray() {
			for _, s := range sessions.Array() {
				paths := SessionFilePaths{Metadata: s.Get("metadata").Str, Transcript: s.Get("transcript").Str, Prompt: s.Get("prompt").Str}
				doc.Sessions = append(doc.Sessions, paths)
			}
			return nil
		}
	case *CommittedMetadata:
		if sid := gjson.GetBytes(data, "session_id"); sid.Type == gjson.String {
			doc.SessionID, doc.IsTask = sid.Str, gjson.GetBytes(data, "is_task").Bool()
			doc.CheckpointTranscriptStart = int(gjson.GetBytes(data, "checkpoint_transcript_start").Int())
			doc.TranscriptLinesAtStart = int(gjson.GetBytes(data, "transcript_lines_at_start").Int())
			return nil
		}
	}
	return chunk.DecodeDocument(data, v)
}
