package claude

import (
	"entire/agent"
	"entire/agent/internal/jsontext"
	"entire/agent/internal/settings"
)

const localDevPrefix = "go run ${CLAUDE_PROJECT_DIR}/cmd/entire/main.go "

const denyRule = "Read(./.entire/metadata/**)"

// claudeHooks are the entries of .claude/settings.json, in the order in which they are
// written.
var claudeHooks = []struct{ event, matcher, verb string }{
	{"SessionStart", "", "session-start"},
	{"SessionEnd", "", "session-end"},
	{"UserPromptSubmit", "", "user-prompt-submit"},
	{"Stop", "", "stop"},
	{"PreToolUse", "Task", "pre-task"},
	{"PostToolUse", "Task", "post-task"},
	{"PostToolUse", "TodoWrite", "post-todo"},
	{"SubagentStart", "", "subagent-start"},
	{"SubagentStop", "", "subagent-stop"},
}

// Install implements Agent. It also denies Claude Code to read stored sessions. Every
// other byte of src stays as it is. It returns an error for settings that are not strict
// JSON, or whose hooks are not where Claude Code reads them.
func (c Adapter) Install(path string, src []byte, opts agent.InstallOptions) ([]byte, int, error) {
	text := src
	if opts.Force {
		var err error
		if text, _, err = c.Uninstall(path, src); err != nil {
			return nil, 0, err
		}
	}
	prefix := settings.InstalledPrefix
	if opts.LocalDev {
		prefix = localDevPrefix
	}
	if jsontext.Blank(text) {
		return c.installTools(newClaudeSettings(text, prefix), prefix, opts.Tools, len(claudeHooks))
	}
	added := 0
	for _, h := range claudeHooks {
		command := prefix + "hooks claude-code " + h.verb
		out, did, err := settings.AddHook(text, h.event, h.matcher, command, hookEntry(command), hookGroup(h.matcher, command))
		if err != nil {
			return nil, 0, err
		}
		if text = out; did {
			added++
		}
	}
	text, err := addDenyRule(text)
	if err != nil {
		return nil, 0, err
	}
	return c.installTools(text, prefix, opts.Tools, added)
}

// newClaudeSettings returns the settings for a src that is nil or only white space.
func newClaudeSettings(src []byte, prefix string) []byte {
	var events []jsontext.Render
	var groups []jsontext.Render
	for i, h := range claudeHooks {
		groups = append(groups, hookGroup(h.matcher, prefix+"hooks claude-code "+h.verb))
		if i+1 == len(claudeHooks) || claudeHooks[i+1].event != h.event {
			events = append(events, jsontext.Field(h.event, jsontext.Array(groups...)))
			groups = nil
		}
	}
	doc := jsontext.Object(
		jsontext.Field("hooks", jsontext.Object(events...)),
		jsontext.Field("permissions", jsontext.Object(jsontext.Field("deny", jsontext.Array(jsontext.Quoted(denyRule))))),
	)(jsontext.DefaultStyle, "")
	if src == nil {
		return []byte(doc + "\n")
	}
	return []byte(string(src) + doc + settings.BlankEnd)
}

func hookGroup(matcher, command string) jsontext.Render {
	return jsontext.Object(jsontext.Field("matcher", jsontext.Quoted(matcher)), jsontext.Field("hooks", jsontext.Array(hookEntry(command))))
}

func hookEntry(command string) jsontext.Render {
	return jsontext.Object(jsontext.Field("type", jsontext.Quoted("command")), jsontext.Field("command", jsontext.Quoted(command)))
}

func addDenyRule(text []byte) ([]byte, error) {
	root, err := settings.Parse(text)
	if err != nil {
		return nil, err
	}
	s := jsontext.StyleOf(text, root)
	permissions, ok, err := settings.Container(root, "permissions", '{')
	if err != nil {
		return nil, err
	}
	deny := jsontext.Field("deny", jsontext.Array(jsontext.Quoted(denyRule)))
	if !ok {
		return jsontext.Insert(text, s, root, jsontext.Field("permissions", jsontext.Object(deny))), nil
	}
	rules, ok, err := settings.Container(permissions, "deny", '[')
	if err != nil {
		return nil, err
	}
	if !ok {
		return jsontext.Insert(text, s, permissions, deny), nil
	}
	for _, r := range rules.Items {
		if r.Value.Str(text) == denyRule {
			return text, nil
		}
	}
	return jsontext.Insert(text, s, rules, jsontext.Quoted(denyRule)), nil
}
