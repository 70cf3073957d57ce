package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"entire/id"
)

// Summary is what hooks need to know of every session to decide which states to load. Times are
// in UTC, and zero if the state has none.
type Summary struct {
	ID               id.SessionID
	WorktreePath     string
	WorktreeID       string
	Phase            Phase
	BaseCommit       string
	LastCheckpointID id.CheckpointID

	FilesTouched      int    // how many
	Files             string // the first paths, each ended by a NUL; see Touches
	CheckpointCount   int
	TurnCheckpointIDs int // how many

	StartedAt       time.Time
	EndedAt         time.Time
	LastInteraction time.Time
}

// Summary returns what the index stores of the state.
func (s *State) Summary() Summary {
	return Summary{
		ID:                s.SessionID,
		WorktreePath:      s.WorktreePath,
		WorktreeID:        s.WorktreeID,
		Phase:             ParsePhase(string(s.Phase)),
		BaseCommit:        s.BaseCommit,
		LastCheckpointID:  s.LastCheckpointID,
		FilesTouched:      len(s.FilesTouched),
		Files:             joinFiles(s.FilesTouched),
		CheckpointCount:   s.CheckpointCount,
		TurnCheckpointIDs: len(s.TurnCheckpointIDs),
		StartedAt:         s.StartedAt.UTC(),
		EndedAt:           utc(s.EndedAt),
		LastInteraction:   utc(s.LastInteractionTime),
	}
}

// maxSummaryFiles is how many touched files a summary names.
const maxSummaryFiles = 64

// joinFiles joins the first paths. It leaves out a path with a NUL, so that Touches counts it
// as unknown.
func joinFiles(paths []string) string {
	var b strings.Builder
	for _, p := range paths[:min(len(paths), maxSummaryFiles)] {
		if strings.IndexByte(p, 0) >= 0 {
			continue
		}
		b.WriteString(p)
		b.WriteByte(0)
	}
	return b.String()
}

// Touches reports whether the session may have touched a path that in accepts. It also reports
// true if the session has touched more files than the summary names.
func (s Summary) Touches(in func(path string) bool) bool {
	held := 0
	for rest := s.Files; rest != ""; held++ {
		var path string
		path, rest, _ = strings.Cut(rest, "\x00")
		if in(path) {
			return true
		}
	}
	return held < s.FilesTouched
}

func utc(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// summarize reads the summary of a session from the content of its state file, by the same
// rules as decoding the state, and several times faster.
func summarize(sid id.SessionID, data []byte) (Summary, error) {
	if !gjson.ValidBytes(data) {
		return Summary{}, fmt.Errorf("%w: not JSON", ErrDamagedState)
	}
	object := gjson.ParseBytes(data)
	if !object.IsObject() {
		return Summary{}, fmt.Errorf("%w: not a JSON object", ErrDamagedState)
	}
	// The last of two equal keys wins, so the values are decoded after the loop.
	var last [len(summaryKeys)]gjson.Result
	object.ForEach(func(key, value gjson.Result) bool {
		if i := slices.Index(summaryKeys[:], key.Str); i >= 0 {
			last[i] = value
		}
		return true
	})
	s := Summary{ID: sid}
	for i, value := range last {
		if value.Type == gjson.Null { // also for absent keys
			continue
		}
		if err := s.read(summaryKeys[i], value); err != nil {
			return Summary{}, fmt.Errorf("%s: %w", summaryKeys[i], err)
		}
	}
	s.Phase = ParsePhase(string(s.Phase))
	return s, nil
}

// summaryKeys are the keys that read decodes.
var summaryKeys = [...]string{
	"session_id", "base_commit", "worktree_path", "worktree_id", "started_at", "ended_at", "phase",
	keyTurnCheckpoints, "last_interaction_time", "checkpoint_count", "files_touched", keyLastCheckpoint,
}

func (s *Summary) read(key string, v gjson.Result) (err error) {
	switch key {
	case "session_id":
		var own string
		if own, err = text(v); err == nil && own != "" && own != s.ID.String() {
			err = errors.New("the file is that of another session")
		}
	case "worktree_path":
		s.WorktreePath, err = text(v)
	case "worktree_id":
		s.WorktreeID, err = text(v)
	case "base_commit":
		s.BaseCommit, err = text(v)
	case "phase":
		var phase string
		phase, err = text(v)
		s.Phase = Phase(phase)
	case keyLastCheckpoint:
		if own, terr := text(v); terr == nil {
			s.LastCheckpointID, _ = id.NewCheckpointID(own) // an invalid one reads as none
		}
	case "files_touched":
		var held []string
		s.FilesTouched, err = count(v, func(path string) bool {
			if len(held) < maxSummaryFiles {
				held = append(held, path)
			}
			return true
		})
		s.Files = joinFiles(held)
	case keyTurnCheckpoints:
		s.TurnCheckpointIDs, err = count(v, func(item string) bool {
			_, err := id.NewCheckpointID(item)
			return err == nil
		})
	case "checkpoint_count":
		s.CheckpointCount, err = strconv.Atoi(v.Raw)
	case "started_at":
		s.StartedAt, err = instant(v)
	case "ended_at":
		s.EndedAt, err = instant(v)
	case "last_interaction_time":
		s.LastInteraction, err = instant(v)
	}
	return err
}

// text returns the value of a JSON string as encoding/json reads it.
func text(v gjson.Result) (string, error) {
	if v.Type != gjson.String {
		return "", errors.New("not a string")
	}
	if strings.IndexByte(v.Raw, '\\') < 0 && utf8.ValidString(v.Str) {
		return v.Str, nil
	}
	var s string
	err := json.Unmarshal([]byte(v.Raw), &s)
	return s, err
}

func instant(v gjson.Result) (time.Time, error) {
	var t time.Time
	err := t.UnmarshalJSON([]byte(v.Raw))
	return t.UTC(), err
}

// count returns how many strings of a JSON array want accepts.
func count(v gjson.Result, want func(string) bool) (n int, err error) {
	if !v.IsArray() {
		return 0, errors.New("not an array")
	}
	v.ForEach(func(_, item gjson.Result) bool {
		var s string
		if item.Type != gjson.Null { // null reads as ""
			s, err = text(item)
		}
		if err == nil && want(s) {
			n++
		}
		return err == nil
	})
	return n, err
}
