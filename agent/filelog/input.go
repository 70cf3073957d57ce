package filelog

import (
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
)

// The names that agents give to the members of a tool's input.
var (
	pathMembers  = []string{"file_path", "filePath", "path", "filename", "target_file", "absolute_path", "notebook_path"}
	wholeMembers = []string{"content", "contents", "file_text", "fileText", "new_file_contents"}
	oldMembers   = []string{"old_string", "oldString", "old_str", "oldText", "old_text"}
	newMembers   = []string{"new_string", "newString", "new_str", "newText", "new_text"}
	allMembers   = []string{"replace_all", "replaceAll", "allow_multiple"}
)

// inputFacts returns what a call does to files, as far as its input says.
func inputFacts(c agent.Call) []agent.FileFact {
	input := gjson.ParseBytes(c.Input)
	if patch := patchIn(input); patch != "" {
		return patchFacts(patch, input)
	}
	if c.Command != "" {
		return commandWrites(c.Command)
	}
	path := agent.FirstString(input, pathMembers...)
	if c.Reads || path == "" || strings.HasSuffix(path, ".ipynb") {
		return nil
	}
	if len(c.Edits) == 0 && !writes(c.Name) {
		return nil
	}
	if whole, ok := text(input, wholeMembers); ok {
		return []agent.FileFact{{Kind: agent.FileWhole, Path: path, Text: whole}}
	}
	changes := changesIn(input)
	if one, ok := changeIn(input); ok {
		changes = append(changes, one)
	}
	switch {
	case len(changes) == 0:
		return nil
	case len(changes) == 1 && changes[0].Old == "": // an edit of nothing makes the file
		return []agent.FileFact{{Kind: agent.FileWhole, Path: path, Text: changes[0].New}}
	}
	return []agent.FileFact{{Kind: agent.FileChanged, Path: path, Changes: changes}}
}

// writes reports whether a tool writes the file that it names, by its name.
func writes(tool string) bool {
	tool = strings.ToLower(tool)
	for _, word := range []string{"write", "edit", "create", "replace", "save"} {
		if strings.Contains(tool, word) && !strings.Contains(tool, "todo") {
			return true
		}
	}
	return false
}

// text returns the first member that is a string.
func text(v gjson.Result, names []string) (string, bool) {
	for _, name := range names {
		if m := v.Get(name); m.Type == gjson.String {
			return m.Str, true
		}
	}
	return "", false
}

func changesIn(input gjson.Result) []agent.FileChange {
	var out []agent.FileChange
	for _, name := range []string{"edits", "changes"} {
		input.Get(name).ForEach(func(_, one gjson.Result) bool {
			if c, ok := changeIn(one); ok {
				out = append(out, c)
			}
			return true
		})
	}
	return out
}

func changeIn(v gjson.Result) (agent.FileChange, bool) {
	was, had := text(v, oldMembers)
	now, has := text(v, newMembers)
	c := agent.FileChange{Old: was, New: now}
	for _, name := range allMembers {
		c.All = c.All || v.Get(name).Bool()
	}
	return c, had || has
}
