package gemini_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"entire/agent"
	"entire/agent/gemini"
	"entire/agent/internal/agenttest"
)

func TestGeminiInstallWritesTwelveHooks(t *testing.T) {
	t.Parallel()
	out, added, err := agenttest.Gemini().Install("", nil, agent.InstallOptions{})
	if err != nil || added != 12 || !json.Valid(out) || bytes.HasSuffix(out, []byte("\n")) {
		t.Fatalf("added %d, err %v, got:\n%s", added, err, out)
	}
	doc := gjson.ParseBytes(out)
	if !doc.Get("hooksConfig.enabled").Bool() {
		t.Error("hooks are not enabled")
	}
	for _, h := range gemini.New().Hooks.Hooks {
		found := false
		doc.Get("hooks." + h.Event).ForEach(func(_, group gjson.Result) bool {
			if group.Get("matcher").Str == h.Matcher && group.Get("matcher").Exists() == (h.Matcher != "") {
				e := group.Get("hooks.0")
				found = e.Get("name").Str == h.Name && e.Get("type").Str == "command" && e.Get("command").Str == "entire hooks gemini "+h.Verb
			}
			return !found
		})
		if !found {
			t.Errorf("%s %q is not as the contract has it", h.Event, h.Matcher)
		}
	}
	if got := strings.Count(string(out), `"command": `); got != 12 {
		t.Errorf("%d commands", got)
	}
	local, _, err := agenttest.Gemini().Install("", nil, agent.InstallOptions{LocalDev: true})
	if want := bytes.ReplaceAll(out, []byte(`"entire hooks`), []byte(`"go run ${GEMINI_PROJECT_DIR}/cmd/entire/main.go hooks`)); err != nil || !bytes.Equal(local, want) {
		t.Errorf("local_dev: %v\n%s", err, local)
	}
}

// TestGeminiInstallRoundTrip has a row for each layout that could lose a byte.
func TestGeminiInstallRoundTrip(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"empty object":        `{}`,
		"empty object, space": "{ \n }",
		"empty file":          "",
		"blank file":          " \n\t",
		"one line":            `{"theme":"x","hooks":{},"hooksConfig":{}}`,
		"enabled before":      `{ "hooksConfig": { "enabled": true } }`,
		"enabled, wide":       `{ "hooksConfig": { "enabled":  true } }`,
		"disabled before":     "{\n\t\"hooksConfig\": {\"a\": [], \"enabled\" : false , \"b\": 1}\n}\n",
		"other keys only":     "{\n  \"hooksConfig\": {\n    \"notifications\": false\n  }\n}",
		"empty config":        "{\n  \"hooksConfig\": {\n  }\n}",
		"enabled twice":       `{"hooksConfig":{"enabled":true,"enabled":false}}`,
		"legacy":              "{\"tools\":{\"enableHooks\":true},\"hooks\":{\"enabled\":true}}",
		"crlf":                "{\r\n  \"a\": 1,\r\n  \"hooks\": {}\r\n}\r\n",
		"bom":                 "\ufeff{\"a\":1}\n",
		"repeated keys":       `{"hooks":{"AfterAgent":[]},"hooksConfig":1,"hooks":{"BeforeTool":[]},"hooksConfig":{}}`,
		"foreign entries": `{
  "hooks": {
    "SessionStart": [{"hooks": [{"name": "mine", "type": "command", "command":  "say hello", "timeout": 5}], "sequential": true}],
    "BeforeTool": [{"matcher": "*", "hooks": [{"command": "entire status"}]}, {"matcher": "x", "hooks": []}]
  }
}
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			geminiRoundTrip(t, []byte(src))
		})
	}
	t.Run("absent", func(t *testing.T) { t.Parallel(); geminiRoundTrip(t, nil) })
}

// geminiRoundTrip checks everything that must hold of settings without our entries.
func geminiRoundTrip(t agenttest.Fataler, src []byte) {
	t.Helper()
	out, added, err := agenttest.Gemini().Install("", src, agent.InstallOptions{})
	if err != nil || added != 12 {
		t.Fatalf("install into %q: added %d, err %v", src, added, err)
	}
	if !json.Valid(bytes.TrimPrefix(out, []byte("\ufeff"))) || !agenttest.Gemini().Installed(out) || agenttest.Gemini().Installed(src) {
		t.Fatalf("install into %q gave %q", src, out)
	}
	for _, opts := range []agent.InstallOptions{{}, {Force: true}} {
		again, n, err := agenttest.Gemini().Install("", out, opts)
		if err != nil || !bytes.Equal(again, out) || opts.Force != (n == 12) {
			t.Fatalf("install again %+v: %d, err %v\nonce:  %q\ntwice: %q", opts, n, err, out, again)
		}
	}
	other, n, err := agenttest.Gemini().Install("", out, agent.InstallOptions{LocalDev: true})
	if err != nil || n != 12 || strings.Contains(string(other), `"entire hooks gemini`) {
		t.Fatalf("install for local development: %d, %v, %q", n, err, other)
	}
	for _, installed := range [][]byte{out, other} {
		back, removed, err := agenttest.Gemini().Uninstall("", installed)
		if err != nil || removed != 12 || !bytes.Equal(back, src) || (back == nil) != (src == nil) {
			t.Fatalf("err %v, removed %d\nbefore: %q\nwith:   %q\nafter:  %q", err, removed, src, installed, back)
		}
	}
}

