package agent

// Record is one record of a transcript, in a form that is the same for every agent: what
// was said and done, when, and what it cost. An adapter makes records of its agent's lines
// (RecordReader). A zero field means that the line does not say. Its JSON form is a line of the
// transcripts that this program keeps itself (docs/agents.md).
type Record struct {
	// Role is RoleUser, RoleAssistant, RoleTool (only results) or RoleSystem; "" for a record
	// that is no message, but may give the model, the version or usage.
	Role string `json:"role,omitempty"`
	// ID names the record in its transcript. Parent is the record before it in the conversation;
	// NoParent says that there is none. With neither, the parent is the record before it.
	ID       string `json:"id,omitempty"`
	Parent   string `json:"parent,omitempty"`
	NoParent bool   `json:"no_parent,omitempty"`
	Time     string `json:"time,omitempty"`    // as written; RFC 3339, or it is ignored
	Version  string `json:"version,omitempty"` // of the agent's program

	// Subagent is the subagent whose message it is; "" for the main conversation. In a record that is
	// no message, the whole rest of the transcript is the subagent's.
	Subagent string `json:"subagent,omitempty"`
	// OwnTranscript says that the whole transcript is that of the Subagent: the records after this one
	// are the subagent's too, and do not say so.
	OwnTranscript bool `json:"own_transcript,omitempty"`
	Injected      bool `json:"injected,omitempty"` // a user's message that no person typed
	Stopped       bool `json:"stopped,omitempty"`  // the person stopped the agent here

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
	FilesPart   PartKind = "files"   // Files, which the record only reports as written
)

// Part is one part of a record: a text, a tool call, or a result.
type Part struct {
	Kind PartKind `json:"kind,omitempty"`
	Text string   `json:"text,omitempty"`
	Call Call     `json:"call,omitzero"`

	CallID string `json:"call_id,omitempty"` // ResultPart
	Tool   string `json:"tool,omitempty"`    // ResultPart: the tool's name, if the record has it
	Failed bool   `json:"failed,omitempty"`  // ResultPart: the tool failed
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
}

// Edit is what an edit call writes into one file.
type Edit struct {
	Path     string   `json:"path"`               // as the agent named it
	Texts    []string `json:"texts,omitempty"`    // the new text, or parts of it; empty if text is only removed
	Replaced []string `json:"replaced,omitempty"` // the old text, as far as the call has it
}

// SessionTeller is a RecordReader whose transcripts tell the session's ID in one line, and name it in many.
type SessionTeller interface {
	// SessionIn returns the ID if the line tells it, "" otherwise.
	SessionIn(line []byte) string
}

// RecordReader is an agent whose transcript consists of lines that can be read one by one.
type RecordReader interface {
	// Records returns what one line says, in order; none for a line that says nothing. It
	// returns false for a line that it cannot read. The result shares no memory with line.
	Records(line []byte) ([]Record, bool)
}
