package hookcmd

import (
	"context"
	"os"
	"path/filepath"

	"entire/agent"
	"entire/agent/agents"
	"entire/id"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
	"entire/internal/lines"
	"entire/session"
)

// placeTranscript completes an event that does not name its transcript, if the session's ID says where
// it is and the agent has made the folder.
func placeTranscript(home, dir string, ev *agent.Event) {
	if ev.TranscriptPath != "" || home == "" {
		return
	}
	ag, known := agents.ByType(ev.AgentType)
	if !known || !ag.Profile().PathByID {
		return
	}
	path := ag.TranscriptPath(home, dir, ev.SessionID)
	if info, err := os.Stat(filepath.Dir(path)); err == nil && info.IsDir() {
		ev.TranscriptPath = path
	}
}

// maxFirstLine bounds the first line of a transcript.
const maxFirstLine = 64 << 10

// reportToParent turns an event of a subagent that calls hooks as a session of its own into one of the
// session that it works for. The event's type is "" if that session has no use for it.
func reportToParent(ev *agent.Event) {
	ag, known := agents.ByType(ev.AgentType)
	namer, names := ag.(agent.ParentNamer)
	if !known || !names || ev.TranscriptPath == "" {
		return
	}
	f, err := durable.Open(ev.TranscriptPath)
	if err != nil {
		return
	}
	defer f.Close()
	line, err := lines.NewReader(f, maxFirstLine).Next()
	if err != nil {
		return
	}
	if parent, call, ok := namer.ParentOf(line); ok && parent != ev.SessionID {
		ev.TurnIntoTaskOf(parent, call, filepath.Join(filepath.Dir(ev.TranscriptPath), ag.FileName(parent, nil)))
	}
}

// turnIsOpen reports whether a session is in a turn, by its state alone: hooks of calls ask it often.
func turnIsOpen(ctx context.Context, dir string, sid id.SessionID) bool {
	common := workplace.FindPlace(dir).Common()
	if common == "" {
		return false
	}
	st, err := session.NewStateStore(common).Load(ctx, sid)
	return err == nil && st.Phase == session.PhaseActive
}
