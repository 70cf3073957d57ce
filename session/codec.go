package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"entire/id"

	"github.com/tidwall/gjson"
)

// Keys that need more than a struct tag.
const (
	keyLastCheckpoint  = "last_checkpoint_id"
	keyTurnCheckpoints = "turn_checkpoint_ids"
	// Names that older states used for checkpoint_transcript_start, newest first.
	keyCondensedLines = "condensed_transcript_lines"
	keyLinesAtStart   = "transcript_lines_at_start"
)

// A field is one member of a JSON object, its value byte for byte.
type field struct {
	key string
	raw json.RawMessage
}

// plainState is State without its methods, for encoding/json.
type plainState State

// knownKeys returns the keys of State, legacy ones included.
var knownKeys = sync.OnceValue(func() map[string]bool {
	return keysOf(reflect.TypeFor[State](), keyCondensedLines, keyLinesAtStart)
})

func keysOf(t reflect.Type, more ...string) map[string]bool {
	keys := map[string]bool{}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			keys[name] = true
		}
	}
	for _, name := range more {
		keys[name] = true
	}
	return keys
}

// MarshalJSON writes the known fields and then the unknown ones, in the order in which they
// were read.
func (s State) MarshalJSON() ([]byte, error) {
	out, err := json.Marshal(plainState(s))
	if err != nil {
		return nil, err
	}
	rest := s.unknown
	if s.LastCheckpointID.IsZero() && s.badLastCheckpoint != nil {
		rest = append([]field{{keyLastCheckpoint, s.badLastCheckpoint}}, rest...)
	}
	return withFields(out, rest)
}

// withFields appends members to the JSON object in out, which must not be empty.
func withFields(out []byte, rest []field) ([]byte, error) {
	out = out[:len(out)-1]
	for _, f := range rest {
		key, err := json.Marshal(f.key)
		if err != nil {
			return nil, err
		}
		out = append(append(append(append(out, ','), key...), ':'), f.raw...)
	}
	return append(out, '}'), nil
}

// UnmarshalJSON reads a state that this or an older program wrote. It keeps unknown fields and
// moves legacy fields to their present names. On error s is unchanged.
func (s *State) UnmarshalJSON(data []byte) error {
	fields, err := split(data)
	if err != nil {
		return err
	}
	known := map[string]json.RawMessage{}
	var out State
	for _, f := range fields {
		if knownKeys()[f.key] {
			known[f.key] = f.raw // the last of two equal keys wins
		} else {
			out.unknown = append(out.unknown, f)
		}
	}
	if err := out.decode(known); err != nil {
		return err
	}
	*s = out
	return nil
}

func (s *State) decode(known map[string]json.RawMessage) error {
	if raw, ok := known[keyLastCheckpoint]; ok && json.Unmarshal(raw, new(id.CheckpointID)) != nil {
		s.badLastCheckpoint = bytes.Clone(raw)
		delete(known, keyLastCheckpoint)
	}
	turn, err := checkpointIDs(known[keyTurnCheckpoints])
	if err != nil {
		return err
	}
	delete(known, keyTurnCheckpoints)
	var legacy struct {
		CondensedLines int `json:"condensed_transcript_lines"`
		LinesAtStart   int `json:"transcript_lines_at_start"`
	}
	text := object(known)
	if err := json.Unmarshal(text, (*plainState)(s)); err != nil {
		return err
	}
	if known[keyCondensedLines] != nil || known[keyLinesAtStart] != nil {
		if err := json.Unmarshal(text, &legacy); err != nil {
			return err
		}
	}
	s.TurnCheckpointIDs = turn
	s.migrate(legacy.CondensedLines, legacy.LinesAtStart)
	return nil
}

// object writes members as a JSON object. Their keys must need no escapes.
func object(members map[string]json.RawMessage) []byte {
	out := []byte{'{'}
	for key, raw := range members {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(append(out, '"'), key...), '"', ':'), raw...)
	}
	return append(out, '}')
}

// migrate fills the fields that older programs left out or named differently.
func (s *State) migrate(condensedLines, linesAtStart int) {
	if s.CheckpointTranscriptStart == 0 {
		s.CheckpointTranscriptStart = condensedLines
	}
	if s.CheckpointTranscriptStart == 0 {
		s.CheckpointTranscriptStart = linesAtStart
	}
	if s.AttributionBaseCommit == "" {
		s.AttributionBaseCommit = s.BaseCommit
	}
	s.Phase = ParsePhase(string(s.Phase))
}

// checkpointIDs returns the valid IDs of a JSON array; it skips the others.
func checkpointIDs(raw json.RawMessage) ([]id.CheckpointID, error) {
	if raw == nil {
		return nil, nil
	}
	var texts []string
	if err := json.Unmarshal(raw, &texts); err != nil {
		return nil, fmt.Errorf("%s: %w", keyTurnCheckpoints, err)
	}
	var out []id.CheckpointID
	for _, text := range texts {
		if c, err := id.NewCheckpointID(text); err == nil {
			out = append(out, c)
		}
	}
	return out, nil
}

// split validates the JSON object in data and returns its members in order. encoding/json would
// take "PHASE" for "phase" and lose the order.
func split(data []byte) ([]field, error) {
	object, err := parseObject(data)
	if err != nil {
		return nil, err
	}
	var fields []field
	object.ForEach(func(key, value gjson.Result) bool {
		fields = append(fields, field{key.Str, json.RawMessage(value.Raw)})
		return true
	})
	return fields, nil
}

// parseObject checks that data is one JSON object.
func parseObject(data []byte) (gjson.Result, error) {
	if !gjson.ValidBytes(data) { // several times faster than encoding/json, which gives the reason
		if err := json.Unmarshal(data, new(json.RawMessage)); err != nil {
			return gjson.Result{}, err
		}
		return gjson.Result{}, errors.New("not JSON")
	}
	object := gjson.ParseBytes(data)
	if !object.IsObject() {
		return gjson.Result{}, errors.New("not a JSON object")
	}
	return object, nil
}
