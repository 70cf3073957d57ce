package rescue_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/internal/rescue"
)

// now is the time of the tests.
var now = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// A kept is a file of an agent in a home directory, with the testdata that it is a copy of.
type kept struct{ path, of string }

// histories are one or more conversations of each agent, where its program keeps them.
var histories = []kept{
	{".claude/projects/-home-dana-shop/11111111-0000-4000-8000-000000000001.jsonl", "testdata/transcripts/claude-code.jsonl"},
	{".claude/projects/-home-dana-shop/11111111-0000-4000-8000-000000000001/subagents/agent-a1.jsonl", "testdata/transcripts/claude-code.jsonl"},
	{".claude/projects/-home-dana-shop/agent-b2.jsonl", "testdata/transcripts/claude-code.jsonl"},
	{".codex/sessions/2026/11/24/rollout-2026-11-24T18-41-01-01a20edc-f218-72a0-8650-fb0e34414f8d.jsonl", "agent/codex/testdata/rollout.jsonl"},
	{".gemini/tmp/shop/chats/session-2026-08-21T10-11-5d1f6d2e.jsonl", "testdata/agents/gemini/session-new.jsonl"},
	{".gemini/tmp/shop/chats/session-2026-02-11T20-36-6e1f0d2a.json", "testdata/agents/gemini/session-old.json"},
	{".qwen/projects/-home-dana-shop/chats/5f0c2a7e-1111-4222-8333-0123456789ab.jsonl", "agent/qwen/testdata/transcript.jsonl"},
	{".copilot/session-state/9f0c6f1e-5a0f-4a52-9a43-1fb6a9d9a001/events.jsonl", "agent/copilot/testdata/events.jsonl"},
	{".pi/agent/sessions/--home-dev-shop--/2026-11-24T09-06-05-598Z_01a20cce-229b.jsonl", "agent/pi/testdata/session.jsonl"},
	{".factory/sessions/-home-dana-shop/4317abfc-7df7-41ee-8bc3-45ebd961ad05.jsonl", "agent/droid/testdata/session.jsonl"},
	{".cursor/projects/home-dana-shop/agent-transcripts/c-1/c-1.jsonl", "agent/cursor/testdata/session.jsonl"},
	{".cline/data/sessions/s1/s1.messages.json", "agent/cline/testdata/s1.messages.json"},
}

// home makes a home directory with all histories.
func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, k := range histories {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(k.of)))
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, filepath.FromSlash(k.path)), string(text))
	}
	put(t, filepath.Join(dir, ".gemini", "projects.json"), `{"projects":{"/home/dana/shop":"shop"}}`)
	put(t, filepath.Join(dir, ".cline", "data", "sessions", "s1", "s1.json"), `{"session_id":"s1","cwd":"/home/dana/shop"}`)
	openCode(t, filepath.Join(dir, ".local", "share", "opencode", "opencode.db"))
	return dir
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// openCode makes a database with the conversation that OpenCode's plugin sent.
func openCode(t *testing.T, path string) {
	t.Helper()
	put(t, path, "")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run := func(query string, args ...any) {
		t.Helper()
		if _, err := db.Exec(query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	run(`CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text, directory text NOT NULL, title text, version text NOT NULL, time_created integer, time_updated integer)`)
	run(`CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text NOT NULL)`)
	run(`CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer, data text NOT NULL)`)
	payload, err := os.ReadFile(filepath.Join("..", "..", "agent", "opencode", "testdata", "turn-end.json"))
	if err != nil {
		t.Fatal(err)
	}
	sessions := map[string]bool{}
	main := gjson.GetBytes(payload, "session_id").String()
	for _, m := range gjson.GetBytes(payload, "messages").Array() {
		info := m.Get("info")
		of, at := info.Get("sessionID").String(), info.Get("time.created").Int()
		if !sessions[of] {
			sessions[of] = true
			var parent any
			if of != main {
				parent = main
			}
			run(`INSERT INTO session VALUES (?, ?, ?, '', '/home/dana/shop', '', '1.18.33', ?, ?)`, of, strings.Repeat("ab", 20), parent, at, at)
		}
		run(`INSERT INTO message VALUES (?, ?, ?, ?, ?)`, info.Get("id").String(), of, at, at, without(info, "id", "sessionID"))
		for i, p := range m.Get("parts").Array() {
			run(`INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)`, fmt.Sprintf("%s-%02d", info.Get("id").String(), i), info.Get("id").String(), of, at, at, without(p, "id", "sessionID", "messageID"))
		}
	}
}

// without returns an object as the database keeps it: without the members that are columns.
func without(v gjson.Result, names ...string) string {
	var members []string
	v.ForEach(func(name, value gjson.Result) bool {
		for _, n := range names {
			if name.Str == n {
				return true
			}
		}
		members = append(members, name.Raw+":"+value.Raw)
		return true
	})
	return "{" + strings.Join(members, ",") + "}"
}

func find(t *testing.T, home string) rescue.Found {
	t.Helper()
	found, err := rescue.Find(t.Context(), machine(home), nil)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func machine(home string) rescue.Machine {
	return rescue.Machine{Home: home, Getenv: func(string) string { return "" }, Now: now}
}

func TestFindsEveryAgentsConversations(t *testing.T) {
	t.Parallel()
	found := find(t, home(t))
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
	for _, c := range find(t, home(t)).Conversations {
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
	dir := home(t)
	for _, k := range histories {
		at := now.Add(-20 * 24 * time.Hour)
		if err := os.Chtimes(filepath.Join(dir, filepath.FromSlash(k.path)), at, at); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(dir, ".gemini", "settings.json"), `{"general":{"sessionRetention":{"maxAge":"3w"}}}`)
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
	if _, err := rescue.Find(ctx, machine(home(t)), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestAnUnreadableFileHidesNoOther(t *testing.T) {
	t.Parallel()
	dir := home(t)
	before := len(find(t, dir).Conversations)
	put(t, filepath.Join(dir, ".local", "share", "kilo", "kilo.db"), "no database")
	put(t, filepath.Join(dir, ".claude", "projects", "-x", "22222222-0000-4000-8000-000000000001.jsonl"), "\x00\xff{\n")
	found := find(t, dir)
	if len(found.Problems) != 1 || len(found.Conversations) != before+1 {
		t.Errorf("%d problems, %d conversations, before %d", len(found.Problems), len(found.Conversations), before)
	}
}
