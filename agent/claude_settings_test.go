package agent

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var claude ClaudeCode

const freshSettings = `{
  "hooks": {
    "SessionStart": [
      {
        "matcher": "",
        "hooks": [
          {
            "type": "command",
            "command": "entire hooks claude-code session-start"
          }
        ]
      }
    ],
    "SessionEnd": [
      {
        "matcher": "",
        "hooks": [
          {
            "type": "command",
            "command": "entire hooks claude-code session-end"
          }
        ]
      }
    ],
    "UserPromptSubmit": [
      {
        "matcher": "",
        "hooks": [
          {
            "type": "command",
            "command": "entire hooks claude-code user-prompt-submit"
          }
        ]
      }
    ],
    "Stop": [
      {
        "matcher": "",
        "hooks": [
          {
            "type": "command",
            "command": "entire hooks claude-code stop"
          }
        ]
      }
    ],
    "PreToolUse": [
      {
        "matcher": "Task",
        "hooks": [
          {
            "type": "command",
            "command": "entire hooks claude-code pre-task"
          }
        ]
      }
    ],
    "PostToolUse": [
      {
        "matcher": "Task",
        "hooks": [
          {
            "type": "command",
            "command": "entire hooks claude-code post-task"
          }
        ]
      },
      {
        "matcher": "TodoWrite",
        "hooks": [
          {
            "type": "command",
            "command": "entire hooks claude-code post-todo"
          }
        ]
      }
    ],
    "SubagentStart": [
      {
        "matcher": "",
        "hooks": [
          {
            "type": "command",
            "command": "entire hooks claude-code subagent-start"
          }
        ]
      }
    ],
    "SubagentStop": [
      {
        "matcher": "",
        "hooks": [
          {
            "type": "command",
            "command": "entire hooks claude-code subagent-stop"
          }
        ]
      }
    ]
  },
  "permissions": {
    "deny": [
      "Read(./.entire/metadata/**)"
    ]
  }
}
`

func TestInstallWritesNineHooks(t *testing.T) {
	t.Parallel()
	out, added, err := claude.Install(nil, InstallOptions{})
	if err != nil || added != 9 || string(out) != freshSettings {
		t.Fatalf("added %d, err %v, got:\n%s", added, err, out)
	}
	// An existing empty object takes the slow way to the same settings.
	other, added, err := claude.Install([]byte("{}\n"), InstallOptions{})
	if err != nil || added != 9 || strings.Replace(string(other), "{ \n", "{\n", 1) != freshSettings {
		t.Fatalf("into {}: added %d, err %v, got:\n%s", added, err, other)
	}
	local, _, err := claude.Install(nil, InstallOptions{LocalDev: true})
	want := strings.ReplaceAll(freshSettings, `"entire hooks`, `"go run ${CLAUDE_PROJECT_DIR}/cmd/entire/main.go hooks`)
	if err != nil || string(local) != want {
		t.Fatalf("local_dev: err %v, got:\n%s", err, local)
	}
}

