package droid

import (
	"path/filepath"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
)

var _ agent.Historian = Adapter{}

// Histories implements agent.Historian.
func (a Adapter) Histories(home string, _ func(string) string) []agent.HistoryPlace {
	return []agent.HistoryPlace{{Root: filepath.Join(home, ".factory", "sessions"), Depth: 2, File: base.LineFile(1)}}
}

// HistoryFacts implements agent.Historian: the first line is about the session.
func (a Adapter) HistoryFacts(line []byte) agent.HistoryFacts {
	f := a.Base.HistoryFacts(line)
	if gjson.GetBytes(line, "type").Str == "session_start" {
		f.Session = gjson.GetBytes(line, "id").String()
		if of, _, ok := a.ParentOf(line); ok {
			f.Parent, f.Subagent = of.String(), true
		}
	}
	return f
}
