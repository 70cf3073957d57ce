package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"entire/agent/internal/jsontext"
)

// Other tools search the settings for these strings.

const installedPrefix = "entire "

// BlankEnd ends settings that were written into a file with only white space; it tells
// Uninstall to keep the file.
const BlankEnd = "\n\n"

// Parse parses settings, which must be one JSON object.
func Parse(text []byte) (jsontext.TextValue, error) {
	bom := len(text) - len(bytes.TrimPrefix(text, []byte("\ufeff")))
	if !json.Valid(text[bom:]) {
		return jsontext.TextValue{}, errors.New("settings are not valid JSON (comments are not supported)")
	}
	root := jsontext.ParseText(text, bom)
	if root.Open != '{' {
		return jsontext.TextValue{}, errors.New("settings are not a JSON object")
	}
	return root, nil
}

// Container returns the member of v under key. A present member must begin with open.
func Container(v jsontext.TextValue, key string, open byte) (jsontext.TextValue, bool, error) {
	c, ok := v.Member(key)
	if ok && c.Open != open {
		return c, ok, fmt.Errorf("settings: %s is not %s", key, kindNames[open])
	}
	return c, ok, nil
}

var kindNames = map[byte]string{'{': "an object", '[': "an array"}

// entriesFor returns the list of entries of the first group with that matcher.
func entriesFor(text []byte, groups jsontext.TextValue, matcher string) (jsontext.TextValue, bool) {
	for _, g := range groups.Items {
		entries, ok := g.Value.Member("hooks")
		if ok && entries.Open == '[' && matcherOf(text, g.Value) == matcher {
			return entries, true
		}
	}
	return jsontext.TextValue{}, false
}

// matcherOf returns the matcher of a group. An absent one matches everything, like "".
func matcherOf(text []byte, group jsontext.TextValue) string {
	m, _ := group.Member("matcher")
	return m.Str(text)
}

// hasCommand reports whether the command is under the matcher or, for a matcher that
// matches everything, under any matcher.
func hasCommand(text []byte, groups jsontext.TextValue, matcher, command string) bool {
	for _, g := range groups.Items {
		if matcher != "" && matcherOf(text, g.Value) != matcher {
			continue
		}
		if slices.Contains(commandsOf(text, g.Value), command) {
			return true
		}
	}
	return false
}

func commandsOf(text []byte, group jsontext.TextValue) []string {
	entries, _ := group.Member("hooks")
	var out []string
	for _, e := range entries.Items {
		out = append(out, commandOf(text, e))
	}
	return out
}

func commandOf(text []byte, entry jsontext.TextItem) string {
	c, _ := entry.Value.Member("command")
	return c.Str(text)
}
