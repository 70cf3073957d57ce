package hookcmd

import (
	"entire/agent"
	"entire/strategy/transcript"
)

// readDocuments gives an event the conversation that the agent keeps as documents, and the prompt that no
// payload has. At the start of a turn, a prompt that has been answered is that of an earlier turn.
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
	lines, prompt, answered := keeper.Lines(ev.SessionID, documents)
	ev.Lines = lines
	if ev.Prompt == "" && (ev.Type == agent.TurnEnd || ev.Type == agent.TurnStart && !answered) {
		ev.SetPrompt(prompt)
	}
}
