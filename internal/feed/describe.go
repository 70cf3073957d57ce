package feed

import (
	"cmp"

	"entire/agent"
	"entire/session"
)

// titleRunes is the maximum length of a title.
const titleRunes = 80

// describe returns a function that updates the metadata from the event and the messages, or nil if
// nothing changed.
func (s *eventRun) describe() func(*session.SessionMetadata) {
	var changes []func(*session.SessionMetadata)
	change := func(fn func(*session.SessionMetadata)) { changes = append(changes, fn) }
	pos, ev := s.pos, s.ev
	if title := s.title(); title != "" {
		pos.Titled = true
		change(func(m *session.SessionMetadata) { m.SuggestTitle(title) })
	}
	if s.branches == nil && ev.Type == agent.TurnStart {
		s.noteBranch(s.Branch)
	}
	if branches := s.branches; branches != nil {
		change(func(m *session.SessionMetadata) { m.AddBranches(branches...) })
	}
	if pos.Turns != s.turns || pos.Cost != s.cost {
		turns, cost, rewound := pos.Turns, pos.Cost, s.rewound
		change(func(m *session.SessionMetadata) {
			m.TurnCount, m.TotalCostUSD = max(m.TurnCount, turns), max(m.TotalCostUSD, cost)
			if rewound {
				m.TurnCount = turns
			}
		})
	}
	if begun := s.begun; s.turns == 0 && !begun.IsZero() { // the session began before the first hook
		change(func(m *session.SessionMetadata) {
			if begun.Before(m.CreatedAt) {
				m.CreatedAt = begun
			}
		})
	}
	switch {
	case ev.Type == agent.SessionEnd:
		pos.Ended = true
		ended, reason := ev.Time, cmp.Or(s.clean(ev.Reason), "exit")
		change(func(m *session.SessionMetadata) { m.EndedAt, m.ExitReason = &ended, reason })
	case pos.Ended && (ev.Type == agent.SessionStart || ev.Type == agent.TurnStart):
		pos.Ended = false
		change(func(m *session.SessionMetadata) { m.EndedAt, m.ExitReason = nil, "" })
	}
	if circumstances := s.circumstances(); !circumstances.Equal(pos.Circumstances) {
		pos.Circumstances = circumstances
		change(func(m *session.SessionMetadata) { m.Circumstances = &circumstances })
	}
	if ev.Type == agent.SessionStart && ev.Model != "" {
		change(func(m *session.SessionMetadata) { m.Model = cmp.Or(m.Model, ev.Model) })
	}
	if active := ev.Type == agent.TurnStart || pos.Active && ev.Type != agent.TurnEnd && ev.Type != agent.SessionEnd && ev.Type != agent.SessionStart && ev.Type != agent.Idle; s.Turns && active != pos.Active {
		pos.Active, s.changed = active, true
	}
	if changes == nil {
		return nil
	}
	s.changed = true
	return func(m *session.SessionMetadata) {
		for _, fn := range changes {
			fn(m)
		}
	}
}

// branchKey is the JSON key of the branch in an agent's record.
const branchKey = `"gitBranch":"`

// noteBranch records a branch for the metadata.
func (s *eventRun) noteBranch(name string) {
	if name != "" && name != "HEAD" && (len(s.branches) == 0 || s.branches[len(s.branches)-1] != name) && len(s.branches) < 1000 {
		s.branches = append(s.branches, name)
	}
}

// title returns a title made from the event's prompt, or "" if the session has one.
func (s *eventRun) title() string {
	if s.pos.Titled || s.ev.Prompt == "" {
		return ""
	}
	return agent.Title(s.clean(s.ev.Prompt), titleRunes)
}
