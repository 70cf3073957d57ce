package agent

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// ToolHooks select the tool calls that get hooks. The zero value selects none.
type ToolHooks struct {
	Before, After []string // names of tools
	Shell         bool     // before each command in a shell that may lose work
	Everything    bool     // with Shell: before every command, because a person refuses some of their own choice
	NoFilter      bool     // this program filters, because there is no shell that can
	Changes       bool     // after each call of a tool that may change files
}

// toolVerbs are the verbs of tool hooks, of any agent.
var toolVerbs = []string{"pre-tool", "post-tool", "before-tool", "after-tool", string(ToolStart), string(ToolEnd)}

// IsToolVerb reports whether a verb is that of a tool hook. Such hooks run often, and most
// have no effect.
func IsToolVerb(verb string) bool { return slices.Contains(toolVerbs, verb) }

// IsToolEndVerb reports whether a verb is that of the hook after a tool call.
func IsToolEndVerb(verb string) bool {
	return verb == "post-tool" || verb == "after-tool" || verb == string(ToolEnd)
}

// ShellCommand returns the command line that a tool call runs in a shell, "" for none.
func (ev Event) ShellCommand() string {
	v := gjson.GetBytes(ev.ToolInput, "command")
	if !v.IsArray() {
		return v.String()
	}
	var words []string
	v.ForEach(func(_, w gjson.Result) bool {
		words = append(words, "'"+strings.ReplaceAll(w.String(), "'", `'\''`)+"'")
		return true
	})
	return strings.Join(words, " ")
}
