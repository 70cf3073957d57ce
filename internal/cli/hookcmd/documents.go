package hookcmd

import (
	"entire/agent"
	"entire/strategy/transcript"
)

// readDocuments gives an event the conversation that the agent keeps as documents, and the prompt that no
// payload has. It ignores the start of a turn if the last prompt has been answered: the turn's first call,
// or else its end, begins the turn then.
func (h *hookRun) readDocuments(ag agent.Agent, ev *agent.Event) {
	keeper, ok := ag.(agent.DocumentKeeper)
	if !ok || h.Home() == "" {
		return
	}
	switch ev.Type {
	case agent.TurnStart, agent.TurnEnd, agent.Said:
	default:
		return
	}
	documents, unread := transcript.ReadDocuments(keeper, h.Home(), ev.SessionID)
	for _, err := range unread {
		ev.Warnings = append(ev.Warnings, "a document of the conversation cannot be read: "+err.Error())
	}
	lines, last := keeper.Lines(ev.SessionID, documents)
	ev.Lines = lines
	switch {
	case ev.Type == agent.Said:
	case ev.Type == agent.TurnStart && !ev.Implied && last.Answered:
		ev.Type = "" // of a turn whose prompt is not written yet, or that a call has begun
	default:
		ev.PromptID = agent.Clip(last.ID, agent.MaxName)
		if ev.Prompt == "" {
			ev.SetPrompt(last.Text)
		}
	}
}
