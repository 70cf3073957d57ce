package claude

import (
	"strings"

	"entire/agent/internal/jsontext"
	"entire/agent/internal/settings"
)

// Uninstall implements Agent: it removes our commands and the deny rule, with the groups
// and keys that held nothing else, unless they were there, empty, before Install. It
// counts the commands.
func (Adapter) Uninstall(_ string, src []byte) ([]byte, int, error) {
	if jsontext.Blank(src) {
		return src, 0, nil
	}
	root, err := settings.Parse(src)
	if err != nil {
		return nil, 0, err
	}
	e := &jsontext.Eraser{Text: src}
	removed := 0
	emptied := e.Items(root, func(i int, it jsontext.TextItem) bool {
		switch {
		case i != root.Index(it.Key):
			return false
		case it.Key == "hooks":
			return settings.Hooks(e, it.Value, isOurCommand, &removed)
		case it.Key == "permissions":
			return rules(e, it.Value)
		}
		return false
	})
	if !emptied {
		return e.Result(), removed, nil
	}
	if string(src[root.End:]) == settings.BlankEnd {
		return src[:root.Start:root.Start], removed, nil
	}
	return nil, removed, nil
}

// rules removes our rule from the permissions.
func rules(e *jsontext.Eraser, permissions jsontext.TextValue) bool {
	return e.Items(permissions, func(i int, it jsontext.TextItem) bool {
		return i == permissions.Index("deny") && it.Value.Open == '[' &&
			e.Items(it.Value, func(_ int, rule jsontext.TextItem) bool {
				return rule.Value.Str(e.Text) == denyRule
			})
	})
}

// isOurCommand reports whether a command is a hook of this program, of any version, and
// not another use of it.
func isOurCommand(command string) bool { return settings.RunsHook(command, localDevPrefix) }

// Installed implements Agent: it searches for the command at the end of a turn, in its
// present form or that of older versions.
func (Adapter) Installed(src []byte) bool {
	if jsontext.Blank(src) {
		return false
	}
	root, err := settings.Parse(src)
	if err != nil {
		return false
	}
	hooks, _ := root.Member("hooks")
	groups, _ := hooks.Member("Stop")
	for _, g := range groups.Items {
		for _, c := range settings.CommandsOf(src, g.Value) {
			if isStopCommand(c) {
				return true
			}
		}
	}
	return false
}

func isStopCommand(command string) bool {
	if !isOurCommand(command) {
		return false
	}
	for _, ending := range []string{" hooks claude-code stop", " hooks claudecode stop", " rewind claude-hook --stop"} {
		if strings.HasSuffix(command, ending) {
			return true
		}
	}
	return false
}
