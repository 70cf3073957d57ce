//go:build linux

package clients

import (
	"encoding/json"
	"fmt"
	"path/filepath"
)

// A Client is how one program is run headless: everything that differs between them.
type Client struct {
	Name      string // as in `entire enable --agent NAME`
	Title     string // as tables show it
	Subagents string // the type of a subagent that may write files; "" where the program has none

	prepare  func(*World) map[string]string // files below HOME, written before every run
	inRepo   map[string]string              // files in the repository, which git does not see
	env      func(*World) []string
	command  func(w *World, prompt string) []string
	again    func(w *World, id string, prompt string) []string // continues the session with the ID; the newest where it is ""
	sessions string                                            // glob below HOME of the sessions' files, where an ID has to be found
	setup    func(w *World) []string                           // a command that is run once in a new home
	terminal *terminal                                         // how again is used, where the program does that only with a terminal
}

// Clients returns all clients in the order of the table.
func Clients() []Client {
	return []Client{claudeCode(), geminiCLI(), codex(), openCode("opencode", "OpenCode"), copilot(), qwen(), droid(), cline(), openCode("kilo", "Kilo"), pi()}
}

// Find returns the client of that name.
func Find(name string) (Client, error) {
	for _, client := range Clients() {
		if client.Name == name {
			return client, nil
		}
	}
	return Client{}, fmt.Errorf("no client is called %s", name)
}

func claudeCode() Client {
	base := func(prompt string) []string {
		return []string{"claude", "-p", prompt, "--permission-mode", "bypassPermissions", "--allowedTools", "Bash Write Edit Read Agent Task"}
	}
	return Client{
		Name: "claude-code", Title: "Claude Code", Subagents: "general-purpose",
		env: func(w *World) []string {
			return []string{"ANTHROPIC_BASE_URL=" + w.Model.URL, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
				"DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1"}
		},
		command: func(_ *World, prompt string) []string { return base(prompt) },
		again: func(_ *World, id, prompt string) []string {
			if id == "" {
				return append(base(prompt), "--continue")
			}
			return append(base(prompt), "--resume", id)
		},
		sessions: ".claude/projects/*/*.jsonl",
	}
}

func geminiCLI() Client {
	return Client{
		Name: "gemini", Title: "Gemini CLI", Subagents: "generalist",
		prepare: func(*World) map[string]string {
			return map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}}}`}
		},
		env: func(w *World) []string {
			return []string{"GOOGLE_GEMINI_BASE_URL=" + w.Model.URL, "GEMINI_API_KEY=dummy", "GEMINI_CLI_TRUST_WORKSPACE=true"}
		},
		command: func(_ *World, prompt string) []string { return []string{"gemini", "-p", prompt, "--yolo"} },
		again: func(_ *World, id, prompt string) []string {
			if id == "" {
				id = "latest"
			}
			return []string{"gemini", "--resume", id, "-p", prompt, "--yolo"}
		},
		sessions: ".gemini/tmp/*/chats/session-*",
	}
}

func codex() Client {
	flags := []string{"codex", "exec", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"}
	return Client{
		Name: "codex", Title: "Codex", Subagents: "default",
		// It offers apply_patch to models of known names only, and runs a project's hooks only where the project is trusted.
		prepare: func(w *World) map[string]string {
			return map[string]string{".codex/config.toml": fmt.Sprintf(`model = "gpt-5.5"
