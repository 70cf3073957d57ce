package session

import (
	"encoding/json"
	"slices"
	"time"

	"entire/agent"
	"entire/id"
	"entire/session/internal/layout"
)

// State is what is known of one session between two hooks. The order, names and omission of its
// fields are the format that other programs read; see docs/format.md. Times are written in RFC
// 3339 with nanoseconds. Paths that are not UTF-8 are not preserved.
type State struct {
	SessionID  id.SessionID `json:"session_id"`
	CLIVersion string       `json:"cli_version,omitempty"` // the version that created it

	// BaseCommit is the commit that the session's shadow branch is named after.
	BaseCommit string `json:"base_commit"`
	// AttributionBaseCommit is the commit that lines are compared with to attribute them. If
	// the file names none, Load sets it to BaseCommit.
	AttributionBaseCommit string `json:"attribution_base_commit,omitempty"`

	WorktreePath string `json:"worktree_path,omitempty"` // absolute
	WorktreeID   string `json:"worktree_id,omitempty"`   // "" for the main worktree

	StartedAt time.Time  `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at,omitempty"` // nil until the session ends
	Phase     Phase      `json:"phase,omitempty"`    // one of the three, once loaded

	TurnID string `json:"turn_id,omitempty"`
	// TurnCheckpointIDs are the checkpoints of commits in the middle of the turn, which still
	// lack the end of its transcript. Load drops invalid IDs.
	TurnCheckpointIDs []id.CheckpointID `json:"turn_checkpoint_ids,omitempty"`

	LastInteractionTime *time.Time `json:"last_interaction_time,omitempty"`

	CheckpointCount int `json:"checkpoint_count"` // steps since the steps were last condensed
	// CheckpointTranscriptStart is the line or message of the transcript at which the next
	// checkpoint begins.
	CheckpointTranscriptStart int `json:"checkpoint_transcript_start,omitempty"`

	UntrackedFilesAtStart []string `json:"untracked_files_at_start,omitempty"`
	FilesTouched          []string `json:"files_touched,omitempty"` // sorted; see TouchFiles

	// LastCheckpointID is the checkpoint that steps were last condensed into. An invalid ID in
	// the file reads as none, and stays in the file until a valid one replaces it.
	LastCheckpointID id.CheckpointID `json:"last_checkpoint_id,omitzero"`

	AgentType                   agent.AgentType     `json:"agent_type,omitempty"`
	TokenUsage                  *agent.TokenUsage   `json:"token_usage,omitempty"` // of all steps
	TranscriptIdentifierAtStart string              `json:"transcript_identifier_at_start,omitempty"`
	TranscriptPath              string              `json:"transcript_path,omitempty"` // absolute
	FirstPrompt                 string              `json:"first_prompt,omitempty"`
	PromptAttributions          []PromptAttribution `json:"prompt_attributions,omitempty"` // one per step
	PendingPromptAttribution    *PromptAttribution  `json:"pending_prompt_attribution,omitempty"`

	badLastCheckpoint json.RawMessage // the value of LastCheckpointID in the file, if invalid
	unknown           []layout.Field  // in the order of the file
	fromCopy          bool
}

// FromCopy reports whether the state's own file is damaged, so that the state is what was last saved.
func (s *State) FromCopy() bool { return s.fromCopy }

// PromptAttribution counts the lines that people and the agent had changed when a prompt was
// submitted.
type PromptAttribution struct {
	CheckpointNumber  int            `json:"checkpoint_number"` // from 1
	UserLinesAdded    int            `json:"user_lines_added"`
	UserLinesRemoved  int            `json:"user_lines_removed"`
	AgentLinesAdded   int            `json:"agent_lines_added"`
	AgentLinesRemoved int            `json:"agent_lines_removed"`
	UserAddedPerFile  map[string]int `json:"user_added_per_file,omitempty"`
}

// Apply sets the phase of a transition, carries out the actions that concern only the state,
// and returns the others.
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

// TouchFiles adds paths to FilesTouched, which stays sorted and without duplicates.
func (s *State) TouchFiles(paths ...string) {
	all := slices.Concat(s.FilesTouched, paths)
	slices.Sort(all)
	s.FilesTouched = slices.Compact(all)
}
