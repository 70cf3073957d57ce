//go:build clients && linux

package clients

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"entire/internal/fakemodel"
)

// trusting is how the scenarios tell programs to trust a folder or its hooks.
var trusting = []string{"--approve", "--dangerously-bypass-hook-trust", "GEMINI_CLI_TRUST_WORKSPACE=true", "GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=true"}

// untrusting returns the client as a person runs it in a folder that they have not trusted.
func untrusting(client Client) Client {
	less := func(words []string) []string {
		return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return slices.Contains(trusting, word) })
	}
	out := client
	out.command = func(w *World, prompt string) []string { return less(client.command(w, prompt)) }
	if client.env != nil {
		out.env = func(w *World) []string { return less(client.env(w)) }
	}
	switch client.Name {
	case "codex":
		out.prepare = func(w *World) map[string]string {
			files := client.prepare(w)
			files[".codex/config.toml"], _, _ = strings.Cut(files[".codex/config.toml"], "[projects.")
			return files
		}
	case "gemini": // otherwise it refuses to work there
		out.command = func(w *World, prompt string) []string { return append(client.command(w, prompt), "--skip-trust") }
	}
	return out
}

// TestUntrusted runs each program in a folder that nobody has trusted, with hooks in the repository and with hooks of the user:
// `entire agent list` says what a person must do where the program skips the hooks, and not elsewhere.
func TestUntrusted(t *testing.T) {
	chosen := choose(t, "")
	var names []string
	for _, client := range chosen {
		names = append(names, client.Name)
	}
	cache := withClients(t, names...)
	bin := buildEntire(t)
	for _, client := range chosen {
		client := untrusting(client)
		script := fakemodel.Script{{Match: "Say hello", Steps: []fakemodel.Step{{Say: "Hello."}}}}
		for _, whose := range []string{"repository", "user"} {
			t.Run(client.Name+"/"+whose, func(t *testing.T) {
				t.Parallel()
				p := newWorld(t, bin, cache, client, script, &cell{})
				if err := p.w.Prepare(t.Context(), client); err != nil {
					t.Fatal(err)
				}
				command := []string{"enable", "--agent", client.Name}
				if whose == "user" {
					command = append(command, "--global")
				}
				said := p.entire(command...)
				p.finish(p.w.Start(t.Context(), client, "Say hello"))
				for _, agent := range gjson.Parse(p.entire("agent", "list", "--json")).Array() {
					trust := agent.Get("trust").String()
					if agent.Get("name").String() == client.Name && (agent.Get("never_heard").Bool() != (trust != "") || !strings.Contains(said, trust)) {
						t.Errorf("%s\nenable said: %s", agent, said)
					}
				}
			})
		}
	}
}
