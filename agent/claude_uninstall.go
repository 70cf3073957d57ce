package agent

import (
	"strings"
)

// Uninstall implements Agent: it removes our commands and the deny rule, with the groups
// and keys that held nothing else, unless they were there, empty, before Install. It
// counts the commands.
func (ClaudeCode) Uninstall(src []byte) ([]byte, int, error) {
	if blank(src) {
		return src, 0, nil
	}
	root, err := parseSettings(src)
	if err != nil {
		return nil, 0, err
	}
	e := &eraser{text: src}
	removed := 0
	emptied := e.items(root, func(i int, it textItem) bool {
		switch {
		case i != root.index(it.key):
			return false
		case it.key == "hooks":
			return e.hooks(it.value, isOurCommand, &removed)
		case it.key == "permissions":
			return e.rules(it.value)
		}
		return false
	})
	if !emptied {
		return e.result(), removed, nil
	}
	if string(src[root.end:]) == blankEnd {
		return src[:root.start:root.start], removed, nil
	}
	return nil, removed, nil
}

// hooks removes our commands from the object of events.
func (e *eraser) hooks(events textValue, isOurs func(command string) bool, removed *int) bool {
	if events.open != '{' {
		return false
	}
	ours := func(_ int, entry textItem) bool {
		if !isOurs(commandOf(e.text, entry)) {
			return false
		}
		*removed++
		return true
	}
	group := func(_ int, g textItem) bool {
		entries, ok := g.value.member("hooks")
		return ok && entries.open == '[' && e.items(entries, ours)
	}
	return e.items(events, func(i int, it textItem) bool {
		return i == events.index(it.key) && it.value.open == '[' && e.items(it.value, group)
	})
}

// rules removes our rule from the permissions.
func (e *eraser) rules(permissions textValue) bool {
	return e.items(permissions, func(i int, it textItem) bool {
		return i == permissions.index("deny") && it.value.open == '[' &&
			e.items(it.value, func(_ int, rule textItem) bool {
				return rule.value.str(e.text) == denyRule
			})
	})
}

// isOurCommand reports whether a command is a hook of this program, of any version, and
// not another use of it.
func isOurCommand(command string) bool { return calls(command, localDevPrefix) }

// calls reports whether a command runs a hook of this program, either installed or, with
// the given prefix, from its source tree.
func calls(command, localDev string) bool {
	for _, prefix := range []string{installedPrefix, localDev} {
		rest, ok := strings.CutPrefix(command, prefix)
		if ok && (strings.HasPrefix(rest, "hooks ") || strings.HasPrefix(rest, "rewind claude-hook ")) {
			return true
		}
	}
	return false
}

// Installed implements Agent: it searches for the command at the end of a turn, in its
// present form or that of older versions.
func (ClaudeCode) Installed(src []byte) bool {
	if blank(src) {
		return false
	}
	root, err := parseSettings(src)
	if err != nil {
		return false
	}
	hooks, _ := root.member("hooks")
	groups, _ := hooks.member("Stop")
	for _, g := range groups.items {
		for _, c := range commandsOf(src, g.value) {
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
