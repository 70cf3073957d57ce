package shadow

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/git"
)

// StepKind says who made the change in a step of a shadow branch.
type StepKind string

// The kinds of step. Agent, task and carry-forward steps have the trailer Entire-Session, and
// other tools list them; the others do not.
const (
	StepAgent        StepKind = "agent"
	StepTask         StepKind = "task"
	StepHuman        StepKind = "human"
	StepMixed        StepKind = "mixed"
	StepRewind       StepKind = "rewind"
	StepLabel        StepKind = "label"
	StepCarryForward StepKind = "carry-forward"
)

const (
	// MetadataDir holds the sessions' files in a step's tree.
	MetadataDir = ".entire/metadata"

	// CarryForwardSubject is the subject of a carry-forward step.
	CarryForwardSubject = "carry forward: uncommitted session files"

	// StrategyManual is the strategy that makes steps.
	StrategyManual = "manual-commit"
)

// MaxSubagents bounds how many subagents a step names.
const MaxSubagents = 16

// SessionDir returns the folder of a session's files in a step's tree.
func SessionDir(session id.SessionID) string { return MetadataDir + "/" + session.String() }

// TaskDir returns the folder of a task's files in a step's tree.
func TaskDir(session id.SessionID, toolUseID string) string {
	return SessionDir(session) + "/tasks/" + toolUseID
}

// TranscriptPosition is how much of the raw transcript existed when a step was made.
type TranscriptPosition struct {
	Offset int64  // bytes
	Prefix string // the first 16 hex digits of the SHA-256 of those bytes
}

// Step is the content of the message of a shadow commit.
type Step struct {
	Kind      StepKind
	Subject   string         // one line; see StepSubject
	Session   id.SessionID   // the session that made the step
	Others    []id.SessionID // carry-forward only: the other sessions
	Taken     []id.SessionID // carry-forward only: sessions whose earlier steps the commit Base has taken
	ToolUseID string         // task only
	Strategy  string         // "" is StrategyManual

	// MetadataDir is the folder of the session's files in an agent's step; "" is SessionDir.
	MetadataDir string

	Base       git.OID // the commit that the step's tree was made on
	Transcript TranscriptPosition
	Target     git.OID            // rewind only: the step that was rewound to
	Scope      string             // rewind only: whose work was rewound, "" for everybody's; see ScopeOfSession
	Undoes     git.OID            // rewind only: the step of the rewind that an undo or redo reverses
	Since      git.OID            // agent and task: the step at the turn's start, if that is not the parent
	Subagents  []SubagentPosition // task only: the running subagents

	StepContext
}

// SubagentPosition is how much of a subagent's raw transcript existed when a step was made.
type SubagentPosition struct {
	Agent string // its ID
	TranscriptPosition
}

// StepMessage returns the commit message of a step: the subject, a blank line and one line per
// trailer. It leaves out a trailer without a value, because readers take the next line for the
// value of an empty one.
func StepMessage(s Step) string {
	var b strings.Builder
	b.WriteString(trailer.SafeSubject(s.Subject))
	b.WriteString("\n\n")
	add := func(key, value string) {
		if value != "" {
			b.WriteString(key + ": " + value + "\n")
		}
	}
	switch s.Kind {
	case StepAgent:
		add(trailer.Metadata, cmp.Or(trailer.OneLine(s.MetadataDir), SessionDir(s.Session)))
	case StepTask:
		add(trailer.MetadataTask, TaskDir(s.Session, s.ToolUseID))
	default:
		add(trailer.Step, string(s.Kind))
	}
	if s.Kind.listed() {
		for _, session := range append([]id.SessionID{s.Session}, s.Others...) {
			add(trailer.Session, session.String())
		}
		add(trailer.Strategy, cmp.Or(s.Strategy, StrategyManual))
	} else {
		add(trailer.StepSession, s.Session.String())
	}
	for _, session := range s.Taken {
		add(trailer.StepTaken, session.String())
	}
	add(trailer.StepTarget, s.Target.String())
	add(trailer.StepScope, trailer.OneLine(s.Scope))
	add(trailer.StepUndoes, s.Undoes.String())
	add(trailer.StepSince, s.Since.String())
	add(trailer.Base, s.Base.String())
	if s.Transcript.Prefix != "" {
		add(trailer.TranscriptOffset, strconv.FormatInt(s.Transcript.Offset, 10)+" "+s.Transcript.Prefix)
	}
	for _, a := range s.Subagents {
		add(trailer.SubagentOffset, a.Agent+" "+strconv.FormatInt(a.Offset, 10)+" "+a.Prefix)
	}
	s.StepContext.trailers(s.Kind, add)
	return b.String()
}

// listed reports whether other tools list steps of this kind.
func (k StepKind) listed() bool {
	return k == StepAgent || k == StepTask || k == StepCarryForward
}

