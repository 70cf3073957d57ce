package feed

import (
	"cmp"
	"slices"

	"entire/agent"
	"entire/session"
)

const (
	maxTools    = 200 // per session
	maxToolName = 100
)

// circumstances returns the session's present circumstances, from its events and messages. What an event does
// not contain stays as it was.
func (s *eventRun) circumstances() session.Circumstances {
	was := s.pos.Circumstances
	now := s.Circumstances
	now.Permissions = cmp.Or(s.ev.Mode, was.Permissions)
	now.CWD = cmp.Or(s.ev.Dir, was.CWD)
	now.Branch, now.Commit = cmp.Or(now.Branch, was.Branch), cmp.Or(now.Commit, was.Commit)
	if s.Circumstances.Commit != "" { // HEAD is known: no branch means a detached HEAD
		now.Branch = s.Circumstances.Branch
	}
	if now.Environment == nil {
		now.Environment = was.Environment
	}
	now.Tools = was.Tools
	for name := range s.called {
		if at, found := slices.BinarySearch(now.Tools, name); !found && len(now.Tools) < maxTools {
			now.Tools = slices.Insert(slices.Clone(now.Tools), at, name)
		}
	}
	return now
}

// noteTools records the names of the tools that a message calls.
func (s *eventRun) noteTools(m *agent.Message) {
	for _, call := range m.ToolCalls {
		if call.Name == "" || len(call.Name) > maxToolName {
			continue
		}
		if s.called == nil {
			s.called = map[string]bool{}
		}
		s.called[call.Name] = true
	}
}
