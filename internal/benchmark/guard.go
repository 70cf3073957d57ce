package main

import (
	"encoding/json"
	"path/filepath"
)

// hookLine returns the line that the agent's shell gets before a command.
func (r *repo) hookLine() string {
	var settings struct {
		Hooks map[string][]struct {
			Matcher string
			Hooks   []struct{ Command string }
		}
	}
	r.check(json.Unmarshal(r.read(filepath.Join(r.dir, ".claude", "settings.json")), &settings))
	for _, group := range settings.Hooks["PreToolUse"] {
		if group.Matcher == "Bash" && len(group.Hooks) > 0 {
			return group.Hooks[0].Command
		}
	}
	return "false"
}

// before runs the hook line before a command.
func (k *agentSession) before(line, command string) sample {
	payload, err := json.Marshal(map[string]any{"session_id": k.id, "transcript_path": k.path, "cwd": k.dir, "permission_mode": "default",
		"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "toolu_" + k.uuid(),
		"tool_input": map[string]any{"command": command, "description": "Run what is needed"}})
	k.check(err)
	return k.measure(k.dir, payload, "sh", "-c", line)
}

// guard measures the hook before a command: of a harmless one beside /bin/true, and of one that may lose work
// with three changed files beside git status.
func guard(l *lab) {
	for _, n := range l.sizes {
		r := l.repo(n)
		line, s := r.hookLine(), map[string]series{}
		put := func(name string, one sample) { s[name] = append(s[name], one) }
		for range l.reps {
			k := r.newSession()
			k.prompt()
			for range 3 {
				put("true", k.measure(r.dir, nil, "/bin/true"))
				put("harmless", k.before(line, "go test ./... 2>&1 | tail -20 && git status --short"))
			}
			k.edit(2, 1)
			k.say(30000)
			put("status", r.status())
			put("guarded", k.before(line, "git checkout -q -- no-such-file; git stash drop"))
			k.stop()
			k.end()
		}
		size := thousands(n) + " files"
		l.times("before a harmless command, beside /bin/true", size, s["true"], s["harmless"], median, 1, 2)
		l.times("before a command that may lose work, 3 files changed", size, s["status"], s["guarded"], median, 1.15, 40)
	}
}
