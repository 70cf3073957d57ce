package gemini

import (
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/payload"
)

// kept is how long Gemini CLI keeps a conversation, unless its settings say otherwise.
const kept = 30 * 24 * time.Hour

var _ agent.Historian = Adapter{}

// Histories implements agent.Historian: {project}/chats/{conversation}.json or .jsonl, with those of subagents in
// a folder of their session. The folder of a project is named by a list, or by the hash of its path.
func (Adapter) Histories(home string, env func(string) string) []agent.HistoryPlace {
	dir := filepath.Join(base.Home(home, env, "GEMINI_CLI_HOME"), ".gemini")
	root := filepath.Join(dir, "tmp")
	return []agent.HistoryPlace{{
		Root: root, Depth: 3, File: historyFile,
		Folder: func(rel string, read func(string) []byte) string {
			project, _, _ := strings.Cut(rel, "/")
			if at := strings.TrimSpace(string(read(filepath.Join(root, project, ".project_root")))); filepath.IsAbs(at) {
				return at
			}
			return projectOf(read(filepath.Join(dir, "projects.json")), project)
		},
		Settings: []string{filepath.Join(dir, "settings.json")}, Keeps: keeps,
	}}
}

// projectOf is the reverse of projectSlug.
func projectOf(list []byte, slug string) string {
	if !gjson.ValidBytes(list) {
		return ""
	}
	for dir, name := range payload.Members(gjson.GetBytes(list, "projects")) {
		if name.Str == slug {
			return dir
		}
	}
	return ""
}

func historyFile(rel string) agent.HistoryFile {
	parts := strings.Split(rel, "/")
	_, ok := geminiStem(path.Base(rel))
	switch {
	case len(parts) < 3 || parts[1] != "chats" || !ok:
		return agent.HistoryFile{}
	case len(parts) > 3:
		return agent.HistoryFile{Kind: agent.HistoryPart, Session: parts[2]}
	}
	return agent.HistoryFile{Kind: agent.HistoryTranscript} // the name has only a part of the ID
}

// HistoryFacts implements agent.Historian.
func (a Adapter) HistoryFacts(line []byte) agent.HistoryFacts {
	f := a.Base.HistoryFacts(line)
	f.Subagent = gjson.GetBytes(line, "kind").Str == "subagent"
	return f
}

// keeps reads the settings. A conversation is deleted by its age unless that is switched off.
func keeps(settings []byte) time.Duration {
	retention := gjson.GetBytes(settings, "general.sessionRetention")
	if retention.Get("enabled").Type == gjson.False {
		return 0
	}
	age := retention.Get("maxAge").String()
	if len(age) < 2 {
		return kept
	}
	units := map[byte]time.Duration{'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour, 'm': 30 * 24 * time.Hour}
	n := gjson.Parse(age[:len(age)-1])
	unit := units[age[len(age)-1]]
	if n.Type != gjson.Number || n.Num <= 0 || n.Num > 1e4 || unit == 0 {
		return kept
	}
	return time.Duration(n.Num) * unit
}
