package agent

import (
	"entire/id"
	"errors"
)

// UsageKeeper is an agent that keeps a session's tokens in a file beside the transcript, which has none.
type UsageKeeper interface {
	// UsageFile returns the path of that file, given the transcript's.
	UsageFile(transcript string) string
	// Usage returns all that the session has used so far; false if the file does not say.
	Usage(data []byte) (TokenUsage, bool)
}

// SocketTeller is an agent whose program tells on a socket, which the start of a turn names, what was said so far.
type SocketTeller interface {
	// SaidSoFar reads what the program sends to who names a session; it leaves out the messages that are kept already. It
	// returns an error for an answer that does not tell all that was said in the turn.
	SaidSoFar(answer []byte, kept func(messageID string) bool) (OpenTurn, error)
}

// OpenTurn is what was said in a turn that runs, as lines that the adapter's RecordReader reads.
type OpenTurn struct {
	Session id.SessionID
	Lines   []byte // the messages that will not change
	Running []byte // those of calls that run, and of calls beside them that have ended
}

// CallTeller is an agent whose program writes down a call when it has ended, and those that ran beside it, too, or never:
// its hooks tell calls before.
type CallTeller interface {
	// CallLine returns the call that an event tells (ToolStart, ToolEnd), as a line that the RecordReader reads; nil for none.
	// id names the call.
	CallLine(ev Event, id string) []byte
}

// ParentNamer is an agent whose subagents call hooks as sessions of their own, with transcripts beside
// that of their session.
type ParentNamer interface {
	// ParentOf returns the session that a subagent works for, and the call that started it ("" if
	// unknown), given the first line of the subagent's transcript; false for a person's session.
	ParentOf(firstLine []byte) (session id.SessionID, call string, ok bool)
}

// TurnIntoTaskOf turns an event that a subagent reports as a session of its own into one of the session
// that it works for, where a call started it. transcript is the session's.
func (ev *Event) TurnIntoTaskOf(session id.SessionID, call, transcript string) {
	ev.AgentID, ev.SessionID, ev.TranscriptPath = ev.SessionID.String(), session, transcript
	ev.ToolUseID, ev.OwnSession = call, true
	switch ev.Type {
	case TurnStart:
		ev.Type, ev.Launched, ev.Implied, ev.Prompt = TaskStart, true, false, ""
	case TurnEnd:
		ev.Type, ev.Implied = TaskEnd, false
	case SessionStart, SessionEnd:
		ev.Type = ""
	}
}

// ToolAnswerer is an agent that reads what the hook before a tool call prints.
type ToolAnswerer interface {
	// AnswerTool returns what to print to tell the agent a note and let the call proceed, or, if refusal is
	// not "", to refuse the call for that reason. It returns nil if the agent reads no such answer.
	AnswerTool(note, refusal string) []byte
}

// StatusLineShower is an agent that shows one line of a program that its user's settings name.
type StatusLineShower interface {
	// StatusLineFile returns the settings file, relative to the user's home directory.
	StatusLineFile() HookFile
	// AddStatusLine returns the settings with the command, and 1; src and 0 if they have it. It returns
	// ErrForeignStatusLine if they name another command.
	AddStatusLine(src []byte, command string) ([]byte, int, error)
	// DropStatusLine returns the settings without the command, and 1; src and 0 if they do not have it.
	DropStatusLine(src []byte, command string) ([]byte, int, error)
}

// ErrForeignStatusLine is returned for settings that name another program's status line.
var ErrForeignStatusLine = errors.New("another status line is set")
