package cline

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
)

var _ agent.Historian = Adapter{}

// Histories implements agent.Historian: the documents of the command line, and those of the editor's extension,
// which have another form.
func (Adapter) Histories(home string, env func(string) string) []agent.HistoryPlace {
	dir := base.Home(home, env, "CLINE_DIR", ".cline")
	places := []agent.HistoryPlace{{Root: filepath.Join(dir, "data", "sessions"), Depth: 1, File: historyFile}}
	for _, storage := range base.EditorStorage(home, env, "Code", "VSCodium", "Cursor") {
		places = append(places, agent.HistoryPlace{
			Root: filepath.Join(storage, "saoudrizwan.claude-dev", "tasks"), Depth: 1, File: base.Only("api_conversation_history.json"),
			Unread: "Cline's editor extension keeps them in another form than its command line",
		})
	}
	return places
}

// historyFile says what a file is: {session}/{session}.messages.json, {session}/{subagent}.messages.json, or
// {session}/{session}.json, which tells the folder.
func historyFile(rel string) agent.HistoryFile {
	session, name, ok := strings.Cut(rel, "/")
	switch {
	case !ok:
		return agent.HistoryFile{}
	case name == session+documentEnd:
		return agent.HistoryFile{Kind: agent.HistoryTranscript, Session: session}
	case name == session+".json":
		return agent.HistoryFile{Kind: agent.HistoryNote, Session: session}
	case strings.HasSuffix(name, documentEnd) || path.Ext(name) == ".json":
		return agent.HistoryFile{Kind: agent.HistoryPart, Session: session}
	}
	return agent.HistoryFile{}
}

// HistoryFacts implements agent.Historian.
func (Adapter) HistoryFacts(doc []byte) agent.HistoryFacts {
	return agent.HistoryFacts{
		Session: gjson.GetBytes(doc, "session_id").String(), Folder: base.FirstText(doc, []string{"cwd", "workspace_root"}),
		Time: base.TimeIn(doc, []string{"started_at", "updated_at", "message.ts"}),
	}
}