// TestInstallRoundTrip has a row for each layout that could lose a byte.
func TestInstallRoundTrip(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"empty object":            `{}`,
		"empty object, space":     "{ \n }",
		"empty file":              "",
		"blank file":              " \n\t",
		"one line":                `{"model":"opus","hooks":{},"permissions":{}}`,
		"one line, spaced":        `{"model": "opus", "env": {"A": "1"}}`,
		"empty containers":        "{\n  \"hooks\": {},\n  \"permissions\": { }\n}\n",
		"empty event":             "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n",
		"empty group":             `{"hooks":{"Stop":[{"hooks":[]}]}}`,
		"empty deny":              "{\"permissions\":{\"deny\":[ \n ]}}",
		"empty deny, newline":     "{\"permissions\":{\"deny\":[\n]},\n\"x\":1}",
		"crlf":                    "{\r\n  \"a\": 1,\r\n  \"hooks\": {}\r\n}\r\n",
		"crlf, first of all":      "{\r\n}",
		"tabs":                    "{\n\t\"a\": 1,\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t]\n\t}\n}",
		"four spaces, no newline": "{\n    \"a\": 1\n}",
		"no indentation":          "{\n\"a\": 1\n}",
		"bom":                     "\ufeff{\"a\":1}\n",
		"bom, empty":              "\ufeff{}",
		"space around":            "\n\n  {\"a\":1}  \n\n",
		"repeated keys":           `{"hooks":{"Stop":[]},"hooks":{"Stop":[],"Stop":[]},"permissions":1,"permissions":{}}`,
		"space before commas":     "{\"a\" : 1 , \"permissions\" : {\"deny\" : [\"x\" , \"y\" ] }\n}",
		"foreign entries": `{
  "hooks": {
    "Stop": [
      {"matcher": "", "hooks": [{"type": "command", "command": "say done", "timeout": 5}], "x": null}
    ],
    "PostToolUse": [{"matcher": "Task", "hooks": [{"type": "command", "command": "entire status"}]}]
  },
  "permissions": {"allow": ["Bash(ls)"], "deny": ["Read(.env)"]}
}
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			roundTrip(t, []byte(src))
		})
	}
	t.Run("absent", func(t *testing.T) { t.Parallel(); roundTrip(t, nil) })
}

// fataler is what testing and rapid have in common.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// roundTrip checks everything that must hold of settings without our entries.
func roundTrip(t fataler, src []byte) {
	t.Helper()
	if claude.Installed(src) {
		t.Fatalf("installed before installing: %q", src)
	}
	out, added, err := claude.Install(src, InstallOptions{})
	if err != nil || added != 9 {
		t.Fatalf("install into %q: added %d, err %v", src, added, err)
	}
	if !json.Valid(bytes.TrimPrefix(out, []byte("\ufeff"))) || !claude.Installed(out) {
		t.Fatalf("install into %q gave %q", src, out)
	}
	for _, opts := range []InstallOptions{{}, {Force: true}} {
		again, _, err := claude.Install(out, opts)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("install again %+v: err %v\nonce:  %q\ntwice: %q", opts, err, out, again)
		}
	}
	both, _, err := claude.Install(out, InstallOptions{LocalDev: true})
	if err != nil {
		t.Fatalf("install for local development: %v", err)
	}
	for _, installed := range [][]byte{out, both} {
		back, removed, err := claude.Uninstall(installed)
		if err != nil || removed == 0 || !bytes.Equal(back, src) || (back == nil) != (src == nil) {
			t.Fatalf("err %v, removed %d\nbefore: %q\nwith:   %q\nafter:  %q", err, removed, src, installed, back)
		}
	}
}

func TestInstallRoundTripOfAnySettings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { roundTrip(t, settingsGen(t)) })
}

// settingsGen draws settings that Claude Code could read, in any layout.
func settingsGen(t *rapid.T) []byte {
	newline := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
	g := jsonGen{t, []string{"", "", "", " ", "  ", "\t", newline, newline + "  ", newline + "\t\t", " " + newline + "  ", newline + newline}}
	root := g.object(map[string]func() string{
		"model":       g.text,
		"hooks":       func() string { return g.object(g.events()) },
		"permissions": func() string { return g.object(map[string]func() string{"allow": g.rules, "deny": g.rules}) },
	})
	bom := rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "bom")
	return []byte(bom + g.space() + root + g.space())
}

type jsonGen struct {
	t      *rapid.T
	spaces []string
}

func (g jsonGen) space() string { return rapid.SampledFrom(g.spaces).Draw(g.t, "space") }

func (g jsonGen) text() string {
	return rapid.SampledFrom([]string{`"x"`, `""`, `"\"}\\"`, `"entire status"`, `"Read(.env)"`, "null", "[]", "{}", "1.5e3"}).Draw(g.t, "text")
}

func (g jsonGen) list(open, end string, n int, item func() string) string {
	if n == 0 {
		return open + g.space() + end
	}
	parts := make([]string, n)
	for i := range parts {
		parts[i] = g.space() + item() + g.space()
	}
	return open + strings.Join(parts, ",") + end
}

func (g jsonGen) array(item func() string) string {
	return g.list("[", "]", rapid.IntRange(0, 3).Draw(g.t, "n"), item)
}

// object has some of the members, in any order and some more than once.
func (g jsonGen) object(members map[string]func() string) string {
	var keys []string
	for _, k := range []string{"model", "hooks", "hooksConfig", "enabled", "permissions", "allow", "deny", "Stop", "PostToolUse", "SessionStart", "Other", "matcher", "type", "command", "timeout"} {
		if members[k] != nil {
			keys = append(keys, k)
		}
	}
	return g.list("{", "}", rapid.IntRange(0, 4).Draw(g.t, "n"), func() string {
		k := rapid.SampledFrom(keys).Draw(g.t, "key")
		return `"` + k + `"` + g.space() + ":" + g.space() + members[k]()
	})
}

func (g jsonGen) rules() string { return g.array(g.text) }

func (g jsonGen) events() map[string]func() string {
	matcher := func() string { return rapid.SampledFrom([]string{`""`, `"Task"`, `"Bash"`}).Draw(g.t, "matcher") }
	entry := func() string {
		return g.object(map[string]func() string{"type": g.text, "command": g.text, "timeout": g.text})
	}
	group := func() string {
		return g.object(map[string]func() string{"matcher": matcher, "hooks": func() string { return g.array(entry) }})
	}
	event := func() string { return g.array(group) }
	return map[string]func() string{"Stop": event, "PostToolUse": event, "SessionStart": event, "Other": event}
}

func FuzzInstall(f *testing.F) {
	for _, s := range []string{"", "{}", freshSettings, `{"hooks":{"Stop":[]}}`, "\ufeff{ }", "{\r\n\t\"permissions\": {\"deny\":[ ]}}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		out, _, err := claude.Install(src, InstallOptions{})
		if err != nil {
			return
		}
		if !claude.Installed(out) {
			t.Fatalf("not installed: %q", out)
		}
		// What is ours already, perhaps written with escapes, does not come back.
		if !bytes.Contains(src, []byte("entire")) && !bytes.Contains(src, []byte(`\u`)) {
			roundTrip(t, append([]byte{}, src...))
		}
	})
}

func TestInstallRefuses(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"comment":      "{\n  // mine\n  \"a\": 1\n}",
		"torn":         `{"a": `,
		"array":        `[]`,
		"null":         `null`,
		"hooks list":   `{"hooks":[]}`,
		"event object": `{"hooks":{"Stop":{}}}`,
		"deny string":  `{"permissions":{"deny":"x"}}`,
		"trailing":     `{} {}`,
		"form feed":    "\f",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, force := range []bool{false, true} {
				if out, _, err := claude.Install([]byte(src), InstallOptions{Force: force}); err == nil {
					t.Fatalf("force %v: got %q", force, out)
				}
			}
		})
	}
}

func TestForceReplacesOnlyOurHooks(t *testing.T) {
	t.Parallel()
	src := `{"hooks":{"Stop":[{"hooks":[
  {"type":"command","command":"entire hooks claude-code stop","timeout":9},
  {"type":"command","command":"entire status","timeout":9},
  {"type":"command","command":"go run ${CLAUDE_PROJECT_DIR}/cmd/entire/main.go hooks claude-code stop"},
  {"type":"command","command":"entire rewind claude-hook --stop"}]}]}}`
	out, added, err := claude.Install([]byte(src), InstallOptions{Force: true})
	if err != nil || added != 9 {
		t.Fatalf("added %d, err %v", added, err)
	}
	text := string(out)
	if !strings.Contains(text, `{"type":"command","command":"entire status","timeout":9}`) {
		t.Errorf("a foreign entry is gone: %s", text)
	}
	for _, gone := range []string{"go run", "claude-hook", `stop","timeout"`} {
		if strings.Contains(text, gone) {
			t.Errorf("%q is still there: %s", gone, text)
		}
	}
	if n := strings.Count(text, "entire hooks claude-code stop"); n != 1 {
		t.Errorf("stop hook stands %d times: %s", n, text)
	}
}

