package agent

// Record is one record of a transcript, in a form that is the same for every agent: what
// was said and done, when, and what it cost. An adapter makes records of its agent's lines
// (RecordReader). A zero field means that the line does not say. Its JSON form is a line of the
// transcripts that this program keeps itself (docs/agents.md).
type Record struct {
	// Role is RoleUser, RoleAssistant, RoleTool (only results) or RoleSystem; "" for a record
	// that is no message, but may give the model, the version or usage.
	Role string `json:"role,omitempty"`
	// ID names the record in its transcript; SharesID says that other records may have the same one.
	// Parent is the record before it in the conversation; NoParent says that there is none. With
	// neither, the parent is the record before it.
	ID       string `json:"id,omitempty"`
	SharesID bool   `json:"shares_id,omitempty"`
	Parent   string `json:"parent,omitempty"`
	NoParent bool   `json:"no_parent,omitempty"`
	// Continues is the last record before a record without a parent, where a summary replaces the
	// conversation up to there. Summary says that the record is that summary.
	Continues string `json:"continues,omitempty"`
	Summary   bool   `json:"summary,omitempty"`
	// BackTo says that the conversation goes back to where it was before the record with that ID; for an
	// agent whose transcript is a list of messages (Profile.Messages).
	BackTo  string `json:"back_to,omitempty"`
	Time    string `json:"time,omitempty"`    // as written; RFC 3339, or it is ignored
	Version string `json:"version,omitempty"` // of the agent's program

	// Subagent is the subagent whose message it is; "" for the main conversation. In a record that is
	// no message, the whole rest of the transcript is the subagent's.
	Subagent string `json:"subagent,omitempty"`
	// OwnTranscript says that the whole transcript is that of the Subagent: the records after this one
	// are the subagent's too, and do not say so.
	OwnTranscript bool `json:"own_transcript,omitempty"`
	Injected      bool `json:"injected,omitempty"` // a user's message that no person typed
	Stopped       bool `json:"stopped,omitempty"`  // the person stopped the agent here
	// Typed is what a person typed, where the text of the parts has more.
	Typed string `json:"typed,omitempty"`
	// Partial says of an answer that it need not show all of the model's calls.
	Partial bool `json:"partial,omitempty"`

	Model string `json:"model,omitempty"`
	// Usage is what one answer of the model consumed; Answer names the answer. Several records
	// of an answer count once, with the usage of the one that reports most output.
	Usage  *TokenUsage `json:"usage,omitempty"`
	Answer string      `json:"answer,omitempty"`

	Parts []Part `json:"parts,omitempty"`
}

// PartKind is the kind of a Part.
type PartKind string

// The kinds of part.
const (
	TextPart    PartKind = ""        // Text, as the agent wrote it
	ThoughtPart PartKind = "thought" // Text: what the model thought
	CallPart    PartKind = "call"    // Call
	ResultPart  PartKind = "result"  // the result Text of the call CallID
	OtherPart   PartKind = "other"   // Text stands for content that is not text
	// FilesPart reports files as written: Files. Call has the name of the tool, and its command, if the
	// record has them.
	FilesPart PartKind = "files"
)

// Part is one part of a record: a text, a tool call, or a result.
type Part struct {
	Kind PartKind `json:"kind,omitempty"`
	Text string   `json:"text,omitempty"`
	Call Call     `json:"call,omitzero"`

	CallID string `json:"call_id,omitempty"` // ResultPart; "" for the call before it in the record
	Time   string `json:"time,omitempty"`    // ResultPart: when it came, as written, if not with the record
	Tool   string `json:"tool,omitempty"`    // ResultPart: the tool's name, if the record has it
	Failed bool   `json:"failed,omitempty"`  // ResultPart: the tool failed
	// Running says that the command of the call goes on after this result.
	Running bool `json:"running,omitempty"`
	// AgentIDs are the subagents that a result names: each has a transcript of its own.
	AgentIDs []string `json:"agent_ids,omitempty"`
	// Edits are what the call changed according to its result, in whole lines. Empty if the
	// result does not say.
	Edits []Edit `json:"edits,omitempty"`

	Files []string `json:"files,omitempty"` // FilesPart
}

// Call is a tool call, with what it means for files.
type Call struct {
	ToolUse
	// Command is the command line of a call in a shell; Background says that the call returns
	// before the command ends.
	Command    string `json:"command,omitempty"`
	Background bool   `json:"background,omitempty"`
	// Edits are the files that an edit call writes. Starts says that the call starts a
	// subagent, Reads that it changes no file. For any other call, Files may be written.
	Edits  []Edit   `json:"edits,omitempty"`
	Starts bool     `json:"starts,omitempty"`
	Reads  bool     `json:"reads,omitempty"`
	Files  []string `json:"files,omitempty"`
	// AgentID is the subagent that the call started, if the record of the call names it.
	AgentID string `json:"agent_id,omitempty"`
	// Unnamed says that the transcript gives calls no IDs: the ID is made from what the call says, so that equal calls
	// have the same one, and no result names it.
	Unnamed bool `json:"unnamed,omitempty"`
}

// Edit is what an edit call writes into one file.
type Edit struct {
	Path     string   `json:"path"`               // as the agent named it
	Texts    []string `json:"texts,omitempty"`    // the new text, or parts of it; empty if text is only removed
	Replaced []string `json:"replaced,omitempty"` // the old text, as far as the call has it
	Untold   bool     `json:"untold,omitempty"`   // the call does not say what it writes
	// AllNew says, of an edit in a result, that all lines which the call writes are new: it made the file, or only
	// inserted lines.
	AllNew bool `json:"all_new,omitempty"`
}
