package claude

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
)

// keptDays is how many days Claude Code keeps a transcript that does not change, unless its settings say
// otherwise.
const keptDays = 30

var _ agent.Historian = Adapter{}

// Histories implements agent.Historian. Claude Code deletes old transcripts when it starts.
func (Adapter) Histories(home string, env func(string) string) []agent.HistoryPlace {
	dir := base.Home(home, env, "CLAUDE_CONFIG_DIR", ".claude")
	places := []agent.HistoryPlace{place(dir)}
	if beside := filepath.Join(home, ".config", "claude"); dir != beside {
		places = append(places, place(beside)) // an older folder, or that of an account
	}
	return places
}

func place(dir string) agent.HistoryPlace {
	return agent.HistoryPlace{
		Root: filepath.Join(dir, "projects"), Depth: 3, File: historyFile,
		Settings: []string{filepath.Join(dir, "settings.json")}, Keeps: keeps,
	}
}

// historyFile says what a file below the folder of projects is: {project}/{session}.jsonl, with subagents and
// the output of tools in {project}/{session}, or, of older versions, {project}/agent-{id}.jsonl.
func historyFile(rel string) agent.HistoryFile {
	f := base.LineFile(1)(rel)
	if strings.HasPrefix(f.Session, "agent-") {
		return agent.HistoryFile{}
	}
	return f
}

func keeps(settings []byte) time.Duration {
	days := gjson.GetBytes(settings, "cleanupPeriodDays")
	if days.Type != gjson.Number || days.Num <= 0 || days.Num > 36500 {
		return keptDays * 24 * time.Hour
	}
	return time.Duration(days.Num * 24 * float64(time.Hour))
}
