package cline_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"entire/agent"
	"entire/agent/cline"
	"entire/agent/conversation"
	"entire/agent/internal/agenttest"
	"entire/agent/internal/base"
)

const payload = `{"clineVersion":"","timestamp":"2026-11-24T09:07:13.184Z","taskId":"conv_1","sessionContext":{"rootSessionId":"s1"},"workspaceRoots":["/w"],"workspaceInfo":{"rootPath":"/w"},"agent_id":"agent_1","parent_agent_id":null,"hookName":"agent_start"}`

// document is what Cline wrote of a session.
func document(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "s1.messages.json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDecode(t *testing.T) {
	t.Parallel()
	a := cline.New()
	for verb, kind := range map[string]agent.EventType{"task-start": agent.TurnStart, "said": agent.Said, "task-end": agent.TurnEnd} {
		got, err := a.Decode(verb, []byte(payload), agenttest.At)
		want := agent.Event{Type: kind, Agent: cline.AgentName, AgentType: cline.AgentType, SessionID: agenttest.Session(t, "s1"), Dir: "/w", Time: agenttest.At}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", verb, err, got, want)
		}
		first := strings.Replace(payload, `"parent_agent_id":null`, `"parent_agent_id":null,"iteration":1`, 1)
		if want.Type == agent.Said {
			want.Type, want.Implied = agent.TurnStart, true
		}
		if got, err := a.Decode(verb, []byte(first), agenttest.At); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s in the first answer: %v\ngot  %+v\nwant %+v", verb, err, got, want)
		}
		sub := strings.Replace(payload, `"parent_agent_id":null`, `"parent_agent_id":"agent_0"`, 1)
		if got, err := a.Decode(verb, []byte(sub), agenttest.At); err != nil || got.Type != "" {
			t.Errorf("%s of a subagent: %+v, %v", verb, got, err)
		}
		for _, bad := range []string{"", "{", "[]", "{}", `{"sessionContext":{"rootSessionId":"../x"}}`, `{"sessionContext":7}`, payload[:200]} {
			if _, err := a.Decode(verb, []byte(bad), agenttest.At); err == nil {
				t.Errorf("%s accepts %q", verb, bad)
			}
		}
	}
	if _, err := a.Decode("nope", []byte(payload), agenttest.At); !errors.Is(err, agent.ErrUnknownVerb) {
		t.Error(err)
	}
}

func TestConversation(t *testing.T) {
	t.Parallel()
	a, sid := cline.New(), agenttest.Session(t, "s1")
	child := []byte(`{"messages":[{"id":"x1","role":"user","content":"write notes","ts":1795511235800},{"id":"x2","role":"assistant","content":[{"type":"tool_use","id":"c9","name":"editor","input":{"path":"notes.md","new_text":"# Notes\n"}}],"ts":1795511235900,"metrics":{"inputTokens":20,"outputTokens":2}}]}`)
	lines, last := a.Lines(sid, map[string][]byte{"/d/s1.messages.json": document(t), "/d/agent_2.messages.json": child, "/d/torn.messages.json": []byte(`{"mess`)})
	if want := (agent.LastPrompt{ID: "u1", Text: "Add up the cart", Answered: true}); last != want {
		t.Errorf("prompt %+v", last)
	}
	agenttest.RecordsOf(t, a, lines)
	c := conversation.Read(cline.AgentType, lines)
	if !reflect.DeepEqual(c.Prompts, []string{"Add up the cart"}) || c.LastAssistant != "It is there." || c.Model != "big-1" || c.Version != "3.0.65" || len(c.OpenCalls) > 1 {
		t.Errorf("%+v", c)
	}
	if got := c.EditsSince(conversation.Mark{}); !reflect.DeepEqual(got, []string{"cart.py", "notes.md"}) {
		t.Errorf("edits %q", got)
	}
	if got, want := c.Usage(), (agent.TokenUsage{InputTokens: 5057 + 10 + 5 + 20, OutputTokens: 39, CacheReadTokens: 600, APICallCount: 4}); got != want {
		t.Errorf("usage %+v", got)
	}
	if got, want := bytes.Count(lines, []byte("\n")), 8; got != want {
		t.Errorf("%d lines", got)
	}
	if !a.Recognises(lines) {
		t.Error("not recognised")
	}
}

// A prompt without an answer is that of the turn that begins.
func TestPromptOfTurnThatBegins(t *testing.T) {
	t.Parallel()
	doc := []byte(`{"messages":[{"id":"u1","role":"user","content":[{"type":"text","text":"<user_input mode=\"plan\">Think</user_input>"}]}]}`)
	if _, last := cline.New().Lines(agenttest.Session(t, "s1"), map[string][]byte{"s1.messages.json": doc}); last != (agent.LastPrompt{ID: "u1", Text: "Think"}) {
		t.Errorf("%+v", last)
	}
	if lines, last := cline.New().Lines(agenttest.Session(t, "s1"), nil); lines == nil || len(lines) > 0 || last != (agent.LastPrompt{}) {
		t.Errorf("%q, %+v", lines, last)
	}
}

