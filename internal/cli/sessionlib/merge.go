package sessionlib

import (
	"cmp"
	"slices"
	"time"

	"entire/agent"
	"entire/id"
	"entire/session"
	"entire/strategy/resume"
)

// The states of a session, as people and scripts read them.
const (
	StateActive = "active" // in the middle of a turn
	StateIdle   = "idle"   // between two turns
	stateEnded  = "ended"  // over, with no commit
	stateLinked = "linked" // over, with commits
)

// titledBySummary is the TitleBy of a session whose title is the intent of its first summary.
const titledBySummary = "summary"

// The sources of a session.
const (
	InStore = "store" // the store on this machine has its conversation
	InState = "state" // this repository has a state of it
	InGit   = "git"   // the metadata branch has its checkpoints
)

// A ListedSession is a session as --json prints it.
type ListedSession struct {
	ID          string             `json:"session_id"`
	Description string             `json:"description,omitempty"`
	Strategy    string             `json:"strategy,omitempty"`
	Started     time.Time          `json:"started_at"`
	Checkpoints []listedCheckpoint `json:"checkpoints"` // oldest first

	State    string                 `json:"state"`
	Agent    agent.AgentType        `json:"agent,omitempty"`
	Title    string                 `json:"title,omitempty"`
	TitleBy  string                 `json:"title_by,omitempty"`  // "user" if a person renamed it, "summary" if it is a summary's intent
	Tags     []string               `json:"tags,omitempty"`      // the user's own
	AutoTags []string               `json:"auto_tags,omitempty"` // derived from the session
	Branches []string               `json:"branches,omitempty"`  // on which it ran
	Model    string                 `json:"model,omitempty"`
	Folder   string                 `json:"cwd,omitempty"` // the agent's working folder
	Updated  time.Time              `json:"updated_at"`
	Ended    *time.Time             `json:"ended_at,omitempty"`
	Reason   string                 `json:"exit_reason,omitempty"`
	Messages int                    `json:"message_count"`
	Turns    int                    `json:"turn_count"`
	Tokens   int                    `json:"total_tokens"`
	CostUSD  float64                `json:"total_cost_usd,omitempty"`
	Usage    *agent.TokenUsage      `json:"usage,omitempty"`
	Parent   string                 `json:"parent_id,omitempty"`
	ForkedAt string                 `json:"fork_point,omitempty"` // the last message it shares with its parent
	Rewinds  int                    `json:"rewinds,omitempty"`    // how often a rewind changed the conversation
	Around   *session.Circumstances `json:"circumstances,omitempty"`
	Sources  []string               `json:"sources"`
	Project  string                 `json:"project,omitempty"` // the project's key, for a session in the store
	Bytes    int64                  `json:"bytes,omitempty"`   // on disk; only `sessions show` sets it
	Plain    int64                  `json:"uncompressed_bytes,omitempty"`

	here   bool   // in this project
	intent string // by its first summary
	AsGit  bool   `json:"-"` // the metadata branch has more of its conversation
}

// A listedCheckpoint is one of a session's checkpoints.
type listedCheckpoint struct {
	ID        string    `json:"checkpoint_id"`
	Message   string    `json:"message"`
	Date      time.Time `json:"date"`
	IsTask    bool      `json:"is_task_checkpoint"`
	ToolUseID string    `json:"tool_use_id,omitempty"`
}

// CheckpointIDs returns the IDs of a session's checkpoints.
func (s ListedSession) CheckpointIDs() []id.CheckpointID {
	ids := make([]id.CheckpointID, 0, len(s.Checkpoints))
	for _, c := range s.Checkpoints {
		if cp, err := id.NewCheckpointID(c.ID); err == nil {
			ids = append(ids, cp)
		}
	}
	return ids
}

// A Known is what the sources say about the sessions of one project.
type Known struct {
	Project string
	Stored  []session.SessionMetadata // in the store
	ingit   []session.SessionMetadata // on the metadata branch
	linked  []resume.Session          // with their checkpoints
	states  []*session.State
	inTurn  map[string]bool // by ID, as the feeds outside a repository say
}

// Merge returns each session once, with the data of all sources, the last updated first.
func (k Known) Merge() []ListedSession {
	byID := map[string]*ListedSession{}
	at := func(id, source string) *ListedSession {
		s := byID[id]
		if s == nil {
			s = &ListedSession{ID: id, Checkpoints: []listedCheckpoint{}, Sources: []string{}, here: true}
			byID[id] = s
		}
		if !slices.Contains(s.Sources, source) {
			s.Sources = append(s.Sources, source)
		}
		return s
	}
	for _, m := range k.Stored {
		s := at(m.ID, InStore)
		s.take(m)
		s.Project = k.Project
	}
	for _, m := range k.ingit {
		at(m.ID, InGit).takeIfMore(m)
	}
	for _, one := range k.linked {
		source := InState
		if len(one.Checkpoints) > 0 {
			source = InGit
		}
		at(one.ID, source).takeLinked(one)
	}
	for _, st := range k.states {
		at(st.SessionID.String(), InState).takeState(st)
	}
	return finished(byID, k.inTurn)
}