func TestGeminiInstallRoundTripOfAnySettings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { geminiRoundTrip(t, geminiSettingsGen(t)) })
}

// geminiSettingsGen draws settings that Gemini could read, in any layout.
func geminiSettingsGen(t *rapid.T) []byte {
	newline := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
	g := agenttest.JsonGen{T: t, Spaces: []string{"", "", "", " ", "  ", "   ", "\t", newline, newline + "  ", newline + "\t\t", " " + newline + "  "}}
	entry := func() string {
		return g.Object(map[string]func() string{"type": g.Text, "command": g.Text, "timeout": g.Text})
	}
	matcher := func() string { return rapid.SampledFrom([]string{`""`, `"*"`, `"exit"`, `"x"`}).Draw(g.T, "matcher") }
	group := func() string {
		return g.Object(map[string]func() string{"matcher": matcher, "hooks": func() string { return g.Array(entry) }})
	}
	event := func() string { return g.Array(group) }
	enabled := func() string { return rapid.SampledFrom([]string{"true", "false"}).Draw(t, "enabled") }
	root := g.Object(map[string]func() string{
		"model":       g.Text,
		"hooks":       func() string { return g.Object(map[string]func() string{"SessionStart": event, "Other": event}) },
		"hooksConfig": func() string { return g.Object(map[string]func() string{"enabled": enabled, "model": g.Text}) },
	})
	bom := rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "bom")
	return []byte(bom + g.Space() + root + g.Space())
}

func TestGeminiInstallRefuses(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"comment":        "{\n  // mine\n  \"a\": 1\n}",
		"array":          `[]`,
		"hooks list":     `{"hooks":[]}`,
		"event object":   `{"hooks":{"AfterAgent":{}}}`,
		"config list":    `{"hooksConfig":[]}`,
		"enabled is odd": `{"hooksConfig":{"enabled":"yes"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out, _, err := agenttest.Gemini().Install("", []byte(src), agent.InstallOptions{}); err == nil {
				t.Fatalf("got %q", out)
			}
		})
	}
}

func FuzzGeminiInstall(f *testing.F) {
	fresh, _, _ := agenttest.Gemini().Install("", nil, agent.InstallOptions{})
	for _, s := range []string{"", "{}", string(fresh), `{"hooks":{"AfterAgent":[]}}`, "\ufeff{ }", "{\r\n\t\"hooksConfig\": {\"enabled\":false }}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		out, _, err := agenttest.Gemini().Install("", src, agent.InstallOptions{})
		if err != nil {
			return
		}
		if !agenttest.Gemini().Installed(out) {
			t.Fatalf("not installed: %q", out)
		}
		// What is ours already, perhaps written with escapes, does not come back.
		if !bytes.Contains(src, []byte("entire")) && !bytes.Contains(src, []byte(`\u`)) {
			geminiRoundTrip(t, append([]byte{}, src...))
		}
	})
}
