package mcp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/mcp"
)

var json1 = agent.MCPFile{Path: ".mcp.json", Key: "mcpServers"}

// TestEveryAgentsForm adds the server to each agent's configuration, reads it as the agent does, and removes
// it again.
func TestEveryAgentsForm(t *testing.T) {
	t.Parallel()
	with := 0
	for _, ag := range agents.All() {
		f := ag.Profile().MCP
		if f.Path == "" {
			continue
		}
		with++
		made, n, err := mcp.AddServer(f, nil)
		if err != nil || n != 1 {
			t.Fatalf("%s: %d, %v", ag.Name(), n, err)
		}
		if f.Key == "" {
			if string(made) != "[mcp_servers.entire]\ncommand = \"entire\"\nargs = [\"mcp\"]\n" {
				t.Errorf("%s: %s", ag.Name(), made)
			}
		} else {
			entry := gjson.GetBytes(made, f.Key+".entire")
			words := append([]gjson.Result{entry.Get("command")}, entry.Get("args").Array()...)
			if f.OneList {
				words = entry.Get("command").Array()
			}
			if !json.Valid(made) || len(words) != 2 || words[0].Str != "entire" || words[1].Str != "mcp" || entry.Get("type").Str != f.Type {
				t.Errorf("%s: %s", ag.Name(), made)
			}
		}
		if again, n, err := mcp.AddServer(f, made); err != nil || n != 0 || !bytes.Equal(again, made) {
			t.Errorf("%s again: %s, %d, %v", ag.Name(), again, n, err)
		}
		if gone, n, err := mcp.DropServer(f, made); err != nil || n != 1 || gone != nil {
			t.Errorf("%s removed: %q, %d, %v", ag.Name(), gone, n, err)
		}
	}
	if with < 8 {
		t.Errorf("only %d agents have a file with servers", with)
	}
}

// TestEveryByteComesBack adds the server to configurations of others and removes it.
func TestEveryByteComesBack(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"", "\n", "{}", "{ }\n", "{\n}\n", `{"mcpServers": {}}`, "{\n\t\"mcpServers\": {\n\t}\n}",
		`{"mcpServers":{"other":{"command":"x"}},"a":[1,2]}`, "{\r\n  \"a\": 1,\r\n  \"mcpServers\": {\r\n    \"b\": {}\r\n  }\r\n}\r\n",
		"\ufeff{\"a\": \"ä\"}", "{\n    \"hooks\": {}\n}\n\n",
	} {
		roundTrip(t, json1, src)
	}
	for _, src := range []string{
		"", "\n", "model = \"x\"", "model = \"x\"\n", "[a]\nb = 1\n\n", "# only this\n", "[mcp_servers.other]\ncommand = \"entire\"\nargs = [\"mcp\"]\n",
		"a = 1\r\n[b]\r\n",
	} {
		roundTrip(t, agent.MCPFile{Path: "config.toml"}, src)
	}
}

func roundTrip(t *testing.T, f agent.MCPFile, src string) {
	t.Helper()
	with, n, err := mcp.AddServer(f, []byte(src))
	if err != nil || n != 1 {
		t.Errorf("%q: %d, %v", src, n, err)
		return
	}
	back, n, err := mcp.DropServer(f, with)
	if err != nil || n != 1 || back == nil || string(back) != src {
		t.Errorf("%q became %q and then %q, %d, %v", src, with, back, n, err)
	}
	same, n, err := mcp.DropServer(f, []byte(src))
	if err != nil || n != 0 || string(same) != src {
		t.Errorf("%q without a server became %q, %d, %v", src, same, n, err)
	}
}

