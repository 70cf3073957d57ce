package pi

import (
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
)

var _ agent.Historian = Adapter{}

// Histories implements agent.Historian.
func (Adapter) Histories(home string, env func(string) string) []agent.HistoryPlace {
	dir := base.Home(home, env, "PI_CODING_AGENT_DIR", ".pi", "agent")
	return []agent.HistoryPlace{{Root: filepath.Join(dir, "sessions"), Depth: 1, File: func(rel string) agent.HistoryFile {
		if !strings.HasSuffix(rel, ".jsonl") {
			return agent.HistoryFile{}
		}
		return agent.HistoryFile{Kind: agent.HistoryTranscript, Session: sessionIn(rel)}
	}}}
}

// HistoryFacts implements agent.Historian: the first line is about the session.
func (a Adapter) HistoryFacts(line []byte) agent.HistoryFacts {
	f := a.Base.HistoryFacts(line)
	if gjson.GetBytes(line, "type").Str == "session" {
		f.Session = gjson.GetBytes(line, "id").String()
	}
	return f
}
