package hookcmd

import (
	"fmt"
	"strings"

	"entire/agent"
	"entire/checkpoint/shadow"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/risk"
	"entire/strategy/turn"
)

// settingsAt returns the settings for the hook of a tool call. Those that cannot be read are the defaults.
func settingsAt(p workplace.Place) config.Settings {
	s, _ := config.Load(p.Settings) // the hooks of turns report what is wrong
	return s
}

// refuses reports whether the person's own settings refuse a command, and tells the agent so. An agent that
// reads no answer is not refused anything.
func (h *hookRun) refuses(ag agent.Agent, s config.Settings, ev agent.Event) bool {
	pattern := risk.Denied(ev.ShellCommand(), s.Deny)
	if pattern == "" {
		return false
	}
	answerer, ok := ag.(agent.ToolAnswerer)
	if !ok {
		return false
	}
	out := answerer.AnswerTool("", fmt.Sprintf("This command is refused here: guard.deny of .entire/settings.local.json has %q. Ask the person who works with you.", pattern))
	if len(out) == 0 {
		return false
	}
	_, err := h.Out.Write(out)
	return err == nil
}

// tellSaved tells the agent which step holds the files before a risky command.
func (h *hookRun) tellSaved(ag agent.Agent, ev agent.Event, answer turn.Response) error {
	what, risky := strings.CutPrefix(ev.CheckpointReason, shadow.WhyBeforeCommand)
	answerer, ok := ag.(agent.ToolAnswerer)
	if !risky || !ok || answer.Saved.IsZero() {
		return nil
	}
	note := fmt.Sprintf("Entire saved the files before this command (%s) as %s; undo with: entire rewind %[2]s --code", what, answer.Saved.Short())
	if answer.Others {
		note += " --session " + ev.SessionID.String()
	}
	if beyond := risk.Beyond(what); beyond != "" {
		note += "; " + beyond
	}
	_, err := h.Out.Write(answerer.AnswerTool(note, ""))
	return err
}
