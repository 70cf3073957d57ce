package base

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/jsontext"
)

// ShownDiff returns what a result as the person saw it tells of a file: the content before and after, or the
// difference. call is the call's ID.
func ShownDiff(shown gjson.Result, call string) []agent.FileFact {
	path := jsontext.ValidUTF8(agent.FirstString(shown, "filePath", "file_path", "file"))
	if path == "" {
		return nil
	}
	var out []agent.FileFact
	isNew := shown.Get("isNewFile").Bool()
	if was := first(shown, "originalContent", "before"); was.Str != "" {
		out = append(out, agent.FileFact{Kind: agent.FileWhole, Path: path, CallID: call, Before: true, Text: was.Str, Loose: true})
	}
	if now := first(shown, "newContent", "after"); now.Type == gjson.String {
		return append(out, agent.FileFact{Kind: agent.FileWhole, Path: path, CallID: call, Text: now.Str, Loose: !isNew})
	}
	if hunks := Hunks(jsontext.ValidUTF8(agent.FirstString(shown, "fileDiff", "patch", "diff"))); len(hunks) > 0 {
		out = append(out, agent.FileFact{Kind: agent.FileChanged, Path: path, CallID: call, Changes: []agent.FileChange{{Hunks: hunks}}})
	}
	return out
}

// HistoryRepo returns the repository in which an agent of Gemini's family keeps the files of a project: it has the
// hash of the project's path as name, in the agent's folder.
func HistoryRepo(home, folder, top string) []string {
	sum := sha256.Sum256([]byte(top))
	return []string{filepath.Join(home, folder, "history", hex.EncodeToString(sum[:]), ".git")}
}

func first(v gjson.Result, names ...string) gjson.Result {
	for _, name := range names {
		if m := v.Get(name); m.Exists() {
			return m
		}
	}
	return gjson.Result{}
}
