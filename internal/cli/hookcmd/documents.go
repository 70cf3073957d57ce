package hookcmd

import (
	"path/filepath"

	"entire/agent"
	"entire/internal/durable"
)

// documentsMax bounds the size in bytes of one document of a conversation.
const documentsMax = 64 << 20

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
	paths, err := filepath.Glob(keeper.Documents(h.Home(), ev.SessionID))
	if err != nil {
		return
	}
	documents := map[string][]byte{}
	for _, path := range paths {
		text, err := durable.Read(path, documentsMax)
		if err != nil {
			ev.Warnings = append(ev.Warnings, "a document of the conversation cannot be read: "+err.Error())
			continue
		}
		documents[path] = text
	}
	lines, prompt, answered := keeper.Lines(ev.SessionID, documents)
	ev.Lines = lines
	if ev.Prompt == "" && (ev.Type == agent.TurnEnd || ev.Type == agent.TurnStart && !answered) {
		ev.SetPrompt(prompt)
	}
}
