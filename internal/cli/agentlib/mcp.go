package agentlib

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/agent"
	"entire/agent/mcp"
	"entire/internal/cli/beside"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
)

// mcpProgram is the file name of the MCP server, without what a system adds.
const mcpProgram = "entire-mcp"

// MCPProgram returns the path of the MCP server's program: beside this program, or else on PATH.
func MCPProgram(env *cliui.Env) (string, error) {
	return beside.Program(env, mcpProgram, "which answers agents")
}

// An Asking is what lets an agent ask this program: the MCP server in its configuration, or a skill.
type Asking struct {
	What string // in words
	// FileOf returns the file for an agent, "" for an agent that has none.
	FileOf    func(agent.Agent) string
	add, drop func(ag agent.Agent, src []byte) ([]byte, int, error)
	foreign   error
}

// MCPServer and SkillText are the two.
func MCPServer() Asking {
	return Asking{"MCP server", func(ag agent.Agent) string { return ag.Profile().MCP.Path },
		func(ag agent.Agent, src []byte) ([]byte, int, error) { return mcp.AddServer(ag.Profile().MCP, src) },
		func(ag agent.Agent, src []byte) ([]byte, int, error) { return mcp.DropServer(ag.Profile().MCP, src) }, mcp.ErrForeign}
}

func SkillText() Asking {
	return Asking{"skill", func(ag agent.Agent) string {
		if folder := ag.Profile().SkillFolder; folder != "" {
			return mcp.SkillFile(folder)
		}
		return ""
	}, func(_ agent.Agent, src []byte) ([]byte, int, error) { return mcp.AddSkill(src) },
		func(_ agent.Agent, src []byte) ([]byte, int, error) { return mcp.DropSkill(src) }, mcp.ErrEdited}
}

// Plan plans to add it to the files of an agent below top, or to remove it.
func (a Asking) Plan(top string, ag agent.Agent, add bool) (workplace.AgentEdit, error) {
	change := a.drop
	if add {
		change = a.add
	}
	return workplace.PlanFile(top, a.FileOf(ag), func(src []byte) ([]byte, int, error) { return change(ag, src) })
}

// Foreign reports whether an error of Plan says that the file holds something of another person under our
// name, which stays.
func (a Asking) Foreign(err error) bool { return errors.Is(err, a.foreign) }

// Has returns what an agent has of both kinds below top, in words, as far as nobody has changed it.
func Has(top string, ag agent.Agent) (words []string) {
	for _, a := range []Asking{MCPServer(), SkillText()} {
		if a.FileOf(ag) == "" {
			continue
		}
		if edit, err := a.Plan(top, ag, false); err == nil && edit.Count > 0 {
			words = append(words, a.What+" of "+string(ag.Type()))
		}
	}
	return words
}

// Without removes everything of both kinds of an agent below top, as far as nobody has changed it. It
// returns what it removed, in words.
func Without(top string, ag agent.Agent) (removed []string, err error) {
	var errs []error
	for _, a := range []Asking{MCPServer(), SkillText()} {
		if a.FileOf(ag) == "" {
			continue
		}
		edit, err := a.Plan(top, ag, false)
		if err == nil && edit.Count > 0 {
			if err = edit.Apply(); err == nil {
				removed = append(removed, a.What)
			}
		}
		if err != nil && !a.Foreign(err) {
			errs = append(errs, fmt.Errorf("%s of %s: %w", a.What, ag.Type(), err))
		}
	}
	return removed, errors.Join(errs...)
}

// ToAsk returns the agents that get it: the named ones, or those whose hooks are installed at p.
func (a Asking) ToAsk(ctx context.Context, env *cliui.Env, p workplace.Place, names []string) (list []agent.Agent, err error) {
	from := Installed(ctx, env, p)
	if len(names) > 0 {
		from = nil
	}
	for _, name := range names {
		ag, err := Lookup(ctx, env, p, name)
		if err != nil {
			return nil, cliui.Failf("one of "+strings.Join(workplace.AgentNames(), ", "), "%w: %s", err, cliui.ShownLine(name))
		}
		if a.FileOf(ag) == "" {
			return nil, cliui.Failf("tell the agent by hand", "no file in a project is known that tells %s of the %s", ag.Type(), a.What)
		}
		from = append(from, ag)
	}
	for _, ag := range from {
		if a.FileOf(ag) != "" {
			list = append(list, ag)
		}
	}
	return list, nil
}

// Check returns the error that [Asking.Change] would have before it writes a file.
func (a Asking) Check(top string, list []agent.Agent, add bool) error {
	_, err := a.planAll(top, list, add)
	return err
}

func (a Asking) planAll(top string, list []agent.Agent, add bool) ([]workplace.AgentEdit, error) {
	edits := make([]workplace.AgentEdit, len(list))
	for i, ag := range list {
		var err error
		if edits[i], err = a.Plan(top, ag, add); err != nil {
			hint := "correct the file or move it away"
			if a.Foreign(err) {
				hint = "rename or remove it; it stays as it is"
			}
			return nil, cliui.Failf(hint, "%s of %s: %w", a.What, ag.Type(), err)
		}
	}
	return edits, nil
}

// Change adds it for the agents, or removes it, and says what was done. Nothing is written if a file cannot
// be edited.
func (a Asking) Change(env *cliui.Env, top string, list []agent.Agent, add bool) error {
	edits, err := a.planAll(top, list, add)
	if err != nil {
		return err
	}
	for i, ag := range list {
		if err := edits[i].Apply(); err != nil {
			return fmt.Errorf("%s of %s: %w", a.What, ag.Type(), err)
		}
		said := map[bool]string{true: "has the " + a.What + " already", false: "did not have the " + a.What}[add]
		if edits[i].Count > 0 {
			said = map[bool]string{true: "has the " + a.What + " now", false: "does not have the " + a.What + " any more"}[add]
		}
		fmt.Fprintf(env.Out, "%s %s (%s).\n", ag.Type(), said, cliui.ShownName(a.FileOf(ag)))
	}
	return nil
}
