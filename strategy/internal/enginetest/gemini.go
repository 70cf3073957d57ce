package enginetest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/agent"
	"entire/checkpoint/metadata"
)

// Chat is a session of Gemini's in a world, in either shape of its transcript.
type Chat struct {
	*World
	Sid            string
	TranscriptPath string
	lines          bool
	Messages       []string
}

func NewChat(t *testing.T, lines bool) *Chat {
	w := NewWorld(t)
	c := &Chat{World: w, Sid: "5d1f6d2e-33a4-4a44-8d3a-6f5b7e3f9c10", lines: lines}
	name := "session-2026-08-21T10-11-5d1f6d2e.json"
	if lines {
		name += "l"
	}
	c.TranscriptPath = filepath.Join(w.Home, ".gemini", "tmp", "shop", "chats", name)
	if err := os.MkdirAll(filepath.Dir(c.TranscriptPath), 0o755); err != nil {
		t.Fatal(err)
	}
	if lines {
		c.put(`{"sessionId":"x","startTime":"2026-08-21T10:11:05.000Z","kind":"main"}` + "\n")
	}
	return c
}

func (c *Chat) put(text string) {
	c.T.Helper()
	f, err := os.OpenFile(c.TranscriptPath, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err != nil {
		c.T.Fatal(err)
	}
	f.Close()
}

// Record writes a message: a line, or the whole document anew.
func (c *Chat) Record(kind, text string, more ...string) {
	c.T.Helper()
	m := fmt.Sprintf(`{"id":"m-%d","type":%q,"content":[{"text":%q}]%s}`, len(c.Messages)+1, kind, text, strings.Join(append([]string{""}, more...), ","))
	c.Messages = append(c.Messages, m)
	if c.lines {
		c.put(m + "\n")
		return
	}
	doc := "{\n  \"sessionId\": \"x\",\n  \"n\": 1.50,\n  \"messages\": [\n    " + strings.Join(c.Messages, ",\n    ") + "\n  ],\n  \"end\": {}\n}"
	if err := os.WriteFile(c.TranscriptPath, []byte(doc), 0o600); err != nil {
		c.T.Fatal(err)
	}
}

func (c *Chat) Hook(kind agent.EventType, prompt string) {
	c.T.Helper()
	c.Event(kind, c.Sid, func(ev *agent.Event) {
		ev.Agent, ev.AgentType, ev.TranscriptPath, ev.Prompt = agent.AgentNameGemini, agent.AgentTypeGemini, c.TranscriptPath, prompt
	})
}

const SomeTokens = `"tokens":{"input":10,"output":2,"cached":3}`

func (c *Chat) Turn(prompt string, do func()) {
	c.T.Helper()
	c.Hook(agent.TurnStart, prompt)
	c.Record("user", prompt)
	do()
	c.Record("gemini", "Did: "+prompt, SomeTokens)
	c.Hook(agent.TurnEnd, "")
}

func (c *Chat) ReadTranscript(path string) string {
	c.T.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		c.T.Fatal(err)
	}
	return string(data)
}

func (c *Chat) Stored(cp string) metadata.CommittedMetadata {
	c.T.Helper()
	var m metadata.CommittedMetadata
	if err := json.Unmarshal([]byte(c.Metadata(cp, "0/metadata.json")), &m); err != nil {
		c.T.Fatal(err)
	}
	return m
}

func BothShapes(t *testing.T, test func(t *testing.T, c *Chat)) {
	for name, lines := range map[string]bool{"document": false, "lines": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, NewChat(t, lines))
		})
	}
}

// HomeFile makes a file below home.
func (w *World) HomeFile(name string) {
	w.T.Helper()
	path := filepath.Join(w.Home, name)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte("x"), 0o600)
	}
	if err != nil {
		w.T.Fatal(err)
	}
}

// ListProject makes Gemini's list of projects.
func (w *World) ListProject() {
	w.T.Helper()
	w.HomeFile(".gemini/projects.json")
	text := fmt.Sprintf(`{"projects":{%q:"slug"}}`, w.Engine().Repo.Top)
	if err := os.WriteFile(filepath.Join(w.Home, ".gemini", "projects.json"), []byte(text), 0o600); err != nil {
		w.T.Fatal(err)
	}
}
