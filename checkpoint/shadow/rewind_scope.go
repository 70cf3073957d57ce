package shadow

import (
	"fmt"
	"strconv"
	"strings"

	"entire/id"
)

// ScopeAgents is the scope of a rewind that did not change the work of people.
const ScopeAgents = "agents"

const scopeExcluding = "apart"

// ScopeExcluding returns a scope, "" or [ScopeAgents], without the work of some sessions.
func ScopeExcluding(scope string, sessions []string) string {
	if len(sessions) == 0 {
		return scope
	}
	if scope == "" {
		scope = scopeExcluding
	}
	return scope + " " + strings.Join(sessions, " ")
}

// ScopeOfSession returns the scope of a rewind of one session's work.
func ScopeOfSession(session id.SessionID) string { return "session " + session.String() }

// ScopeOfTurn returns the scope of a rewind of one turn of a session.
func ScopeOfTurn(session id.SessionID, turn int) string {
	return fmt.Sprintf("turn %d %s", turn, session)
}

// StepScope says whose work a rewind's step has rewound.
type StepScope struct {
	All      bool         // everybody's work
	Agents   bool         // the work of every session
	Session  id.SessionID // the work of this session
	Turn     int          // only this turn of Session, from 1; 0 is every turn
	Excluded []string     // All and Agents: except the work of these sessions
}

// ParseScope parses a scope. An unreadable text gives a scope without anybody's work.
func ParseScope(text string) StepScope {
	kind, rest, _ := strings.Cut(text, " ")
	var sc StepScope
	switch kind {
	case "":
		sc.All = true
	case scopeExcluding:
		sc.All, sc.Excluded = true, strings.Fields(rest)
	case ScopeAgents:
		sc.Agents, sc.Excluded = true, strings.Fields(rest)
	case "turn":
		number, name, _ := strings.Cut(rest, " ")
		if n, err := strconv.Atoi(number); err == nil && n > 0 {
			sc.Turn = n
			sc.Session, _ = id.ParseSessionID(name)
		}
	case "session":
		sc.Session, _ = id.ParseSessionID(rest)
	}
	return sc
}