model_provider = "fake"
[features]
multi_agent_v2 = true
[model_providers.fake]
name = "fake"
base_url = "%s/v1"
wire_api = "responses"
[projects."%s"]
trust_level = "trusted"
`, w.Model.URL, w.Repo)}
		},
		command: func(_ *World, prompt string) []string { return append(flags[:4:4], prompt) },
		again: func(_ *World, id, prompt string) []string {
			if id == "" {
				id = "--last"
			}
			return append(flags[:4:4], "resume", id, prompt)
		},
		sessions: ".codex/sessions/*/*/*/rollout-*.jsonl",
	}
}

func copilot() Client {
	base := func(prompt string) []string {
		return []string{"copilot", "-p", prompt, "--allow-all-tools", "--allow-all-paths"}
	}
	return Client{
		Name: "copilot", Title: "Copilot CLI", Subagents: "general-purpose",
		env: func(w *World) []string {
			return []string{"COPILOT_PROVIDER_BASE_URL=" + w.Model.URL + "/v1", "COPILOT_PROVIDER_API_KEY=dummy", "COPILOT_PROVIDER_TYPE=openai",
				"COPILOT_MODEL=gpt-5.2", "COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=true"}
		},
		command: func(_ *World, prompt string) []string { return base(prompt) },
		again: func(_ *World, id, prompt string) []string {
			if id == "" {
				return append(base(prompt), "--continue")
			}
			return append(base(prompt), "--resume="+id)
		},
		sessions: ".copilot/session-state/*/events.jsonl",
	}
}

// openCode is OpenCode, and Kilo, which is made from it.
func openCode(name, title string) Client {
	base, module := []string{name, "run"}, "@opencode-ai/plugin"
	if name == "kilo" {
		base, module = append(base, "--auto"), "@kilocode/plugin"
	}
	inRepo := map[string]string{"." + name + "/.gitignore": "node_modules\npackage-lock.json\n.gitignore\n"}
	for file, content := range installed(module) {
		inRepo["."+name+"/"+file] = content
	}
	return Client{
		Name: name, Title: title, Subagents: "general", inRepo: inRepo,
		prepare: func(w *World) map[string]string {
			provider := map[string]any{"npm": "@ai-sdk/openai-compatible", "name": "fake",
				"options": map[string]any{"baseURL": w.Model.URL + "/v1", "apiKey": "dummy"},
				"models": map[string]any{"fake-1": map[string]any{"name": "fake-1", "tool_call": true,
					"limit": map[string]any{"context": 200000, "output": 8000}}}}
			// Kilo waits up to two minutes for its own snapshots, and asks a person then.
			files := map[string]string{filepath.Join(".config", name, name+".json"): text(map[string]any{"autoupdate": false, "share": "disabled", "snapshot": name != "kilo",
				"permission": "allow", "model": "fake/fake-1", "small_model": "fake/fake-1", "provider": map[string]any{"fake": provider}})}
			for file, content := range installed(module) {
				files[filepath.Join(".config", name, file)] = content
			}
			return files
		},
		command: func(_ *World, prompt string) []string { return append(base[:len(base):len(base)], prompt) },
		again: func(_ *World, id, prompt string) []string {
			if id == "" {
				return append(base[:len(base):len(base)], "--continue", prompt)
			}
			return append(base[:len(base):len(base)], "--session", id, prompt)
		},
	}
}

// installed returns what a folder of OpenCode's settings holds when it has installed its module from npm: it does so
// before its first prompt, asks a registry that it cannot reach again for 70 seconds, and leaves a lock behind that holds
// the next run up when it ends meanwhile.
func installed(module string) map[string]string {
	lock := map[string]any{"lockfileVersion": 3, "packages": map[string]any{"": map[string]any{"dependencies": map[string]string{module: "*"}}}}
	return map[string]string{"node_modules/.package-lock.json": "{}", "package-lock.json": text(lock)}
}

func qwen() Client {
	return Client{
		Name: "qwen", Title: "Qwen Code", Subagents: "general-purpose",
		prepare: func(*World) map[string]string {
			return map[string]string{".qwen/settings.json": `{"security":{"auth":{"selectedType":"openai"}},"privacy":{"usageStatisticsEnabled":false}}`}
		},
		env: func(w *World) []string {
			return []string{"OPENAI_BASE_URL=" + w.Model.URL + "/v1", "OPENAI_API_KEY=dummy", "OPENAI_MODEL=fake-1"}
		},
		command: func(_ *World, prompt string) []string { return []string{"qwen", "-p", prompt, "--yolo"} },
		again: func(_ *World, id, prompt string) []string {
			if id == "" {
				return []string{"qwen", "--continue", "-p", prompt, "--yolo"}
			}
			return []string{"qwen", "--resume", id, "-p", prompt, "--yolo"}
		},
		sessions: ".qwen/projects/*/chats/*.jsonl",
	}
}

func droid() Client {
	base := []string{"droid", "exec", "--skip-permissions-unsafe", "-m", "custom:fake-1-0"}
	return Client{
		Name: "droid", Title: "Factory droid", Subagents: "worker",
		prepare: func(w *World) map[string]string {
			model := map[string]any{"model": "fake-1", "id": "custom:fake-1-0", "displayName": "fake-1", "baseUrl": w.Model.URL + "/v1",
				"apiKey": "dummy", "provider": "generic-chat-completion-api", "maxOutputTokens": 8000}
			return map[string]string{".factory/settings.json": text(map[string]any{"customModels": []any{model}})}
		},
		// Without airgap mode it asks its maker's server for a session to continue; the model takes that server's place.
		env: func(w *World) []string {
			return []string{"FACTORY_API_KEY=fk-dummy", "FACTORY_API_BASE_URL=" + w.Model.URL, "FACTORY_AIRGAP_ENABLED=false",
				"FACTORY_DISABLE_KEYRING=1", "FACTORY_DROID_AUTO_UPDATE_ENABLED=false"}
		},
		command: func(_ *World, prompt string) []string { return append(base[:len(base):len(base)], prompt) },
		again: func(w *World, id, prompt string) []string {
			if id == "" {
				id = w.newest(".factory/sessions/*/*.jsonl")
			}
			return append(base[:len(base):len(base)], "-s", id, prompt)
		},
		sessions: ".factory/sessions/*/*.jsonl",
	}
}

func cline() Client {
	return Client{
		Name: "cline", Title: "Cline CLI", Subagents: "helper",
		setup: func(w *World) []string {
			return []string{"cline", "auth", "-p", "openai-compatible", "-k", "dummy", "-m", "fake-1", "-b", w.Model.URL + "/v1"}
		},
		command: func(_ *World, prompt string) []string { return []string{"cline", prompt, "--auto-approve", "true"} },
		// With --id it ignores a prompt and opens its interface.
		again: func(w *World, id, _ string) []string {
			if id == "" {
				id = w.newest(".cline/data/sessions/*/*.messages.json")
			}
			return []string{"cline", "--id", id, "--auto-approve", "true"}
		},
		terminal: &terminal{ready: "Ask anything", quit: "\x03"},
		sessions: ".cline/data/sessions/*/*.messages.json",
	}
}

func pi() Client {
	base := func(prompt string) []string {
		return []string{"pi", "-p", prompt, "--approve", "--provider", "fake", "--model", "fake-1"}
	}
	return Client{
		Name: "pi", Title: "pi",
		prepare: func(w *World) map[string]string {
			model := map[string]any{"id": "fake-1", "name": "fake-1", "reasoning": false, "input": []string{"text"}, "contextWindow": 128000,
				"maxTokens": 8000, "cost": map[string]any{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}}
			return map[string]string{".pi/agent/models.json": text(map[string]any{"providers": map[string]any{"fake": map[string]any{
				"baseUrl": w.Model.URL + "/v1", "api": "openai-completions", "apiKey": "dummy", "models": []any{model}}}})}
		},
		command: func(_ *World, prompt string) []string { return base(prompt) },
		again: func(_ *World, id, prompt string) []string {
			if id == "" {
				return append(base(prompt), "--continue")
			}
			return append(base(prompt), "--session", id)
		},
		sessions: ".pi/agent/sessions/*/*.jsonl",
	}
}

// text returns the value as JSON; it is made of this file's literals, so it can be.
func text(value any) string {
	out, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(out)
}
