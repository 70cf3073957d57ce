package cursor

import (
	"path"
	"strings"

	"entire/agent"
	"entire/agent/internal/base"
)

var _ agent.Historian = Adapter{}

// Histories implements agent.Historian: the transcripts, and the editor's database, whose form nobody documents.
func (a Adapter) Histories(home string, env func(string) string) []agent.HistoryPlace {
	places := []agent.HistoryPlace{{Root: a.TranscriptRoot(home), Depth: 4, File: historyFile}}
	for _, dir := range base.EditorStorage(home, env, "Cursor") {
		places = append(places, agent.HistoryPlace{
			Root: dir, File: func(rel string) agent.HistoryFile {
				if rel != "state.vscdb" {
					return agent.HistoryFile{}
				}
				return agent.HistoryFile{Kind: agent.HistoryTranscript, Session: "state.vscdb"}
			},
			Unread: "Cursor's editor keeps them in a database whose form is not documented",
		})
	}
	return places
}

// historyFile says what a file is: {project}/agent-transcripts/{session}/{session}.jsonl or, of older versions,
// {project}/agent-transcripts/{session}.jsonl.
func historyFile(rel string) agent.HistoryFile {
	parts := strings.Split(rel, "/")
	if len(parts) < 3 || parts[1] != "agent-transcripts" {
		return agent.HistoryFile{}
	}
	session := strings.TrimSuffix(parts[2], ".jsonl")
	name := path.Base(rel)
	switch {
	case len(parts) <= 4 && name == session+".jsonl":
		return agent.HistoryFile{Kind: agent.HistoryTranscript, Session: session}
	case len(parts) > 3:
		return agent.HistoryFile{Kind: agent.HistoryPart, Session: session}
	}
	return agent.HistoryFile{}
}
