package agent

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// editing are the tools of agents that change a file, or have a patch of files.
var editing = []string{"Edit", "Write", "MultiEdit", "NotebookEdit", "write_file", "replace", "edit_file", "create_file", "replace_string_in_file",
	"multi_replace_string_in_file", "insert_edit_into_file", "create", "edit", "str_replace", "insert", "str_replace_editor", "editor", "Create",
	"StrReplace", "EditNotebook", "write", "multiedit", "apply_patch", "ApplyPatch", "patch"}

// EditedFiles returns the files that a tool call changes, as the agent named them; none if it changes none or unknown ones.
func EditedFiles(call ToolUse) (out []string) {
	if !slices.Contains(editing, call.Name) {
		return nil
	}
	input := gjson.ParseBytes(call.Input)
	if input.Get("command").String() == "view" { // str_replace_editor, which reads, too
		return nil
	}
	for _, key := range []string{"file_path", "notebook_path", "path", "filePath"} {
		if v := input.Get(key); v.Type == gjson.String && v.Str != "" {
			return []string{strings.ReplaceAll(v.Str, `\`, "/")}
		}
	}
	patch := input.Str // the whole input, or a member of it
	input.ForEach(func(_, v gjson.Result) bool {
		if v.Type == gjson.String && strings.Contains(v.Str, "*** Begin Patch") {
			patch = v.Str
		}
		return true
	})
	for line := range strings.Lines(patch) {
		if word, name, ok := strings.Cut(strings.TrimSpace(line), " File: "); ok && (word == "*** Add" || word == "*** Update" || word == "*** Delete") {
			out = append(out, strings.ReplaceAll(name, `\`, "/"))
		}
	}
	return out
}
