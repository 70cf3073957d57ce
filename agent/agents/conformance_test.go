package agents_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/agent/internal/agenttest"
)

// foreignSettings is what somebody else has in a settings file, in a layout of their own.
const foreignSettings = "{\n   \"theme\": \"dark\", \"hooks\": {\n   \"Stop\": [ {\"hooks\": [{\"type\": \"command\", \"command\": \"./lint.sh\"}]} ] }\n}"

// TestConformance is what every adapter does: it installs hooks in a folder beside those of others, turns what they are
// called with into the events of a turn, reads the transcript, says how a session is continued, and leaves the folder as
// it was, byte for byte.
func TestConformance(t *testing.T) {
	t.Parallel()
	for _, ag := range agents.All() {
		for name, content := range map[string]string{"alone": "", "beside others": foreignSettings} {
			t.Run(string(ag.Name())+"/"+name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				for _, file := range ag.Profile().HookFiles {
					if content != "" && !file.Whole {
						writeFile(t, filepath.Join(dir, file.Path), content)
					}
				}
				before := folder(t, dir)
				for _, tools := range []agent.ToolHooks{{}, {Shell: true}, {Shell: true, Everything: true}, {}, {Shell: true, NoFilter: true}, {Shell: true, Changes: true, After: []string{"Deploy"}}} {
					installed(t, ag, dir, agent.InstallOptions{Tools: tools})
				}
				turnOf(t, ag)
				if c := conversation.Read(ag.Type(), transcriptOf(t, ag)); len(c.Prompts) == 0 {
					t.Error("the transcript has no prompt")
				}
				sid := agenttest.Session(t, "00000001-0000-4000-8000-000000000001")
				if command := ag.ResumeCommand(sid); !strings.Contains(command, sid.String()) && len(ag.Profile().HookFiles) > 0 {
					t.Errorf("a session is continued with %q", command)
				}
				uninstalled(t, ag, dir)
				if after := folder(t, dir); !maps.Equal(before, after) {
					t.Errorf("the folder was\n%q\nand is\n%q", before, after)
				}
			})
		}
	}
}

// installed installs the agent's hooks, twice: the second time changes nothing.
func installed(t *testing.T, ag agent.Agent, dir string, opts agent.InstallOptions) {
	t.Helper()
	for i, file := range ag.Profile().HookFiles {
		path := filepath.Join(dir, file.Path)
		out, _, err := ag.Install(file.Path, readFileOf(t, path), opts)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 && !ag.Installed(out) {
			t.Errorf("%s has no hook at a turn's end:\n%s", file.Path, out)
		}
		if again, added, err := ag.Install(file.Path, out, opts); err != nil || added != 0 || string(again) != string(out) {
			t.Errorf("%s: a second install adds %d, %v", file.Path, added, err)
		}
		writeFile(t, path, string(out))
	}
}

func uninstalled(t *testing.T, ag agent.Agent, dir string) {
	t.Helper()
	for _, file := range ag.Profile().HookFiles {
		path := filepath.Join(dir, file.Path)
		out, removed, err := ag.Uninstall(file.Path, readFileOf(t, path))
		if err != nil || removed == 0 {
			t.Errorf("%s: %d removed, %v", file.Path, removed, err)
		}
		if out != nil {
			writeFile(t, path, string(out))
		} else if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
}

// turnOf decodes the agent's payloads, among which a turn begins and ends.
func turnOf(t *testing.T, ag agent.Agent) {
	t.Helper()
	calls, err := os.ReadFile(filepath.Join(payloads, string(ag.Name())+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var kinds []agent.EventType
	agent.EachFinalLine(calls, func(line []byte) {
		var call struct {
			Verb    string
			Payload json.RawMessage
		}
		if err := json.Unmarshal(line, &call); err != nil {
			t.Fatal(err)
		}
		ev, err := ag.Decode(call.Verb, call.Payload, agenttest.HookTime)
		if err != nil || ev.Type != "" && (ev.SessionID.IsZero() || ev.Agent != ag.Name()) {
			t.Errorf("%s: %+v, %v", call.Verb, ev, err)
		}
		kinds = append(kinds, ev.Type)
	})
	for _, kind := range []agent.EventType{agent.TurnStart, agent.TurnEnd} {
		if !slices.Contains(kinds, kind) {
			t.Errorf("no payload is a %s", kind)
		}
	}
}

// folder returns the content of every file below dir by its path.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[path] = string(readFileOf(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// readFileOf returns the content of a file, nil if there is none.
func readFileOf(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return data
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(content), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