// TestInstallBringsOlderHooksUpToDate: of before Claude Code told of subagents.
func TestInstallBringsOlderHooksUpToDate(t *testing.T) {
	t.Parallel()
	at := strings.Index(freshSettings, ",\n    \"SubagentStart\"")
	older := freshSettings[:at] + freshSettings[strings.Index(freshSettings, "\n  },\n  \"permissions\""):]
	out, added, err := claude.Install([]byte(older), InstallOptions{})
	if err != nil || added != 2 || string(out) != freshSettings {
		t.Fatalf("added %d, err %v, got:\n%s", added, err, out)
	}
}

func TestInstallAddsOnlyWhatIsMissing(t *testing.T) {
	t.Parallel()
	src := strings.Replace(freshSettings, `"command": "entire hooks claude-code stop"`, `"command": "make done"`, 1)
	out, added, err := claude.Install([]byte(src), InstallOptions{})
	if err != nil || added != 1 {
		t.Fatalf("added %d, err %v", added, err)
	}
	back := strings.Replace(string(out), `,
          {
            "type": "command",
            "command": "entire hooks claude-code stop"
          }`, "", 1)
	if back != src {
		t.Fatalf("more than one entry changed:\n%s", out)
	}
}

func TestInstalledKnowsOlderForms(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"entire hooks claude-code stop":                                             true,
		"entire hooks claudecode stop":                                              true,
		"entire rewind claude-hook --stop":                                          true,
		"go run ${CLAUDE_PROJECT_DIR}/cmd/entire/main.go hooks claude-code stop":    true,
		"go run ${CLAUDE_PROJECT_DIR}/cmd/entire/main.go rewind claude-hook --stop": true,
		"entire hooks claude-code session-start":                                    false,
		"other hooks claude-code stop":                                              false,
		"entire status":                                                             false,
	} {
		src, err := json.Marshal(map[string]any{"hooks": map[string]any{"Stop": []any{map[string]any{"hooks": []any{map[string]any{"command": command}}}}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := claude.Installed(src); got != want {
			t.Errorf("%s: installed is %v", command, got)
		}
		out, _, err := claude.Uninstall(src)
		if err != nil || claude.Installed(out) {
			t.Errorf("%s: still installed after uninstall: %s, %v", command, out, err)
		}
	}
}
