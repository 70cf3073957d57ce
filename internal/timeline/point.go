package timeline

import (
	"time"

	"entire/agent"
	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/strategy/condense"
)

// Kind is the kind of a point.
type Kind string

const (
	Turn    Kind = "turn"   // the end of a turn
	Task    Kind = "task"   // a subagent's task, or a todo of one
	Auto    Kind = "auto"   // a step in the middle of a turn
	Label   Kind = "label"  // saved by hand
	Commit  Kind = "commit" // a commit of HEAD's history
	Rewind  Kind = "rewind" // a rewind, an undo or a redo
	Saved   Kind = "saved"  // a step that another operation made first
	Outside Kind = "watch"  // what changed outside turns
)

// A Point is one moment of the past, and its JSON form.
type Point struct {
	Index int       `json:"index"` // in the list, from 0, the newest
	ID    string    `json:"id"`    // of the step or the commit; of a rewind, the step after it
	Kind  Kind      `json:"kind"`
	When  time.Time `json:"date"`
	Lane  int       `json:"lane"` // from 1; 0 for points without a session

	Session string          `json:"session_id,omitempty"`
	Agent   agent.AgentType `json:"agent,omitempty"`
	Turn    int             `json:"turn,omitempty"`   // number of the session's turn; 0 if unknown
	Prompt  string          `json:"prompt,omitempty"` // in one line, shortened
	Message string          `json:"message"`          // first line of the step's or commit's message
	Label   string          `json:"label,omitempty"`
	Why     string          `json:"why,omitempty"` // why the step was made

	ToolUseID string `json:"tool_use_id,omitempty"`
	MessageID string `json:"message_id,omitempty"` // the agent's ID of the last message before it
	Head      string `json:"head,omitempty"`       // HEAD at that time
	Branch    string `json:"branch,omitempty"`

	TakenBy     string   `json:"taken_by,omitempty"`       // the commit that took the turn's work
	TakenIn     string   `json:"taken_in,omitempty"`       // that commit's checkpoint
	Checkpoints []string `json:"checkpoint_ids,omitempty"` // of a commit
	Author      string   `json:"author,omitempty"`         // of a commit

	Rewind *RewindInfo `json:"rewind,omitempty"`

	Files      int `json:"files"`
	Insertions int `json:"insertions"`
	Deletions  int `json:"deletions"`

	Tokens *agent.TokenUsage `json:"token_usage,omitempty"` // of a commit's checkpoint; Details have a turn's
}

// A RewindInfo is what the log of rewinds says about a rewind.
type RewindInfo struct {
	ID       string              `json:"id"` // the name that `entire undo ID` takes
	Kind     condense.RewindKind `json:"kind"`
	Point    string              `json:"point,omitempty"` // where it went to
	Before   string              `json:"before"`          // the step that has the worktree from before
	Of       string              `json:"of,omitempty"`    // undo and redo: the ID of the reversed rewind
	UndoneBy string              `json:"undone_by,omitempty"`
	Final    bool                `json:"final,omitempty"` // an undo that cannot be redone, because another rewind followed
	Scope    condense.Scope      `json:"scope,omitzero"`
	Gone     bool                `json:"gone,omitempty"` // it cannot be undone any more
}

// Restorable reports whether a rewind can bring the files of the point back. A commit's files can be
// had with `entire restore`.
func (p Point) Restorable() bool { return p.Kind != Commit && (p.Rewind == nil || !p.Rewind.Gone) }

// A Change is a file that differs between two trees.
type Change struct {
	Path       string `json:"path"`
	Action     string `json:"action"` // "create", "write", "mode" or "remove"
	Insertions int    `json:"insertions"`
	Deletions  int    `json:"deletions"` // both -1 for binary
}

// changesOf returns the changes in the form that is shown.
func changesOf(counts []git.LineCount) []Change {
	out := make([]Change, 0, len(counts))
	for _, c := range counts {
		out = append(out, Change{c.Path, c.Action(), c.Added, c.Removed})
	}
	return out
}

// KindOf returns the kind of the point that a step is, by the step's kind, label and reason. A reason that has no case
// here is that of a step which saves what others changed.
func KindOf(kind shadow.StepKind, label, why string) Kind {
	switch {
	case kind == shadow.StepTask:
		return Task
	case label != "" || kind == shadow.StepLabel:
		return Label
	case why == shadow.WhyTurnEnd || why == shadow.WhyInterrupted || why == "":
		return Turn
	case shadow.IsAutomatic(why):
		return Auto
	case why == shadow.WhyOutside:
		return Outside
	}
	return Saved
}
