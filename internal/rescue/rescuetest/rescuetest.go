// Package rescuetest makes home directories with the histories of every agent, for tests only: copies of the
// transcripts that the adapters are tested with, where each agent's program keeps them. No program imports it.
package rescuetest

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	_ "modernc.org/sqlite" // the driver
)

// A Kept is a file of an agent in a home directory, with the testdata that it is a copy of.
type Kept struct{ Path, Of string }

// Histories are one or more conversations of each agent, where its program keeps them.
var Histories = []Kept{
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

// Home makes a home directory with all histories. root is the top of this repository.
func Home(t testing.TB, root string) string {
	t.Helper()
	dir := t.TempDir()
	for _, k := range Histories {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(k.Of)))
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(k.Path) == ".json" { // another session than that in lines
			text = []byte(strings.NewReplacer("5d1f6d2e-", "6e1f0d2a-", `"m-`, `"o-`).Replace(string(text)))
		}
		Put(t, filepath.Join(dir, filepath.FromSlash(k.Path)), string(text))
	}
	Put(t, filepath.Join(dir, ".gemini", "projects.json"), `{"projects":{"/home/dana/shop":"shop"}}`)
	Put(t, filepath.Join(dir, ".cline", "data", "sessions", "s1", "s1.json"), `{"session_id":"s1","cwd":"/home/dana/shop"}`)
	openCode(t, root, filepath.Join(dir, ".local", "share", "opencode", "opencode.db"))
	return dir
}

// Put writes a file.
func Put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// openCode makes a database with the conversation that OpenCode's plugin sent.
func openCode(t testing.TB, root, path string) {
	t.Helper()
	Put(t, path, "")
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
	payload, err := os.ReadFile(filepath.Join(root, "agent", "opencode", "testdata", "turn-end.json"))
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
		if slices.Contains(names, name.Str) {
			return true
		}
		members = append(members, name.Raw+":"+value.Raw)
		return true
	})
	return "{" + strings.Join(members, ",") + "}"
}