// TestOthersStay: a server of our name that is not ours, and what a person has set in ours, stay.
func TestOthersStay(t *testing.T) {
	t.Parallel()
	toml := agent.MCPFile{Path: "config.toml"}
	for f, src := range map[agent.MCPFile]string{
		json1: `{"mcpServers": {"entire": {"command": "other"}}}`,
		toml:  "[mcp_servers.\"entire\"]\ncommand = \"other\"\n",
	} {
		if _, _, err := mcp.AddServer(f, []byte(src)); !errors.Is(err, mcp.ErrForeign) {
			t.Errorf("%s: %v", src, err)
		}
		if back, n, err := mcp.DropServer(f, []byte(src)); err != nil || n != 0 || string(back) != src {
			t.Errorf("%s became %s, %d, %v", src, back, n, err)
		}
	}
	mine := `{"mcpServers": {"entire": {"command": "entire", "args": ["mcp"], "timeout": 9}}}`
	if same, n, err := mcp.AddServer(json1, []byte(mine)); err != nil || n != 0 || string(same) != mine {
		t.Errorf("%s, %d, %v", same, n, err)
	}
	edited := "[mcp_servers.entire]\ncommand = \"entire\"\nargs = [\"mcp\"]\ntool_timeout_sec = 9\n"
	if back, n, err := mcp.DropServer(toml, []byte(edited)); err != nil || n != 0 || string(back) != edited {
		t.Errorf("%s, %d, %v", back, n, err)
	}
	for _, src := range []string{"mcp_servers = {}\n", "mcp_servers.entire.command = \"x\"\n"} {
		if _, _, err := mcp.AddServer(toml, []byte(src)); err == nil {
			t.Errorf("%s: a table was added", src)
		}
	}
	for _, src := range []string{"[", `[]`, `{"mcpServers": []}`, "// comment\n{}"} {
		if _, _, err := mcp.AddServer(json1, []byte(src)); err == nil {
			t.Errorf("%s was edited", src)
		}
	}
}

// FuzzServer: whatever a configuration holds, adding and removing the server changes no byte of it.
func FuzzServer(f *testing.F) {
	f.Add([]byte(`{"mcpServers":{"a":{}}}`), true)
	f.Add([]byte("a = 1\n[b]\n"), false)
	f.Fuzz(func(t *testing.T, src []byte, isJSON bool) {
		file := agent.MCPFile{Path: "config.toml"}
		if isJSON {
			file = json1
		}
		with, n, err := mcp.AddServer(file, src)
		if err != nil || n == 0 {
			return
		}
		if back, n, err := mcp.DropServer(file, with); err != nil || n != 1 || !bytes.Equal(back, src) {
			t.Errorf("%q became %q and then %q, %d, %v", src, with, back, n, err)
		}
	})
}

// TestSkill: the skill is short and in the form of a skill file; an edited one stays.
func TestSkill(t *testing.T) {
	t.Parallel()
	if n := strings.Count(mcp.Skill, "\n"); n > 40 {
		t.Errorf("the skill has %d lines", n)
	}
	head, _, _ := strings.Cut(strings.TrimPrefix(mcp.Skill, "---\n"), "\n---\n")
	name, description, _ := strings.Cut(head, "\n")
	if name != "name: entire" || !strings.HasPrefix(description, "description: ") || len(description) > 1024 || strings.Contains(description, "\n") {
		t.Errorf("head: %q", head)
	}
	for _, tool := range []string{"recall", "open", "why", "changes", "checkpoint", "undo_plan"} {
		if !strings.Contains(mcp.Skill, "`"+tool+"`") {
			t.Errorf("the skill does not name %s", tool)
		}
	}
	made, n, err := mcp.AddSkill(nil)
	if err != nil || n != 1 || !bytes.HasPrefix(made, []byte(mcp.Skill)) {
		t.Fatalf("%d, %v", n, err)
	}
	if same, n, err := mcp.AddSkill(made); err != nil || n != 0 || !bytes.Equal(same, made) {
		t.Errorf("again: %d, %v", n, err)
	}
	if gone, n, err := mcp.DropSkill(made); gone != nil || n != 1 || err != nil {
		t.Errorf("removed: %d, %v", n, err)
	}
	if gone, n, err := mcp.DropSkill(nil); gone != nil || n != 0 || err != nil {
		t.Errorf("nothing removed: %d, %v", n, err)
	}
	for _, src := range [][]byte{append([]byte("mine\n"), made...), append(bytes.Clone(made), '\n'), {}} {
		if _, _, err := mcp.AddSkill(src); !errors.Is(err, mcp.ErrEdited) {
			t.Errorf("%q was written over: %v", src, err)
		}
		if _, _, err := mcp.DropSkill(src); !errors.Is(err, mcp.ErrEdited) {
			t.Errorf("%q was removed: %v", src, err)
		}
	}
}
