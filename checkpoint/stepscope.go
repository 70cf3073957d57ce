package checkpoint

import (
	"fmt"
	"strconv"
	"strings"

	"entire/id"
)

// ScopeAgents is the scope of a rewind that left people's changes alone.
const ScopeAgents = "agents"

const scopeApart = "apart"

// ScopeApart is a scope, "" or [ScopeAgents], that leaves out what some sessions did.
func ScopeApart(scope string, sessions []string) string {
	if len(sessions) == 0 {
		return scope
	}
	if scope == "" {
		scope = scopeApart
	}
	return scope + " " + strings.Join(sessions, " ")
}

// ScopeOfSession is the scope of a rewind of what one session did.
func ScopeOfSession(session id.SessionID) string { return "session " + session.String() }

// ScopeOfTurn is the scope of a rewind of one turn of a session.
func ScopeOfTurn(session id.SessionID, turn int) string {
	return fmt.Sprintf("turn %d %s", turn, session)
}

// StepScope is what the scope of a rewind's step says.
type StepScope struct {
	All     bool         // of everybody's work
	Agents  bool         // of every session's
	Session id.SessionID // of this one's
	Turn    int          // and of that only this turn's, from 1; 0 is every turn
	Apart   []string     // All and Agents: these sessions' work is left alone
}

// ParseScope reads a scope. One that cannot be read is of nobody's work.
func ParseScope(text string) StepScope {
	kind, rest, _ := strings.Cut(text, " ")
	var sc StepScope
	switch kind {
	case "":
		sc.All = true
	case scopeApart:
		sc.All, sc.Apart = true, strings.Fields(rest)
	case ScopeAgents:
		sc.Agents, sc.Apart = true, strings.Fields(rest)
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