// What is restored says the same as what Cline had, and Cline's own files are named as Cline names them.
func TestRestored(t *testing.T) {
	t.Parallel()
	a, sid := cline.New(), agenttest.Session(t, "s1")
	child := []byte(`{"messages":[{"id":"x1","role":"user","content":"write <notes>","ts":1795511235800}]}`)
	lines, _ := a.Lines(sid, map[string][]byte{"/d/s1.messages.json": document(t), "/d/agent_2.messages.json": child})
	docs := a.Restored("/home/me", "/w", sid, lines)
	again := map[string][]byte{}
	var names []string
	for _, doc := range docs {
		if !json.Valid(doc.Text) {
			t.Errorf("%s is no JSON", doc.Path)
		}
		names = append(names, strings.TrimPrefix(doc.Path, "/home/me/.cline/data/sessions/s1/"))
		if strings.HasSuffix(doc.Path, ".messages.json") {
			again[doc.Path] = doc.Text
		}
	}
	if want := []string{"s1.messages.json", "agent_2.messages.json", "s1.json"}; !slices.Equal(names, want) {
		t.Errorf("files %q", names)
	}
	if got, _ := a.Lines(sid, again); !bytes.Equal(got, lines) {
		t.Errorf("restored\n%s\nnot\n%s", got, lines)
	}
	if docs[0].Stays || !docs[2].Stays || !strings.Contains(string(docs[2].Text), `"model": "big-1"`) || !strings.Contains(string(docs[2].Text), `"cwd": "/w"`) {
		t.Errorf("%v, %s", docs[0].Stays, docs[2].Text)
	}
	hostile := []byte(`{"session":"s1","subagent":"../../x","message":{"role":"user"}}` + "\n[]\n{}\n")
	if got := a.Restored("/home/me", "/w", sid, hostile); got != nil {
		t.Errorf("%v", got)
	}
}

func TestInstallAndUninstall(t *testing.T) {
	t.Parallel()
	a := cline.New()
	for _, file := range a.Profile().HookFiles {
		out, added, err := a.Install(file.Path, nil, agent.InstallOptions{})
		if err != nil || added != 1 || !a.Installed(out) || bytes.Contains(out, []byte("{{")) || !file.Executable {
			t.Fatalf("%s: %d, %v: %s", file.Path, added, err, out)
		}
		if again, added, err := a.Install(file.Path, out, agent.InstallOptions{}); err != nil || added != 0 || !bytes.Equal(again, out) {
			t.Errorf("again: %d, %v", added, err)
		}
		if rest, removed, err := a.Uninstall(file.Path, out); err != nil || removed != 1 || rest != nil {
			t.Errorf("removed %d, %v: %s", removed, err, rest)
		}
		foreign := []byte("#!/bin/sh\necho mine\n")
		if _, _, err := a.Install(file.Path, foreign, agent.InstallOptions{Force: true}); !errors.Is(err, base.ErrForeignFile) {
			t.Errorf("somebody else's hook: %v", err)
		}
		if rest, removed, err := a.Uninstall(file.Path, foreign); err != nil || removed != 0 || !bytes.Equal(rest, foreign) {
			t.Errorf("somebody else's hook: %d, %v", removed, err)
		}
	}
}

// TestHookIsSilentWithoutTheProgram runs each hook where there is no program.
func TestHookIsSilentWithoutTheProgram(t *testing.T) {
	t.Parallel()
	a := cline.New()
	for _, file := range a.Profile().HookFiles {
		text, _, err := a.Install(file.Path, nil, agent.InstallOptions{})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "hook")
		if err := os.WriteFile(path, text, 0o700); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("/bin/sh", path)
		cmd.Env, cmd.Dir, cmd.Stdin = []string{"PATH=/usr/bin:/bin"}, t.TempDir(), strings.NewReader(payload+"commit")
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v, %q", file.Path, err, out)
		}
	}
}

func FuzzRecords(f *testing.F) {
	lines, _ := cline.New().Lines(agenttest.Session(f, "s1"), map[string][]byte{"s1.messages.json": document(f)})
	agenttest.FuzzReader(f, cline.New(), lines)
}

func FuzzLines(f *testing.F) {
	f.Add(document(f))
	f.Add([]byte(`{"messages":[{"role":"user","content":"<user_input></user_input","ts":-1},7]}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		lines, _ := cline.New().Lines(agenttest.Session(t, "s1"), map[string][]byte{"s1.messages.json": doc})
		for line := range bytes.Lines(lines) {
			if _, ok := cline.New().Records(line); !ok {
				t.Errorf("cannot read %q", line)
			}
		}
		for _, doc := range cline.New().Restored("/home/me", "/w", agenttest.Session(t, "s1"), lines) {
			if !json.Valid(doc.Text) || filepath.Dir(doc.Path) != "/home/me/.cline/data/sessions/s1" {
				t.Errorf("restores %s: %q", doc.Path, doc.Text)
			}
		}
	})
}
