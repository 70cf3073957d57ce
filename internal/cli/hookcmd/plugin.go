package hookcmd

import (
	"context"
	"slices"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/plugin"
)

// pluginHook returns the hook of a plug-in, nil unless the person's own settings allow the plug-in here.
func pluginHook(env *cliui.Env, name, verb string) hookFunc {
	dir, err := env.Getwd()
	if err != nil || !plugin.ValidName(name) {
		return nil
	}
	p := workplace.FindPlace(dir)
	if !p.SetUp || !slices.Contains(agentlib.Plugins(p), name) {
		return nil
	}
	return func(ctx context.Context, h *hookRun) error { return h.plugin(ctx, p, name, verb) }
}

// plugin runs a hook whose payload a plug-in reads.
func (h *hookRun) plugin(ctx context.Context, p workplace.Place, name, verb string) error {
	if p.Off() {
		return nil
	}
	cwd, err := h.Here()
	if err != nil {
		return err
	}
	payload, err := readInput(h.In, inputLimit, inputWait)
	if err != nil {
		return err
	}
	program := agentlib.PluginNamed(h.Env, p, name)
	ev, err := program.Event(ctx, verb, payload, cwd, h.Now())
	if err != nil || ev.Type == "" {
		return err
	}
	if _, known := agents.ByType(ev.AgentType); known {
		ev.AgentType = agent.AgentType(name) // that agent's transcripts are read in another way
	}
	if ev.TranscriptPath != "" {
		h.bring(ctx, program, &ev)
	}
	if ev.Type == agent.ToolStart || ev.Type == agent.ToolEnd {
		return h.toolEvent(ctx, nil, ev, cwd)
	}
	return h.event(ctx, nil, ev, cwd)
}

// bring replaces the path of a transcript that only the plug-in can read by its lines, which this program
// keeps. They are read where something has ended; an error is logged, and the event still counts.
func (h *hookRun) bring(ctx context.Context, program *plugin.Plugin, ev *agent.Event) {
	lines := []byte{}
	switch ev.Type {
	case agent.TurnEnd, agent.TurnContinues, agent.SessionEnd, agent.TaskEnd, agent.ToolEnd:
		text, err := program.Transcript(ctx, *ev)
		if err != nil {
			h.report(err)
		}
		lines = append(lines, text...)
	}
	ev.TranscriptPath, ev.Lines = "", lines
}
