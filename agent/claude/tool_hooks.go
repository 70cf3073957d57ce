package claude

import (
	"slices"
	"strings"

	"entire/agent"
	"entire/agent/internal/jsontext"
	"entire/agent/internal/settings"
)

// Claude Code's own tools.
var (
	claudeShell   = []string{"Bash"}
	claudeChanges = []string{"Bash", "Edit", "MultiEdit", "NotebookEdit", "Write"}
)

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
func (c Adapter) installTools(text []byte, prefix string, tools agent.ToolHooks, added int) ([]byte, int, error) {
	for _, h := range []struct{ event, verb, matcher string }{
		{"PreToolUse", "pre-tool", matcher(tools.Before, claudeShell, tools.Shell)},
		{"PostToolUse", "post-tool", matcher(tools.After, claudeChanges, tools.Changes)},
	} {
		command := prefix + "hooks claude-code " + h.verb
		there, err := PlacesOf(text, h.event, h.verb)
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
		out, did, err := settings.AddHook(text, h.event, h.matcher, command, hookEntry(command), hookGroup(h.matcher, command))
		if err != nil {
			return nil, 0, err
		}
		if text = out; did {
			added++
		}
	}
	return text, added, nil
}

// PlacesOf returns the matchers and commands of our hooks with a verb.
func PlacesOf(text []byte, event, verb string) ([][2]string, error) {
	root, err := settings.Parse(text)
	if err != nil {
		return nil, err
	}
	hooks, _ := root.Member("hooks")
	groups, _ := hooks.Member(event)
	var out [][2]string
	for _, g := range groups.Items {
		for _, command := range settings.CommandsOf(text, g.Value) {
			if isToolCommand(command, verb) {
				out = append(out, [2]string{settings.MatcherOf(text, g.Value), command})
			}
		}
	}
	return out, nil
}

func isToolCommand(command, verb string) bool {
	return isOurCommand(command) && strings.HasSuffix(command, " hooks claude-code "+verb)
}

// removeTool removes our hooks with a verb and keeps our other ones.
func (Adapter) removeTool(text []byte, verb string) ([]byte, error) {
	root, err := settings.Parse(text)
	if err != nil {
		return nil, err
	}
	e, removed := &jsontext.Eraser{Text: text}, 0
	e.Items(root, func(i int, it jsontext.TextItem) bool {
		return i == root.Index(it.Key) && it.Key == "hooks" &&
			settings.Hooks(e, it.Value, func(command string) bool { return isToolCommand(command, verb) }, &removed)
	})
	return e.Result(), nil
}
