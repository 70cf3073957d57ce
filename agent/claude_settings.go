package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Other tools search the settings for these strings.
const (
	installedPrefix = "entire "
	localDevPrefix  = "go run ${CLAUDE_PROJECT_DIR}/cmd/entire/main.go "
	denyRule        = "Read(./.entire/metadata/**)"
)

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
func (c ClaudeCode) Install(src []byte, opts InstallOptions) ([]byte, int, error) {
	text := src
	if opts.Force {
		var err error
		if text, _, err = c.Uninstall(src); err != nil {
			return nil, 0, err
		}
	}
	prefix := installedPrefix
	if opts.LocalDev {
		prefix = localDevPrefix
	}
	if blank(text) {
		return c.installTools(newClaudeSettings(text, prefix), prefix, opts.Tools, len(claudeHooks))
	}
	added := 0
	for _, h := range claudeHooks {
		command := prefix + "hooks claude-code " + h.verb
		out, did, err := addHook(text, h.event, h.matcher, command, hookEntry(command), hookGroup(h.matcher, command))
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

// blankEnd ends settings that were written into a file with only white space; it tells
// Uninstall to keep the file.
const blankEnd = "\n\n"

// newClaudeSettings returns the settings for a src that is nil or only white space.
func newClaudeSettings(src []byte, prefix string) []byte {
	var events []render
	var groups []render
	for i, h := range claudeHooks {
		groups = append(groups, hookGroup(h.matcher, prefix+"hooks claude-code "+h.verb))
		if i+1 == len(claudeHooks) || claudeHooks[i+1].event != h.event {
			events = append(events, field(h.event, array(groups...)))
			groups = nil
		}
	}
	doc := object(
		field("hooks", object(events...)),
		field("permissions", object(field("deny", array(quoted(denyRule))))),
	)(defaultStyle, "")
	if src == nil {
		return []byte(doc + "\n")
	}
	return []byte(string(src) + doc + blankEnd)
}

func hookGroup(matcher, command string) render {
	return object(field("matcher", quoted(matcher)), field("hooks", array(hookEntry(command))))
}

func hookEntry(command string) render {
	return object(field("type", quoted("command")), field("command", quoted(command)))
}

// parseSettings parses settings, which must be one JSON object.
func parseSettings(text []byte) (textValue, error) {
	bom := len(text) - len(bytes.TrimPrefix(text, []byte("\ufeff")))
	if !json.Valid(text[bom:]) {
		return textValue{}, errors.New("settings are not valid JSON (comments are not supported)")
	}
	root := parseText(text, bom)
	if root.open != '{' {
		return textValue{}, errors.New("settings are not a JSON object")
	}
	return root, nil
}

// container returns the member of v under key. A present member must begin with open.
func container(v textValue, key string, open byte) (textValue, bool, error) {
	c, ok := v.member(key)
	if ok && c.open != open {
		return c, ok, fmt.Errorf("settings: %s is not %s", key, kindNames[open])
	}
	return c, ok, nil
}

var kindNames = map[byte]string{'{': "an object", '[': "an array"}

// addHook adds one command, unless the event has it under that matcher: it adds the entry
// to a group with the matcher or, if there is none, a group.
func addHook(text []byte, event, matcher, command string, entry, group render) ([]byte, bool, error) {
	root, err := parseSettings(text)
	if err != nil {
		return nil, false, err
	}
	s := styleOf(text, root)
	hooks, ok, err := container(root, "hooks", '{')
	if err != nil {
		return nil, false, err
	}
	if !ok {
		return insert(text, s, root, field("hooks", object(field(event, array(group))))), true, nil
	}
	groups, ok, err := container(hooks, event, '[')
	if err != nil {
		return nil, false, err
	}
	if !ok {
		return insert(text, s, hooks, field(event, array(group))), true, nil
	}
	if hasCommand(text, groups, matcher, command) {
		return text, false, nil
	}
	if entries, ok := entriesFor(text, groups, matcher); ok {
		return insert(text, s, entries, entry), true, nil
	}
	return insert(text, s, groups, group), true, nil
}

// entriesFor returns the list of entries of the first group with that matcher.
func entriesFor(text []byte, groups textValue, matcher string) (textValue, bool) {
	for _, g := range groups.items {
		entries, ok := g.value.member("hooks")
		if ok && entries.open == '[' && matcherOf(text, g.value) == matcher {
			return entries, true
		}
	}
	return textValue{}, false
}

// matcherOf returns the matcher of a group. An absent one matches everything, like "".
func matcherOf(text []byte, group textValue) string {
	m, _ := group.member("matcher")
	return m.str(text)
}

// hasCommand reports whether the command is under the matcher or, for a matcher that
// matches everything, under any matcher.
func hasCommand(text []byte, groups textValue, matcher, command string) bool {
	for _, g := range groups.items {
		if matcher != "" && matcherOf(text, g.value) != matcher {
			continue
		}
		for _, c := range commandsOf(text, g.value) {
			if c == command {
				return true
			}
		}
	}
	return false
}

func commandsOf(text []byte, group textValue) []string {
	entries, _ := group.member("hooks")
	var out []string
	for _, e := range entries.items {
		out = append(out, commandOf(text, e))
	}
	return out
}

func commandOf(text []byte, entry textItem) string {
	c, _ := entry.value.member("command")
	return c.str(text)
}

func addDenyRule(text []byte) ([]byte, error) {
	root, err := parseSettings(text)
	if err != nil {
		return nil, err
	}
	s := styleOf(text, root)
	permissions, ok, err := container(root, "permissions", '{')
	if err != nil {
		return nil, err
	}
	deny := field("deny", array(quoted(denyRule)))
	if !ok {
		return insert(text, s, root, field("permissions", object(deny))), nil
	}
	rules, ok, err := container(permissions, "deny", '[')
	if err != nil {
		return nil, err
	}
	if !ok {
		return insert(text, s, permissions, deny), nil
	}
	for _, r := range rules.items {
		if r.value.str(text) == denyRule {
			return text, nil
		}
	}
	return insert(text, s, rules, quoted(denyRule)), nil
}
