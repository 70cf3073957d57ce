package agent

import (
	"errors"
	"time"

	"entire/id"
)

// AgentName is the name an agent has on the command line, as in
// `entire hooks <name> <verb>`.
type AgentName string

// AgentType is the name an agent has in stored metadata and trailers.
type AgentType string

// These names reach the disk and are read by other tools.
const (
	AgentNameClaudeCode AgentName = "claude-code"
	AgentNameGemini     AgentName = "gemini"
	AgentNameGeneric    AgentName = "generic"

	AgentTypeClaudeCode AgentType = "Claude Code"
	AgentTypeGemini     AgentType = "Gemini CLI"
	// AgentTypeCopilot runs the hooks that are installed for Claude Code.
	AgentTypeCopilot AgentType = "Copilot CLI"
	// AgentTypeUnknown stands for every agent this program has no reader for.
	AgentTypeUnknown AgentType = "Agent"
)

// ErrUnknownVerb is returned by Decode for a verb not among the agent's Verbs.
var ErrUnknownVerb = errors.New("unknown hook verb")

// MaxTranscript is the longest transcript that is read as a whole, into memory.
const MaxTranscript = 512 << 20

// MaxSettings bounds the file of settings of an agent's that is read.
const MaxSettings = 16 << 20

// Agent is one AI coding agent. Every method is pure.
type Agent interface {
	Name() AgentName
	Type() AgentType

	// Verbs lists the words accepted after `entire hooks <name>`.
	Verbs() []string
	// Decode turns the payload of one hook call into an Event. Unknown fields,
	// absent fields and fields of the wrong type are tolerated and named in
	// Event.Warnings; an empty payload, one that is not a JSON object, and an ID
	// that could not safely be part of a path are errors. The caller bounds the
	// size of payload, which is not retained.
	Decode(verb string, payload []byte, now time.Time) (Event, error)

	// SettingsPath is the file of the repository that Install and Uninstall edit,
	// slash-separated and relative to the top level; "" for an agent that has none.
	SettingsPath() string
	// Install returns src with this program's hooks added, and how many were. A
	// nil src means there is no such file.
	Install(src []byte, opts InstallOptions) (out []byte, added int, err error)
	// Uninstall returns src without this program's hooks, and how many there
	// were. A nil out means the file should not exist.
	Uninstall(src []byte) (out []byte, removed int, err error)
	// Installed reports whether src holds the hook that matters most, the one at
	// a turn's end.
	Installed(src []byte) bool

	// TranscriptPath is where the agent keeps a session's transcript by default,
	// given the user's home directory and the repository's top level; "" if that
	// cannot be told. It is the first of the Folders with FileName.
	TranscriptPath(home, top string, session id.SessionID) string
	// TranscriptRoot is the folder that holds the transcripts of every project,
	// "" if there is none.
	TranscriptRoot(home string) string
	// Folders are those in which the agent may keep the transcripts of the project
	// at top, best guess first. read returns a file's content, nil where there is
	// none.
	Folders(home, top string, read func(path string) []byte) []string
	// OwnsFile reports whether a file of that name is the session's transcript.
	OwnsFile(name string, session id.SessionID) bool
	// FileName is the name of a transcript that is not there yet, as its content
	// tells, or as usual for none.
	FileName(session id.SessionID, transcript []byte) string
	// SubagentTranscripts lists where the transcript of a subagent may be, best
	// guess first, given that of its session.
	SubagentTranscripts(transcript string, session id.SessionID, agentID string) []string
	// ResumeCommand is what a user types to continue the session.
	ResumeCommand(session id.SessionID) string
}

// InstallOptions choose how hooks are written.
type InstallOptions struct {
	// Force removes this program's entries first, so that they are written anew.
	Force bool
	// LocalDev writes commands that run this program from its source tree.
	LocalDev bool
	// Tools are the calls of tools to be told of; of others nothing is installed.
	Tools ToolHooks
}

// All returns every supported agent, in the order they are offered to a user.
func All() []Agent { return []Agent{ClaudeCode{}, Gemini{}, Generic{}} }

// Lookup returns the agent with the command-line name name.
func Lookup(name AgentName) (Agent, bool) {
	for _, a := range All() {
		if a.Name() == name {
			return a, true
		}
	}
	return nil, false
}

// For is ByType for an agent of whatever name: one without an adapter of its own
// is a Generic one.
func For(t AgentType) Agent {
	if a, ok := ByType(t); ok {
		return a
	}
	return Generic{}
}

// ByType returns the agent with the stored name t.
func ByType(t AgentType) (Agent, bool) {
	for _, a := range All() {
		if a.Type() == t {
			return a, true
		}
	}
	return nil, false
}
