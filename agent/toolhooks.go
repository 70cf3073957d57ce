package agent

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// ToolHooks select the tool calls that get hooks. The zero value selects none.
type ToolHooks struct {
	Before, After []string // names of tools
	Shell         bool     // before each command in a shell
	Changes       bool     // after each call of a tool that may change files
}

// Claude Code's own tools.
var (
	claudeShell   = []string{"Bash"}
	claudeChanges = []string{"Bash", "Edit", "MultiEdit", "NotebookEdit", "Write"}
)

// toolVerbs are the verbs of tool hooks, of any agent.
var toolVerbs = []string{"pre-tool", "post-tool", "before-tool", "after-tool", string(ToolStart), string(ToolEnd)}

// IsToolVerb reports whether a verb is that of a tool hook. Such hooks run often, and most
// have no effect.
func IsToolVerb(verb string) bool { return slices.Contains(toolVerbs, verb) }

// matcher returns the tools of both lists as a matcher of Claude Code, "" for none.
func matcher(named, more []string, all bool) string {
	list := slices.Clone(named)
	if all {
		list = append(list, more...)
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), "|")
}

// installTools updates the tool hooks to the selected ones: it removes those with another
// matcher and keeps correct ones. It adds the number of changes to added.
func (c ClaudeCode) installTools(text []byte, prefix string, tools ToolHooks, added int) ([]byte, int, error) {
	for _, h := range []struct{ event, verb, matcher string }{
		{"PreToolUse", "pre-tool", matcher(tools.Before, claudeShell, tools.Shell)},
		{"PostToolUse", "post-tool", matcher(tools.After, claudeChanges, tools.Changes)},
	} {
		command := prefix + "hooks claude-code " + h.verb
		there, err := placesOf(text, h.event, h.verb)
		if err != nil {
			return nil, 0, err
		}
		want := [][2]string{{h.matcher, command}}
		if h.matcher == "" {
			want = nil
		}
		if slices.Equal(there, want) {
			continue
		}
		if len(there) > 0 {
			if text, err = c.removeTool(text, h.verb); err != nil {
				return nil, 0, err
			}
		}
		if h.matcher == "" {
			added++ // a removal counts as a change
			continue
		}
		out, did, err := addHook(text, h.event, h.matcher, command, hookEntry(command), hookGroup(h.matcher, command))
		if err != nil {
			return nil, 0, err
		}
		if text = out; did {
			added++
		}
	}
	return text, added, nil
}

// placesOf returns the matchers and commands of our hooks with a verb.
func placesOf(text []byte, event, verb string) ([][2]string, error) {
	root, err := parseSettings(text)
	if err != nil {
		return nil, err
	}
	hooks, _ := root.member("hooks")
	groups, _ := hooks.member(event)
	var out [][2]string
	for _, g := range groups.items {
		for _, command := range commandsOf(text, g.value) {
			if isToolCommand(command, verb) {
				out = append(out, [2]string{matcherOf(text, g.value), command})
			}
		}
	}
	return out, nil
}

func isToolCommand(command, verb string) bool {
	return isOurCommand(command) && strings.HasSuffix(command, " hooks claude-code "+verb)
}

// removeTool removes our hooks with a verb and keeps our other ones.
func (ClaudeCode) removeTool(text []byte, verb string) ([]byte, error) {
	root, err := parseSettings(text)
	if err != nil {
		return nil, err
	}
	e, removed := &eraser{text: text}, 0
	e.items(root, func(i int, it textItem) bool {
		return i == root.index(it.key) && it.key == "hooks" &&
			e.hooks(it.value, func(command string) bool { return isToolCommand(command, verb) }, &removed)
	})
	return e.result(), nil
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