func finished(byID map[string]*ListedSession, inTurn map[string]bool) []ListedSession {
	out := make([]ListedSession, 0, len(byID))
	for _, s := range byID {
		s.Title = cmp.Or(s.Title, s.Description)
		s.Description = cmp.Or(s.Description, s.Title)
		if s.intent != "" && s.TitleBy != session.TitledByUser {
			s.Title, s.TitleBy = s.intent, titledBySummary
		}
		switch {
		case s.State != "":
		case inTurn[s.ID]:
			s.State = StateActive
		default:
			s.State = s.stateWithoutState()
		}
		if s.Updated.IsZero() {
			s.Updated = s.Started
		}
		out = append(out, *s)
	}
	ByAge(out)
	return out
}

// ByAge sorts sessions, the last updated first.
func ByAge(all []ListedSession) {
	slices.SortFunc(all, func(a, b ListedSession) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.ID, b.ID))
	})
}

// take copies the data of a store.
func (s *ListedSession) take(m session.SessionMetadata) {
	s.Title, s.Description, s.Model, s.Folder = m.Title, m.Title, m.Model, m.CWD
	s.TitleBy, s.Tags, s.Branches, s.AutoTags = m.TitleBy, m.Tags, m.Branches, m.AutomaticTags()
	s.Agent = m.AgentType
	if s.Agent == "" && m.AgentName != string(agent.AgentNameGeneric) {
		s.Agent = agent.AgentType(m.AgentName)
	}
	s.Started, s.Updated, s.Ended, s.Reason = m.CreatedAt, m.UpdatedAt, m.EndedAt, m.ExitReason
	s.Messages, s.Turns, s.Tokens, s.CostUSD, s.Usage = m.MessageCount, m.TurnCount, m.TotalTokens, m.TotalCostUSD, m.Usage
	s.Parent, s.ForkedAt, s.Rewinds = m.ParentID, m.ForkPoint, m.Rewinds
	if m.Circumstances != nil {
		s.Around = m.Circumstances
	}
}

// takeIfMore copies the data of the metadata branch if that has more messages than the store.
func (s *ListedSession) takeIfMore(m session.SessionMetadata) {
	if s.Messages >= m.MessageCount && slices.Contains(s.Sources, InStore) {
		return
	}
	before := *s
	s.take(m)
	s.AsGit = true
	s.Parent, s.ForkedAt = cmp.Or(before.Parent, s.Parent), cmp.Or(before.ForkedAt, s.ForkedAt)
	s.Folder, s.Title = cmp.Or(before.Folder, s.Folder), cmp.Or(before.Title, s.Title)
	s.Ended, s.Reason = before.Ended, before.Reason
	s.TitleBy, s.Tags, s.Branches = before.TitleBy, before.Tags, before.Branches
	for _, t := range before.AutoTags {
		if !slices.Contains(s.AutoTags, t) {
			s.AutoTags = append(s.AutoTags, t)
		}
	}
}

func (s *ListedSession) takeLinked(one resume.Session) {
	s.Strategy = one.Strategy
	s.Description = cmp.Or(one.Description, s.Description)
	s.intent = one.Intent
	if s.Started.IsZero() {
		s.Started = one.StartTime
	}
	for _, c := range one.Checkpoints {
		s.Checkpoints = append(s.Checkpoints, listedCheckpoint{c.CheckpointID.String(), c.Message, c.Timestamp, c.IsTaskCheckpoint, c.ToolUseID})
		if c.Timestamp.After(s.Updated) && !slices.Contains(s.Sources, InStore) {
			s.Updated = c.Timestamp
		}
	}
}

func (s *ListedSession) takeState(st *session.State) {
	if s.Started.IsZero() || st.StartedAt.Before(s.Started) { // a session that is continued here may have begun elsewhere
		s.Started = st.StartedAt
	}
	s.Agent = cmp.Or(s.Agent, st.AgentType)
	s.Folder = cmp.Or(s.Folder, st.WorktreePath)
	if last := st.LastInteractionTime; last != nil && last.After(s.Updated) {
		s.Updated = *last
	}
	if u := st.TokenUsage; u != nil && (s.Usage == nil || u.Total() > s.Usage.Total()) { // a commit may have read more
		s.Usage, s.Tokens = st.TokenUsage, st.TokenUsage.Total()
	}
	switch st.Phase {
	case session.PhaseActive:
		s.State = StateActive
	case session.PhaseEnded:
		s.Ended = st.EndedAt
	default:
		s.State = StateIdle
	}
	if s.State != "" {
		s.Ended, s.Reason = nil, ""
	}
}

// stateWithoutState returns the state of a session that has no session state.
func (s *ListedSession) stateWithoutState() string {
	switch {
	case slices.Contains(s.Sources, InGit):
		return stateLinked
	case slices.Contains(s.Sources, InStore) && s.Ended == nil && s.Reason == "" && !slices.Contains(s.Sources, InState):
		return StateIdle
	}
	return stateEnded
}
