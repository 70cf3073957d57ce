package agent

import (
	"errors"
	"time"

	"entire/id"
)

// AgentName is an agent's name on the command line, as in `entire hooks <name> <verb>`.
type AgentName string

// AgentType is an agent's name in stored metadata and trailers.
type AgentType string

// Other tools read these names from the disk.
const (
	AgentNameClaudeCode AgentName = "claude-code"
	AgentNameGemini     AgentName = "gemini"
	AgentNameGeneric    AgentName = "generic"

	AgentTypeClaudeCode AgentType = "Claude Code"
	AgentTypeGemini     AgentType = "Gemini CLI"
	// AgentTypeCopilot also runs the hooks that are installed for Claude Code.
	AgentTypeCopilot AgentType = "Copilot CLI"
	AgentTypeCodex   AgentType = "Codex"
	AgentTypeQwen    AgentType = "Qwen Code"
	AgentTypePi      AgentType = "Pi"
	AgentTypeDroid   AgentType = "Factory Droid"
	AgentTypeCursor  AgentType = "Cursor"
	// AgentTypeUnknown stands for every agent without an adapter.
	AgentTypeUnknown AgentType = "Agent"
)

// ErrUnknownVerb is returned by Decode for a verb not among the agent's Verbs.
var ErrUnknownVerb = errors.New("unknown hook verb")

// MaxTranscript bounds a transcript that is read into memory as a whole, in bytes.
const MaxTranscript = 512 << 20

// MaxSettings bounds an agent's settings file, in bytes.
const MaxSettings = 16 << 20

// Agent is one AI coding agent. Every method is pure.
type Agent interface {
	Name() AgentName
	Type() AgentType

	// Verbs lists the words accepted after `entire hooks <name>`.
	Verbs() []string
	// Decode turns the payload of one hook call into an Event. It tolerates unknown
	// fields, absent fields and fields of the wrong type, and names them in
	// Event.Warnings. It returns an error for an empty payload, for one that is not a JSON
	// object, and for an ID that could not safely be part of a path, and ErrUnknownVerb
	// for a verb that is not in Verbs. The caller bounds the size of payload, which is not
	// retained.
	Decode(verb string, payload []byte, now time.Time) (Event, error)

	// Profile returns what is the same for every session and repository.
	Profile() Profile
	// Install returns src, the content of the hook file at path, with this program's hooks added,
	// and the number of hooks added. path is that of one of the profile's HookFiles. A nil src
	// means that there is no file.
	Install(path string, src []byte, opts InstallOptions) (out []byte, added int, err error)
	// Uninstall returns src without this program's hooks, and the number of hooks removed.
	// A nil out means that the file should not exist.
	Uninstall(path string, src []byte) (out []byte, removed int, err error)
	// Installed reports whether src, the content of the first of the HookFiles, has the most
	// important hook, the one at the end of a turn.
	Installed(src []byte) bool

	// TranscriptPath returns the default path of a session's transcript, given the user's
	// home directory and the top of the repository; "" if it is not known. It joins the
	// first of the Folders and FileName.
	TranscriptPath(home, top string, session id.SessionID) string
	// TranscriptRoot returns the folder of the transcripts of all projects, "" if there is
	// none.
	TranscriptRoot(home string) string
	// Folders returns the folders that may hold the transcripts of the project at top,
	// best guess first. read returns the content of a file, nil if there is none.
	Folders(home, top string, read func(path string) []byte) []string
	// OwnsFile reports whether a file is the session's transcript, given its path or its name in one
	// of the Folders.
	OwnsFile(path string, session id.SessionID) bool
	// FileName returns the name for a transcript that is not on disk yet, derived from its
	// content, or the usual name if there is no content. It may begin with folders of the session.
	FileName(session id.SessionID, transcript []byte) string
	// SubagentTranscripts returns the possible paths of a subagent's transcript, best
	// guess first, given the path of its session's transcript.
	SubagentTranscripts(transcript string, session id.SessionID, agentID string) []string
	// ResumeCommand returns the command with which a user continues the session.
	ResumeCommand(session id.SessionID) string
}

// SessionFolders is an agent that keeps transcripts in folders of the day on which a session began.
type SessionFolders interface {
	// SessionFolders returns the folders below root that may hold the session's transcript, best guess
	// first; none if the session's ID does not tell.
	SessionFolders(root string, session id.SessionID) []string
}

// HookSwitch is an agent whose settings can switch all of its hooks off.
type HookSwitch interface {
	// SwitchFiles returns the settings files that may do so, slash-separated, each relative to the top
	// of the repository and to the home directory.
	SwitchFiles() []string
	// SwitchedOff reports whether src, the content of such a file, switches the hooks off.
	SwitchedOff(src []byte) bool
}

// Recogniser is an agent whose transcripts show by their beginning that they are the agent's.
type Recogniser interface {
	// Recognises reports whether head is the beginning of a transcript of this agent.
	Recognises(head []byte) bool
}

