package hookcmd

import (
	"os"
	"path/filepath"

	"entire/agent"
)

// located returns the event with its session's transcript, if it names none and the agent's folders tell
// by the session's ID where that is.
func (h *hookRun) located(ag agent.Agent, ev agent.Event) agent.Event {
	dated, ok := ag.(agent.SessionFolders)
	if !ok || ev.TranscriptPath != "" || ev.AgentID != "" {
		return ev
	}
	root := h.Getenv(ag.Profile().TranscriptsVar)
	if root == "" {
		root = ag.TranscriptRoot(h.Home())
	}
	for _, dir := range dated.SessionFolders(root, ev.SessionID) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if e.Type().IsRegular() && ag.OwnsFile(e.Name(), ev.SessionID) && filepath.Ext(e.Name()) != ".zst" {
				ev.TranscriptPath = filepath.Join(dir, e.Name())
				return ev
			}
		}
	}
	return ev
}
