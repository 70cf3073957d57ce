//go:build clients && linux

package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestRescue: what a program keeps is found and imported where Entire was never enabled, once.
func TestRescue(t *testing.T) {
	for _, client := range choose(t, os.Getenv("AGENTS")) {
		t.Run(client.Name, func(t *testing.T) {
			p := unrecorded(t, client)
			p.ask(promptGreet)
			rescued(p, 1)
			if said := p.entire("rescue", "--yes"); !strings.Contains(said, "nothing new to import") {
				t.Errorf("again: %s", said)
			}
		})
	}
}

// TestRescuedForksShare: a conversation that was forked keeps only what its first part does not have.
func TestRescuedForksShare(t *testing.T) {
	t.Run("claude-code", func(t *testing.T) {
		p := unrecorded(t, claudeCode())
		p.ask(promptGreet)
		again := p.client.again
		p.client.again = func(w *World, id, prompt string) []string { return append(again(w, id, prompt), "--fork-session") }
		p.goOn(promptLoud)
		forked(p)
	})
	t.Run("codex", func(t *testing.T) {
		client := codex()
		prepare := client.prepare
		client.prepare = func(w *World) map[string]string { // no other model is offered
			files := prepare(w)
			files[".codex/config.toml"] += "[notice.model_migrations]\n\"gpt-5.5\" = \"gpt-6-sol\"\n"
			return files
		}
		p := unrecorded(t, client)
		p.ask(promptGreet)
		hands(t, p.w, p.client, []string{"codex", "fork", gjson.Get(p.entire("rescue", "--json"), "conversations.0.session_id").Str, "--dangerously-bypass-approvals-and-sandbox", promptLoud}, []stroke{
			{shown: "The greeting is loud.", keys: "\x03"}, {keys: "\x03"},
		})
		forked(p)
	})
}

// unrecorded makes a world in which Entire is not enabled.
func unrecorded(t *testing.T, client Client) *play {
	t.Helper()
	cache := withClients(t, client.Name)
	p := newWorld(t, buildEntire(t), cache, client, workScript(client), &cell{})
	if err := p.w.Prepare(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	return p
}

// rescued imports, and returns the conversations by session.
func rescued(p *play, count int) map[string]gjson.Result {
	p.t.Helper()
	out := map[string]gjson.Result{}
	for _, c := range gjson.Get(p.entire("rescue", "--yes", "--json"), "conversations").Array() {
		out[c.Get("session_id").Str] = c
		if c.Get("outcome").Str != "imported" || c.Get("messages_added").Int() == 0 || c.Get("project_by").Str != "folder" {
			p.wrong("a conversation became %s", c.Raw)
		}
		if said := p.entire("sessions", "show", c.Get("session_id").Str, "--messages"); !strings.Contains(said, promptGreet) {
			p.wrong("the session has no prompt: %s", said)
		}
	}
	if len(out) != count {
		p.wrong("%d conversations were found, want %d", len(out), count)
	}
	if said := p.entire("sessions", "check"); strings.Contains(said, "broken") {
		p.wrong("check: %s", said)
	}
	return out
}

// forked imports two conversations; one is a fork of the other.
func forked(p *play) {
	p.t.Helper()
	shares := 0
	for session, c := range rescued(p, 2) {
		if c.Get("shares_with").Str == "" {
			continue
		}
		shares++
		if c.Get("messages_added").Int() >= c.Get("message_count").Int() {
			p.wrong("the fork shares nothing: %s", c.Raw)
		}
		own, _ := filepath.Glob(filepath.Join(p.w.Home, ".local/share/entire/projects/*/sessions", session, "messages.jsonl"))
		for _, file := range own {
			if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "I write the greeting.") {
				p.wrong("the fork has messages of its first part: %v", err)
			}
		}
	}
	if shares != 1 {
		p.wrong("%d of 2 conversations share messages", shares)
	}
}
