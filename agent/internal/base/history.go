package base

import (
	"cmp"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/jsontext"
)

// The members of a line that tell a fact, as most agents write them.
var (
	sessionPlaces = []string{"sessionId", "session_id", "data.sessionId"}
	folderPlaces  = []string{"cwd", "payload.cwd", "data.context.cwd"}
	remotePlaces  = []string{"payload.git.repository_url", "data.context.repository"}
	timePlaces    = []string{"timestamp", "payload.timestamp", "startTime"}
)

// HistoryFacts implements agent.Historian for an agent that writes its facts where most do.
func (*Base) HistoryFacts(line []byte) agent.HistoryFacts {
	return agent.HistoryFacts{
		Session: FirstText(line, sessionPlaces), Folder: FirstText(line, folderPlaces), Remote: FirstText(line, remotePlaces),
		Time: TimeIn(line, timePlaces), Subagent: gjson.GetBytes(line, "isSidechain").Bool(),
	}
}

// FirstText returns the first of the members that is a text.
func FirstText(line []byte, places []string) string {
	for _, at := range places {
		if v := gjson.GetBytes(line, at); v.Type == gjson.String && v.Str != "" {
			return jsontext.ValidUTF8(v.Str)
		}
	}
	return ""
}

// TimeIn returns the first of the members that is a time.
func TimeIn(line []byte, places []string) time.Time {
	for _, at := range places {
		v := gjson.GetBytes(line, at)
		if t, err := time.Parse(time.RFC3339Nano, v.Str); err == nil {
			return t
		}
		if v.Type == gjson.Number && v.Num > 1e11 && v.Num < 1e14 {
			return time.UnixMilli(v.Int()).UTC()
		}
	}
	return time.Time{}
}

// LineFile says what a file is in a place where each conversation is a file {session}.jsonl with a number of
// folders above it, and whatever is below a folder {session} beside it belongs to it.
func LineFile(folders int) func(string) agent.HistoryFile {
	return func(rel string) agent.HistoryFile {
		parts := strings.Split(rel, "/")
		if len(parts) <= folders {
			return agent.HistoryFile{}
		}
		name := parts[folders]
		if len(parts) > folders+1 {
			return agent.HistoryFile{Kind: agent.HistoryPart, Session: name}
		}
		stem, ok := strings.CutSuffix(name, ".jsonl")
		if !ok {
			return agent.HistoryFile{}
		}
		return agent.HistoryFile{Kind: agent.HistoryTranscript, Session: stem}
	}
}

// Home returns the folder that a variable names, or a folder of the home directory.
func Home(home string, env func(string) string, variable string, elements ...string) string {
	if dir := env(variable); variable != "" && filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(append([]string{home}, elements...)...)
}

// EditorStorage returns the folders in which editors that descend from VS Code keep what their extensions store.
func EditorStorage(home string, env func(string) string, editors ...string) []string {
	var out []string
	for _, editor := range editors {
		for _, root := range []string{filepath.Join(home, ".config"), filepath.Join(home, "Library", "Application Support"), env("APPDATA")} {
			if root != "" {
				out = append(out, filepath.Join(root, editor, "User", "globalStorage"))
			}
		}
	}
	return out
}

// Only returns what says that files with a name are conversations, named by the folder they are in.
func Only(name string) func(string) agent.HistoryFile {
	return func(rel string) agent.HistoryFile {
		if path.Base(rel) != name {
			return agent.HistoryFile{}
		}
		return agent.HistoryFile{Kind: agent.HistoryTranscript, Session: cmp.Or(path.Base(path.Dir(rel)), name)}
	}
}
