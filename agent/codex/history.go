package codex

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
)

var _ agent.Historian = Adapter{}

// Histories implements agent.Historian: the sessions by day, and those that a person has archived.
func (Adapter) Histories(home string, env func(string) string) []agent.HistoryPlace {
	dir := base.Home(home, env, "CODEX_HOME", ".codex")
	return []agent.HistoryPlace{
		{Root: filepath.Join(dir, "sessions"), Depth: 3, File: historyFile},
		{Root: filepath.Join(dir, "archived_sessions"), Depth: 3, File: historyFile},
	}
}

func historyFile(rel string) agent.HistoryFile {
	stem, ok := rolloutStem(strings.TrimSuffix(path.Base(rel), ".zst"))
	if !ok || len(stem) < uuidLen {
		return agent.HistoryFile{}
	}
	return agent.HistoryFile{Kind: agent.HistoryTranscript, Session: stem[len(stem)-uuidLen:]}
}

// HistoryFacts implements agent.Historian.
func (a Adapter) HistoryFacts(line []byte) agent.HistoryFacts {
	f := a.Base.HistoryFacts(line)
	if meta := gjson.GetBytes(line, "payload"); gjson.GetBytes(line, "type").Str == "session_meta" {
		f.Session = meta.Get("id").String()
		f.Subagent = meta.Get("source.subagent").Exists()
		f.ParentBytes = max(0, meta.Get("history_base.end_byte_offset").Int())
		f.Parent = base.FirstText(line, []string{"payload.forked_from_id", "payload.source.subagent.thread_spawn.parent_thread_id"})
	}
	return f
}
