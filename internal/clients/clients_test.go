//go:build clients && linux

package clients

import (
	"os"
	"strings"
	"sync"
	"testing"
)

// TestClients drives every client through every scenario and writes the table. AGENTS=codex,pi and SCENARIOS=1,3 choose;
// the table is written only for agents that went through all.
func TestClients(t *testing.T) {
	chosen := choose(t, os.Getenv("AGENTS"))
	var names []string
	for _, client := range chosen {
		names = append(names, client.Name)
	}
	cache := withClients(t, append(names, "claude-code", "gemini")...)
	bin := buildEntire(t)
	var mu sync.Mutex // guards seen
	seen := map[string]map[int]*cell{}
	t.Run("scenarios", func(t *testing.T) {
		for _, client := range chosen {
			seen[client.Name] = map[int]*cell{}
			for _, scenario := range scenarios() {
				if only := os.Getenv("SCENARIOS"); only != "" && !strings.Contains(","+only+",", ","+string(rune('0'+scenario.number))+",") {
					continue
				}
				t.Run(client.Name+"/"+string(rune('0'+scenario.number)), func(t *testing.T) {
					t.Parallel()
					c := &cell{}
					mu.Lock()
					seen[client.Name][scenario.number] = c
					mu.Unlock()
					p := newPlay(t, bin, cache, client, scenario.script(client), c)
					scenario.play(p)
					c.ended = true
				})
			}
		}
	})
	if os.Getenv("SCENARIOS") != "" {
		return
	}
	if err := writeTable("../../docs/agents.md", chosen, seen); err != nil {
		t.Error(err)
	}
}

func choose(t *testing.T, names string) []Client {
	if names == "" {
		return Clients()
	}
	var chosen []Client
	for name := range strings.SplitSeq(names, ",") {
		client, err := Find(strings.TrimSpace(name))
		if err != nil {
			t.Fatal(err)
		}
		chosen = append(chosen, client)
	}
	return chosen
}
