//go:build clients && linux

package clients

import (
	"testing"

	. "entire/internal/fakemodel" //nolint:staticcheck // a script reads as one
)

const (
	promptStopped = "Write a file and wait for me"
	stoppedLine   = "written_before_the_person_pressed_escape = True"
	ownLine       = "written_by_the_person_while_claude_waits = True"
)

// TestClaudeIsInterrupted: a person ends a turn with Esc, of which no hook tells, not even that Claude Code waits for a
// prompt. What the agent wrote before is the agent's, and what the person writes then is theirs.
func TestClaudeIsInterrupted(t *testing.T) {
	cache := withClients(t, "claude-code")
	client := claudeCode()
	client.prepare = func(w *World) map[string]string { // what a person has answered before
		return map[string]string{".claude.json": text(map[string]any{"hasCompletedOnboarding": true, "theme": "dark",
			"customApiKeyResponses": map[string]any{"approved": []string{"dummy"}},
			"projects":              map[string]any{w.Repo: map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}}})}
	}
	script := Script{{Match: promptStopped, Steps: []Step{
		do(Action{Verb: Write, Path: "stopped.py", Text: stoppedLine + "\n"}),
		{Gate: "escape", Say: "Nobody reads this."}}}}
	p := newPlay(t, buildEntire(t), cache, client, script, &cell{})
	hands(t, p.w, client, []string{"claude", "--permission-mode", "acceptEdits"}, []stroke{
		{shown: "accept edits on", keys: promptStopped},
		{keys: "\r", met: func() bool {
			select {
			case <-p.w.Model.Reached("escape"):
				return true
			default:
				return false
			}
		}},
		{keys: "\x1b"},
		{shown: "Interrupted", met: func() bool { p.save("mine.py", ownLine+"\n"); p.commit("Commit both"); return true }},
		{keys: "\x03"}, {keys: "\x03"},
	})
	p.owner("stopped.py", 1, promptStopped)
	p.owner("mine.py", 1, person)
	p.credit("HEAD", 1, 1)
}
