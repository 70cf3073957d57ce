package session

import (
	"encoding/json"
	"slices"
	"time"

	"entire/agent"
	"entire/id"
)

// State is what is known of one session between two hooks. Field order, names
// and omission are the format other programs read; see docs/format.md. Times
// are written in RFC 3339 with nanoseconds. Paths that are not UTF-8 do not
// survive being written.
type State struct {
	SessionID  id.SessionID `json:"session_id"`
	CLIVersion string       `json:"cli_version,omitempty"` // that created it

	// BaseCommit is the commit the session's shadow branch is named after.
	BaseCommit string `json:"base_commit"`
	// AttributionBaseCommit is the commit lines are attributed against. On load
	// it is BaseCommit if the file names none.
	AttributionBaseCommit string `json:"attribution_base_commit,omitempty"`

	WorktreePath string `json:"worktree_path,omitempty"` // absolute
	WorktreeID   string `json:"worktree_id,omitempty"`   // "" for the main one

	StartedAt time.Time  `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at,omitempty"` // nil while it goes on
	Phase     Phase      `json:"phase,omitempty"`    // one of the three, once loaded

	TurnID string `json:"turn_id,omitempty"`
	// TurnCheckpointIDs are the checkpoints made in mid-turn, which still lack
	// the rest of the turn. Invalid ones are dropped on load.
	TurnCheckpointIDs []id.CheckpointID `json:"turn_checkpoint_ids,omitempty"`

	LastInteractionTime *time.Time `json:"last_interaction_time,omitempty"`

	CheckpointCount int `json:"checkpoint_count"` // steps since the last condensation
	// CheckpointTranscriptStart is the line or message of the transcript at
	// which the next checkpoint begins.
	CheckpointTranscriptStart int `json:"checkpoint_transcript_start,omitempty"`

	UntrackedFilesAtStart []string `json:"untracked_files_at_start,omitempty"`
	FilesTouched          []string `json:"files_touched,omitempty"` // sorted; see TouchFiles

	// LastCheckpointID is the last condensation's. An invalid one in the file
	// reads as none and is kept in the file until a valid one replaces it.
	LastCheckpointID id.CheckpointID `json:"last_checkpoint_id,omitzero"`

	AgentType                   agent.AgentType     `json:"agent_type,omitempty"`
	TokenUsage                  *agent.TokenUsage   `json:"token_usage,omitempty"` // of all steps
	TranscriptIdentifierAtStart string              `json:"transcript_identifier_at_start,omitempty"`
	TranscriptPath              string              `json:"transcript_path,omitempty"` // absolute
	FirstPrompt                 string              `json:"first_prompt,omitempty"`
	PromptAttributions          []PromptAttribution `json:"prompt_attributions,omitempty"` // one per step
	PendingPromptAttribution    *PromptAttribution  `json:"pending_prompt_attribution,omitempty"`

	badLastCheckpoint json.RawMessage // what stood for LastCheckpointID, if invalid
	unknown           []field         // in the order of the file
}

// PromptAttribution counts the lines people and the agent had changed when a
// prompt was submitted.
type PromptAttribution struct {
	CheckpointNumber  int            `json:"checkpoint_number"` // from 1
	UserLinesAdded    int            `json:"user_lines_added"`
	UserLinesRemoved  int            `json:"user_lines_removed"`
	AgentLinesAdded   int            `json:"agent_lines_added"`
	AgentLinesRemoved int            `json:"agent_lines_removed"`
	UserAddedPerFile  map[string]int `json:"user_added_per_file,omitempty"`
}

// Apply brings the state to a transition's phase, carries out the actions that
// concern only the state, and returns the others.
func (s *State) Apply(r TransitionResult, now time.Time) (rest []Action) {
	s.Phase = r.NewPhase
	for _, a := range r.Actions {
		switch a {
		case ActionClearEndedAt:
			s.EndedAt = nil
		case ActionUpdateLastInteraction:
			s.LastInteractionTime = &now
		default:
			rest = append(rest, a)
		}
	}
	return rest
}

// TouchFiles adds paths to FilesTouched, which stays sorted and free of
// duplicates.
func (s *State) TouchFiles(paths ...string) {
	all := slices.Concat(s.FilesTouched, paths)
	slices.Sort(all)
	s.FilesTouched = slices.Compact(all)
}
