package claude

import (
	"entire/agent"
	"entire/agent/internal/jsontext"
	"entire/agent/internal/settings"
)

const denyRule = "Read(./.entire/metadata/**)"

// Install implements Agent. It also denies Claude Code to read stored sessions. Every
// other byte of src stays as it is. It returns an error for settings that are not strict
// JSON, or whose hooks are not where Claude Code reads them.
func (a Adapter) Install(path string, src []byte, opts agent.InstallOptions) ([]byte, int, error) {
	text := src
	if opts.Force {
		var err error
		if text, _, err = a.Uninstall(path, src); err != nil {
			return nil, 0, err
		}
		opts.Force = false
	}
	text, added, err := a.Hooks.Install(text, opts)
	if err != nil {
		return nil, 0, err
	}
	if text, err = addDenyRule(text); err != nil {
		return nil, 0, err
	}
	text, changes, err := a.Hooks.InstallTools(text, opts,
		settings.Hook{Event: "PreToolUse", Verb: "pre-tool", Guard: settings.OnlyWith, Matcher: settings.Matcher(opts.Tools.Before, []string{"Bash"}, opts.Tools.Shell)},
		settings.Hook{Event: "PostToolUse", Verb: "post-tool", Matcher: settings.Matcher(opts.Tools.After, []string{"Bash", "Edit", "MultiEdit", "NotebookEdit", "Write"}, opts.Tools.Changes)})
	return text, added + changes, err
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

// Uninstall implements Agent: it removes our commands and the deny rule, with the groups
// and keys that held nothing else, unless they were there, empty, before Install. It
// counts the commands.
func (a Adapter) Uninstall(_ string, src []byte) ([]byte, int, error) {
	return a.Hooks.Remove(src, func(e *jsontext.Eraser, key string, permissions jsontext.TextValue) bool {
		return key == "permissions" && e.Items(permissions, func(i int, it jsontext.TextItem) bool {
			return i == permissions.Index("deny") && it.Value.Open == '[' &&
				e.Items(it.Value, func(_ int, rule jsontext.TextItem) bool {
					return rule.Value.Str(e.Text) == denyRule
				})
		})
	})
}