// StepInfo is what ParseStep reads from the message of a shadow commit, ours or another tool's.
// A value that is absent or invalid is zero.
type StepInfo struct {
	Kind        StepKind // "" when the message does not say
	Subject     string
	Session     id.SessionID   // from Entire-Session or Entire-Step-Session
	Sessions    []id.SessionID // all of them
	Taken       []id.SessionID // see Step
	RawSession  string         // the session as written, unverified: to show or compare, never as a path
	MetadataDir string         // the folder of an agent's step or of the task
	ToolUseID   string
	Strategy    string
	Base        git.OID
	Transcript  TranscriptPosition
	Target      git.OID
	Scope       string
	Undoes      git.OID
	Since       git.OID
	Subagents   []SubagentPosition

	StepContext
}

// IsOwnStep reports whether this program made the step with a message: the message has a trailer
// that other tools of the family do not write.
func IsOwnStep(message string) bool {
	for _, key := range []string{trailer.Step, trailer.Base, trailer.TranscriptOffset} {
		if strings.Contains(message, "\n"+key) { // trailer.Step begins several
			return true
		}
	}
	return false
}

// ParseStep reads the message of a shadow commit. It never fails, because any program may have
// written the message.
func ParseStep(message string) StepInfo {
	subject, _, _ := strings.Cut(message, "\n")
	info := StepInfo{
		Subject:    strings.TrimSpace(subject),
		Strategy:   trailer.Value(message, trailer.Strategy),
		Base:       oidValue(message, trailer.Base),
		Target:     oidValue(message, trailer.StepTarget),
		Since:      oidValue(message, trailer.StepSince),
		Scope:      trailer.Value(message, trailer.StepScope),
		Undoes:     oidValue(message, trailer.StepUndoes),
		Transcript: parsePosition(trailer.Value(message, trailer.TranscriptOffset)),
	}
	raw := append(trailer.Values(message, trailer.Session), trailer.Values(message, trailer.StepSession)...)
	for _, v := range raw {
		if s, err := id.ParseSessionID(v); err == nil {
			info.Sessions = append(info.Sessions, s)
		}
	}
	info.Taken = sessionValues(message, trailer.StepTaken)
	if len(raw) > 0 {
		info.RawSession = raw[0]
	}
	if len(info.Sessions) > 0 {
		info.Session = info.Sessions[0]
	}
	info.MetadataDir = dirValue(message, trailer.Metadata)
	if task := dirValue(message, trailer.MetadataTask); task != "" {
		info.Kind, info.MetadataDir = StepTask, task
		_, rest, _ := strings.Cut(task, "/tasks/")
		use, _, _ := strings.Cut(rest, "/")
		if v, err := id.ParseToolUseID(use); err == nil {
			info.ToolUseID = v
		}
	} else {
		info.Kind = kindOf(message, info)
	}
	for _, v := range trailer.Values(message, trailer.SubagentOffset) {
		agent, position, _ := strings.Cut(v, " ")
		pos := parsePosition(position)
		if _, err := id.ParseToolUseID(agent); err == nil && agent != "" && pos.Prefix != "" && len(info.Subagents) < MaxSubagents {
			info.Subagents = append(info.Subagents, SubagentPosition{agent, pos})
		}
	}
	info.StepContext = parseContext(message, info.Kind)
	return info
}

func kindOf(message string, info StepInfo) StepKind {
	switch k := StepKind(trailer.Value(message, trailer.Step)); k {
	case StepHuman, StepMixed, StepRewind, StepLabel, StepCarryForward:
		return k
	}
	switch {
	case info.Subject == CarryForwardSubject:
		return StepCarryForward
	case trailer.Value(message, trailer.Session) != "":
		return StepAgent
	}
	return ""
}

// sessionValues returns the sessions that a trailer names; it skips invalid IDs.
func sessionValues(message, key string) []id.SessionID {
	if !strings.Contains(message, key) { // nearly always
		return nil
	}
	var out []id.SessionID
	for _, v := range trailer.Values(message, key) {
		if sid, err := id.ParseSessionID(v); err == nil {
			out = append(out, sid)
		}
	}
	return out
}

func oidValue(message, key string) git.OID {
	oid, err := git.ParseOID(trailer.Value(message, key))
	if err != nil {
		return git.OID{}
	}
	return oid
}

// dirValue returns the value of a trailer that names a folder inside the tree, "" if it is not
// a valid path.
func dirValue(message, key string) string {
	dir := strings.TrimSuffix(trailer.Value(message, key), "/")
	if dir == "" || git.ValidPath(dir) != nil {
		return ""
	}
	return dir
}

// parsePosition returns the position that a trailer names, the zero value for none. Its prefix is
// never longer than a digest, because it is the beginning of one.
func parsePosition(value string) TranscriptPosition {
	offset, prefix, ok := strings.Cut(value, " ")
	n, err := strconv.ParseInt(offset, 10, 64)
	if !ok || err != nil || n < 0 || !isHex(prefix) || len(prefix) > hex.EncodedLen(sha256.Size) {
		return TranscriptPosition{}
	}
	return TranscriptPosition{Offset: n, Prefix: prefix}
}
