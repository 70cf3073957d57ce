package opencode

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/jsontext"
)

var _ agent.Historian = Adapter{}

// database reads the tables that the programs have had since they keep conversations in a database. A project's ID
// is the repository's first commit, or "global".
var database = agent.HistoryDatabase{
	Sessions: `SELECT id, coalesce(parent_id, ''), directory, project_id, version, time_created, time_updated FROM session`,
	Messages: `SELECT m.id, m.session_id, m.data FROM message m JOIN session s ON s.id = m.session_id
		WHERE s.id = $1 OR s.parent_id = $1 ORDER BY m.time_created, m.id`,
	Parts: `SELECT id, data FROM part WHERE message_id = $1 ORDER BY id`,
	Lines: databaseLines,
}

// Histories implements agent.Historian: the database, and what older versions left in files, which the program
// itself moves into the database when it starts.
func (a Adapter) Histories(home string, env func(string) string) []agent.HistoryPlace {
	name := string(a.Agent)
	dir := filepath.Join(base.Home(home, env, "XDG_DATA_HOME", ".local", "share"), name)
	places := []agent.HistoryPlace{
		{Root: filepath.Join(dir, name+".db"), Database: &database},
		{
			Root: filepath.Join(dir, "storage", "session"), Depth: 1, File: oldFile,
			Unread: "they are in files of an older version; start the agent once: it moves them into its database",
		},
	}
	if a.Agent == AgentNameKilo {
		for _, storage := range base.EditorStorage(home, env, "Code", "VSCodium", "Cursor") {
			places = append(places, agent.HistoryPlace{
				Root: filepath.Join(storage, "kilocode.kilo-code", "tasks"), Depth: 1, File: base.Only("api_conversation_history.json"),
				Unread: "Kilo's editor extension keeps them in another form than its command line",
			})
		}
	}
	return places
}

func oldFile(rel string) agent.HistoryFile {
	stem, ok := strings.CutSuffix(filepath.Base(rel), ".json")
	if !ok || !strings.HasPrefix(stem, "ses_") {
		return agent.HistoryFile{}
	}
	return agent.HistoryFile{Kind: agent.HistoryTranscript, Session: stem}
}

// HistoryFacts implements agent.Historian, for a file of an older version.
func (Adapter) HistoryFacts(doc []byte) agent.HistoryFacts {
	f := agent.HistoryFacts{
		Session: gjson.GetBytes(doc, "id").String(), Folder: base.FirstText(doc, []string{"directory"}),
		Parent: gjson.GetBytes(doc, "parentID").String(), Time: base.TimeIn(doc, []string{"time.created"}),
	}
	if project := gjson.GetBytes(doc, "projectID").String(); len(project) == 40 {
		f.Root = project
	}
	f.Subagent = f.Parent != ""
	return f
}

// databaseLines makes of rows what the programs' own export has, and of that the lines.
func databaseLines(session, version string, messages []agent.HistoryMessage) []byte {
	var all bytes.Buffer
	all.WriteByte('[')
	for i, m := range messages {
		if i > 0 {
			all.WriteByte(',')
		}
		ids := `"id":` + jsontext.Quote(m.ID) + `,"sessionID":` + jsontext.Quote(m.Session)
		all.WriteString(`{"info":` + withMembers(m.JSON, ids) + `,"parts":[`)
		for k, p := range m.Parts {
			if k > 0 {
				all.WriteByte(',')
			}
			all.WriteString(withMembers(p.JSON, `"id":`+jsontext.Quote(p.ID)+`,"sessionID":`+jsontext.Quote(m.Session)+`,"messageID":`+jsontext.Quote(m.ID)))
		}
		all.WriteString(`]}`)
	}
	all.WriteByte(']')
	return lines(session, version, gjson.ParseBytes(all.Bytes()), func(string) bool { return false })
}

// withMembers returns an object with members before its own; only those, for what is no object.
func withMembers(object []byte, members string) string {
	text := strings.TrimSpace(string(object))
	if !gjson.Valid(text) || !strings.HasPrefix(text, "{") {
		return "{" + members + "}"
	}
	if rest := strings.TrimSpace(text[1:]); rest != "}" {
		return "{" + members + "," + rest
	}
	return "{" + members + "}"
}
