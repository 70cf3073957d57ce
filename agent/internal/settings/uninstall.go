package settings

import (
	"strings"

	"entire/agent/internal/jsontext"
)

// Remove returns src without what drop removes; nil if the file held nothing else and was not there before.
// drop gets the members of the settings, and reports whether nothing is left of one.
func Remove(src []byte, drop func(e *jsontext.Eraser, key string, v jsontext.TextValue) bool) ([]byte, error) {
	if jsontext.Blank(src) {
		return src, nil
	}
	root, err := Parse(src)
	if err != nil {
		return nil, err
	}
	e := &jsontext.Eraser{Text: src}
	if e.Items(root, func(i int, it jsontext.TextItem) bool { return i == root.Index(it.Key) && drop(e, it.Key, it.Value) }) {
		return withoutObject(src, root), nil
	}
	return e.Result(), nil
}

// withoutObject returns what is left of a file when its one object is removed.
func withoutObject(src []byte, root jsontext.TextValue) []byte {
	if string(src[root.End:]) == BlankEnd {
		return src[:root.Start:root.Start]
	}
	return nil
}

// hooksIn removes our commands from the object of events.
func hooksIn(e *jsontext.Eraser, events jsontext.TextValue, isOurs func(command string) bool, removed *int) bool {
	if events.Open != '{' {
		return false
	}
	ours := func(_ int, entry jsontext.TextItem) bool {
		if !isOurs(commandOf(e.Text, entry)) {
			return false
		}
		*removed++
		return true
	}
	group := func(_ int, g jsontext.TextItem) bool {
		entries, ok := g.Value.Member("hooks")
		return ok && entries.Open == '[' && e.Items(entries, ours)
	}
	return e.Items(events, func(i int, it jsontext.TextItem) bool {
		return i == events.Index(it.Key) && it.Value.Open == '[' && e.Items(it.Value, group)
	})
}

// runsHook reports whether a command runs a hook of this program, either installed or, with
// the given prefix, from its source tree.
func runsHook(command, localDev string) bool {
	for _, prefix := range []string{installedPrefix, localDev} {
		rest, ok := strings.CutPrefix(command, prefix)
		if ok && (strings.HasPrefix(rest, "hooks ") || strings.HasPrefix(rest, "rewind claude-hook ")) {
			return true
		}
	}
	return false
}
