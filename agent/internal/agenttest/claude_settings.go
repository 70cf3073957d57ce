package agenttest

import (
	"strings"

	"pgregory.net/rapid"

	"entire/agent/claude"
)

// Claude returns the adapter for Claude Code.
func Claude() claude.Adapter { return claude.New() }

// Fataler is what testing and rapid have in common.
type Fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

type JsonGen struct {
	T      *rapid.T
	Spaces []string
}

func (g JsonGen) Space() string { return rapid.SampledFrom(g.Spaces).Draw(g.T, "space") }

func (g JsonGen) Text() string {
	return rapid.SampledFrom([]string{`"x"`, `""`, `"\"}\\"`, `"entire status"`, `"Read(.env)"`, "null", "[]", "{}", "1.5e3"}).Draw(g.T, "text")
}

func (g JsonGen) List(open, end string, n int, item func() string) string {
	if n == 0 {
		return open + g.Space() + end
	}
	parts := make([]string, n)
	for i := range parts {
		parts[i] = g.Space() + item() + g.Space()
	}
	return open + strings.Join(parts, ",") + end
}

func (g JsonGen) Array(item func() string) string {
	return g.List("[", "]", rapid.IntRange(0, 3).Draw(g.T, "n"), item)
}

// Object has some of the members, in any order and some more than once.
func (g JsonGen) Object(members map[string]func() string) string {
	var keys []string
	for _, k := range []string{"model", "hooks", "hooksConfig", "enabled", "permissions", "allow", "deny", "Stop", "PostToolUse", "SessionStart", "Other", "matcher", "type", "command", "timeout"} {
		if members[k] != nil {
			keys = append(keys, k)
		}
	}
	return g.List("{", "}", rapid.IntRange(0, 4).Draw(g.T, "n"), func() string {
		k := rapid.SampledFrom(keys).Draw(g.T, "key")
		return `"` + k + `"` + g.Space() + ":" + g.Space() + members[k]()
	})
}

func (g JsonGen) Rules() string { return g.Array(g.Text) }

func (g JsonGen) Events() map[string]func() string {
	matcher := func() string { return rapid.SampledFrom([]string{`""`, `"Task"`, `"Bash"`}).Draw(g.T, "matcher") }
	entry := func() string {
		return g.Object(map[string]func() string{"type": g.Text, "command": g.Text, "timeout": g.Text})
	}
	group := func() string {
		return g.Object(map[string]func() string{"matcher": matcher, "hooks": func() string { return g.Array(entry) }})
	}
	event := func() string { return g.Array(group) }
	return map[string]func() string{"Stop": event, "PostToolUse": event, "SessionStart": event, "Other": event}
}
