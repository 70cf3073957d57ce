package claude_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entire/agent"
	"entire/agent/internal/agenttest"
)

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
    ],
    "StopFailure": [
      {
        "matcher": "",
        "hooks": [
          {
            "type": "command",
            "command": "entire hooks claude-code stop-failure"
          }
        ]
      }
    ],
    "Notification": [
      {
        "matcher": "idle_prompt",
        "hooks": [
          {
            "type": "command",
            "command": "entire hooks claude-code idle"
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

func TestInstallWritesElevenHooks(t *testing.T) {
	t.Parallel()
	out, added, err := agenttest.Claude().Install("", nil, agent.InstallOptions{})
	if err != nil || added != 11 || string(out) != freshSettings {
		t.Fatalf("added %d, err %v, got:\n%s", added, err, out)
	}
	// An existing empty object takes the slow way to the same settings.
	other, added, err := agenttest.Claude().Install("", []byte("{}\n"), agent.InstallOptions{})
	if err != nil || added != 11 || strings.Replace(string(other), "{ \n", "{\n", 1) != freshSettings {
		t.Fatalf("into {}: added %d, err %v, got:\n%s", added, err, other)
	}
	local, _, err := agenttest.Claude().Install("", nil, agent.InstallOptions{LocalDev: true})
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

// roundTrip checks everything that must hold of settings without our entries.
func roundTrip(t agenttest.Fataler, src []byte) {
	t.Helper()
	if agenttest.Claude().Installed(src) {
		t.Fatalf("installed before installing: %q", src)
	}
	out, added, err := agenttest.Claude().Install("", src, agent.InstallOptions{})
	if err != nil || added != 11 {
		t.Fatalf("install into %q: added %d, err %v", src, added, err)
	}
	if !json.Valid(bytes.TrimPrefix(out, []byte("\ufeff"))) || !agenttest.Claude().Installed(out) {
		t.Fatalf("install into %q gave %q", src, out)
	}
	for _, opts := range []agent.InstallOptions{{}, {Force: true}} {
		again, _, err := agenttest.Claude().Install("", out, opts)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("install again %+v: err %v\nonce:  %q\ntwice: %q", opts, err, out, again)
		}
	}
	both, _, err := agenttest.Claude().Install("", out, agent.InstallOptions{LocalDev: true})
	if err != nil {
		t.Fatalf("install for local development: %v", err)
	}
	for _, installed := range [][]byte{out, both} {
		back, removed, err := agenttest.Claude().Uninstall("", installed)
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
	g := agenttest.JsonGen{T: t, Spaces: []string{"", "", "", " ", "  ", "\t", newline, newline + "  ", newline + "\t\t", " " + newline + "  ", newline + newline}}
	root := g.Object(map[string]func() string{
		"model":       g.Text,
		"hooks":       func() string { return g.Object(g.Events()) },
		"permissions": func() string { return g.Object(map[string]func() string{"allow": g.Rules, "deny": g.Rules}) },
	})
	bom := rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "bom")
	return []byte(bom + g.Space() + root + g.Space())
}

func FuzzInstall(f *testing.F) {
	for _, s := range []string{"", "{}", freshSettings, `{"hooks":{"Stop":[]}}`, "\ufeff{ }", "{\r\n\t\"permissions\": {\"deny\":[ ]}}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		out, _, err := agenttest.Claude().Install("", src, agent.InstallOptions{})
		if err != nil {
			return
		}
		if !agenttest.Claude().Installed(out) {
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
				if out, _, err := agenttest.Claude().Install("", []byte(src), agent.InstallOptions{Force: force}); err == nil {
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
	out, added, err := agenttest.Claude().Install("", []byte(src), agent.InstallOptions{Force: true})
	if err != nil || added != 11 {
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
	if n := strings.Count(text, `entire hooks claude-code stop"`); n != 1 {
		t.Errorf("stop hook stands %d times: %s", n, text)
	}
}

// TestInstallBringsOlderHooksUpToDate: of before Claude Code told of subagents.
func TestInstallBringsOlderHooksUpToDate(t *testing.T) {
	t.Parallel()
	before, _, _ := strings.Cut(freshSettings, ",\n    \"SubagentStart\"")
	older := before + freshSettings[strings.Index(freshSettings, "\n  },\n  \"permissions\""):]
	out, added, err := agenttest.Claude().Install("", []byte(older), agent.InstallOptions{})
	if err != nil || added != 4 || string(out) != freshSettings {
		t.Fatalf("added %d, err %v, got:\n%s", added, err, out)
	}
}

func TestInstallAddsOnlyWhatIsMissing(t *testing.T) {
	t.Parallel()
	src := strings.Replace(freshSettings, `"command": "entire hooks claude-code stop"`, `"command": "make done"`, 1)
	out, added, err := agenttest.Claude().Install("", []byte(src), agent.InstallOptions{})
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
		if got := agenttest.Claude().Installed(src); got != want {
			t.Errorf("%s: installed is %v", command, got)
		}
		out, _, err := agenttest.Claude().Uninstall("", src)
		if err != nil || agenttest.Claude().Installed(out) {
			t.Errorf("%s: still installed after uninstall: %s, %v", command, out, err)
		}
	}
}
