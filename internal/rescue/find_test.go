package rescue_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/internal/rescue"
	"entire/internal/rescue/rescuetest"
)

const root = "../.."

// now is the time of the tests.
var now = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

func find(t *testing.T, home string) rescue.Found {
	t.Helper()
	found, err := rescue.Find(t.Context(), machine(home), nil)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func machine(home string) rescue.Machine {
	return rescue.Machine{Home: home, Getenv: func(string) string { return "" }}
}

func TestFindsEveryAgentsConversations(t *testing.T) {
	t.Parallel()
	found := find(t, rescuetest.Home(t, root))
	for _, p := range found.Problems {
		t.Errorf("%s: %v", p.Path, p.Err)
	}
	sessions := map[agent.AgentType][]string{}
	for _, c := range found.Conversations {
		if !c.Subagent {
			sessions[c.Agent] = append(sessions[c.Agent], c.Session)
		}
		if want := "/home/dana/shop"; c.Folder != want && c.Agent != agent.AgentTypePi && c.Agent != agent.AgentTypeClaudeCode {
			t.Errorf("%s %s was held in %q, want %q", c.Agent, c.Session, c.Folder, want)
		}
		if c.Size == 0 || c.First.IsZero() || c.Last.Before(c.First) {
			t.Errorf("%s %s has %d bytes, from %v to %v", c.Agent, c.Session, c.Size, c.First, c.Last)
		}
	}
	for of, want := range map[agent.AgentType]string{
		agent.AgentTypeClaudeCode: "11111111-0000-4000-8000-000000000001",
		agent.AgentTypeCodex:      "01a20edc-f218-72a0-8650-fb0e34414f8d",
		agent.AgentTypeGemini:     "5d1f6d2e-33a4-4a44-8d3a-6f5b7e3f9c10",
		agent.AgentTypeQwen:       "5f0c2a7e-1111-4222-8333-0123456789ab",
		agent.AgentTypeCopilot:    "9f0c6f1e-5a0f-4a52-9a43-1fb6a9d9a001",
		agent.AgentTypePi:         "01a20cce-229b",
		agent.AgentTypeDroid:      "4317abfc-7df7-41ee-8bc3-45ebd961ad05",
		agent.AgentTypeCursor:     "c-1",
		"Cline":                   "s1",
		"OpenCode":                "ses_",
	} {
		if len(sessions[of]) == 0 || !strings.HasPrefix(strings.Join(sessions[of], " "), want) && !strings.Contains(strings.Join(sessions[of], " "), want) {
			t.Errorf("%s: found %q, want %q", of, sessions[of], want)
		}
	}
	if n := len(sessions[agent.AgentTypeClaudeCode]); n != 1 {
		t.Errorf("%d conversations of Claude Code were found, want 1: subagents have none of their own", n)
	}
}

func TestReadsADatabaseAsThePluginDoes(t *testing.T) {
	t.Parallel()
	for _, c := range find(t, rescuetest.Home(t, root)).Conversations {
		if !c.InDatabase() || c.Subagent {
			continue
		}
		lines, err := c.Lines(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.Repeat("ab", 20); c.Root != want {
			t.Errorf("the first commit is %q, want %q", c.Root, want)
		}
		payload, err := os.ReadFile(filepath.Join("..", "..", "agent", "opencode", "testdata", "turn-end.json"))
		if err != nil {
			t.Fatal(err)
		}
		want := gjson.GetBytes(payload, "messages.#.info.id").Array()
		got := strings.Split(strings.TrimSpace(string(lines)), "\n")
		if len(got) != len(want) {
			t.Fatalf("%d lines, want %d", len(got), len(want))
		}
		return
	}
	t.Fatal("no conversation in a database was found")
}

func TestSaysWhenTheAgentDeletes(t *testing.T) {
	t.Parallel()
	dir := rescuetest.Home(t, root)
	for _, k := range rescuetest.Histories {
		at := now.Add(-20 * 24 * time.Hour)
		if err := os.Chtimes(filepath.Join(dir, filepath.FromSlash(k.Path)), at, at); err != nil {
			t.Fatal(err)
		}
	}
	rescuetest.Put(t, filepath.Join(dir, ".gemini", "settings.json"), `{"general":{"sessionRetention":{"maxAge":"3w"}}}`)
	want := map[agent.AgentType]time.Duration{agent.AgentTypeClaudeCode: 10 * 24 * time.Hour, agent.AgentTypeGemini: 24 * time.Hour}
	for _, c := range find(t, dir).Conversations {
		if left, deletes := want[c.Agent]; deletes != !c.Deletes.IsZero() || deletes && c.Deletes.Sub(now) != left {
			t.Errorf("%s deletes %s at %v", c.Agent, c.Session, c.Deletes)
		}
	}
}

func TestEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rescue.Find(ctx, machine(rescuetest.Home(t, root)), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestAnUnreadableFileHidesNoOther(t *testing.T) {
	t.Parallel()
	dir := rescuetest.Home(t, root)
	before := len(find(t, dir).Conversations)
	rescuetest.Put(t, filepath.Join(dir, ".local", "share", "kilo", "kilo.db"), "no database")
	rescuetest.Put(t, filepath.Join(dir, ".claude", "projects", "-x", "22222222-0000-4000-8000-000000000001.jsonl"), "\x00\xff{\n")
	found := find(t, dir)
	if len(found.Problems) != 1 || len(found.Conversations) != before+1 {
		t.Errorf("%d problems, %d conversations, before %d", len(found.Problems), len(found.Conversations), before)
	}
}