// InstallOptions choose which hooks Install writes, and how.
type InstallOptions struct {
	// Force replaces the entries that this program wrote before.
	Force bool
	// LocalDev writes commands that run this program from its source tree.
	LocalDev bool
	// Tools selects the tool calls that have hooks. The zero value selects none.
	Tools ToolHooks
}

// Profile is what is the same for every session and repository of an agent.
type Profile struct {
	// Description is the agent's name with that of its maker, for enable.
	Description string
	// HookFiles are the files of a repository that hold the agent's hooks, the first of them the
	// most important one. An agent without one calls the hooks itself. UserHookFiles are the same
	// files for all repositories of a user, below the home directory.
	HookFiles, UserHookFiles []HookFile
	// MCP is the file of a repository in which the agent's MCP servers are named.
	MCP MCPFile
	// SkillFolder is the folder of a repository in which the agent reads skills, each in a folder of its
	// own; "" for none.
	SkillFolder string
	// Programs, Folders and HomeFolders show that the agent is used: programs on PATH, folders or
	// files in the repository and in the home directory.
	Programs, Folders, HomeFolders []string
	// KeepsTranscripts says that the agent's program writes a transcript, even if an event does
	// not name it. For other agents, this program keeps one.
	KeepsTranscripts bool
	// Messages says that a transcript is a list of messages that may be written again or taken back:
	// positions in it count messages, not lines. It may be one JSON document (package document).
	Messages bool
	// ReadsAncestors says that the agent, when it resumes a conversation, reads from the last record to each
	// one's parent: the results of other calls that ran at the same time are not among them.
	ReadsAncestors bool
	// PathByID says that the session's ID decides where its transcript is (TranscriptPath), so that an
	// event need not name it.
	PathByID bool
	// RecordsAllCalls says that a transcript shows every tool call. OrNone says that some versions of the agent's
	// program write transcripts without any call: only one that has shown a call shows all.
	RecordsAllCalls, OrNone bool
	// FailedEditsWriteNothing says that an edit call has written nothing if its result says that it failed, or that a
	// person refused it.
	FailedEditsWriteNothing bool
	// SubagentsInside says that a session's transcript has what its subagents said and did, so that
	// they have no transcripts of their own.
	SubagentsInside bool
	// NoCut says why the agent cannot continue a conversation that a rewind has cut; "" if it can.
	NoCut string
	// NoGuard says why the agent's hooks cannot save the files before a command that may lose work; "" if
	// they can.
	NoGuard string
	// Preview says in a word or a sentence that the support is preliminary; "" if it is not.
	Preview string
	// Asker is the agent's program as an answerer of one question; nil if it is not used so.
	Asker *Asker
	// Trust says what a person must do before the agent runs the hooks; "" for nothing. TrustsFolder says that this is
	// to trust the folder, once: the user's own hooks run in any folder, and a hook that changes runs on.
	Trust        string
	TrustsFolder bool
	// ShellVars are variables that the agent sets in the shells that it opens: a commit made there is
	// not a person's, in whatever terminal.
	ShellVars []string
	// Signs is how the agent signs the commits that it makes.
	Signs Signature
	// ProjectVar is the variable in which the agent gives a hook the folder it works in.
	ProjectVar string
	// TranscriptsVar is the variable that replaces the folder of transcripts, for tests.
	TranscriptsVar string
}

// Signature is how an agent signs a commit, as its author or in a trailer. A name alone is no signature: people
// have the same names.
type Signature struct {
	Emails []string // in lower case
	Logins []string // of accounts at GitHub, in lower case; with [bot] if the account has it
}

// MCPFile is the file that names an agent's MCP servers, and its form. Without a path there is none.
type MCPFile struct {
	Path     string // slash-separated, relative to the top of the repository
	Key      string // the member with the servers; "" for a file in TOML, with a table for each
	Type     string // the "type" of a server that the agent starts; "" if it has none
	OneList  bool   // the command and its arguments are one list
	AllTools bool   // the entry says that all tools are offered
}

// HookFile is one file that holds an agent's hooks.
type HookFile struct {
	Path       string // slash-separated, relative to the top of the repository or to the home directory
	Executable bool
	Whole      bool // the whole file is this program's: it holds nothing that others wrote
}

// HookFile returns the path of the most important hook file in a repository; "" for an agent
// without one.
func (p Profile) HookFile() string {
	if len(p.HookFiles) == 0 {
		return ""
	}
	return p.HookFiles[0].Path
}

// Asker is an agent's program that reads a question from standard input and prints the answer.
type Asker struct {
	Program  string
	Model    string   // the default model; "" is the program's own default
	Families []string // prefixes of its models' names, if it accepts no others
	Args     []string
	Homes    []string // folders below home to search after PATH
}
