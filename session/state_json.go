package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"entire/id"
	"entire/session/internal/layout"
)

// Keys that need more than a struct tag.
const (
	keyLastCheckpoint  = "last_checkpoint_id"
	keyTurnCheckpoints = "turn_checkpoint_ids"
	// Names that older states used for checkpoint_transcript_start, newest first.
	keyCondensedLines = "condensed_transcript_lines"
	keyLinesAtStart   = "transcript_lines_at_start"
)

// plainState is State without its methods, for encoding/json.
type plainState State

// knownKeys returns the keys of State, legacy ones included.
var knownKeys = sync.OnceValue(func() map[string]bool {
	return layout.KeysOf(reflect.TypeFor[State](), keyCondensedLines, keyLinesAtStart)
})

// MarshalJSON writes the known fields and then the unknown ones, in the order in which they
// were read.
func (s State) MarshalJSON() ([]byte, error) {
	out, err := json.Marshal(plainState(s))
	if err != nil {
		return nil, err
	}
	rest := s.unknown
	if s.LastCheckpointID.IsZero() && s.badLastCheckpoint != nil {
		rest = append([]layout.Field{{Key: keyLastCheckpoint, Raw: s.badLastCheckpoint}}, rest...)
	}
	return layout.WithFields(out, rest)
}

// UnmarshalJSON reads a state that this or an older program wrote. It keeps unknown fields and
// moves legacy fields to their present names. On error s is unchanged.
func (s *State) UnmarshalJSON(data []byte) error {
	fields, err := layout.Split(data)
	if err != nil {
		return err
	}
	known := map[string]json.RawMessage{}
	var out State
	for _, f := range fields {
		if knownKeys()[f.Key] {
			known[f.Key] = f.Raw // the last of two equal keys wins
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
	text := layout.Object(known)
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
