package plugin

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"entire/agent"
	"entire/agent/generic"
	"entire/id"
)

// info is the answer to the command info.
type info struct {
	Version     int      `json:"version"`
	Agent       string   `json:"agent"`
	Description string   `json:"description"`
	Verbs       []string `json:"verbs"`
	HookFiles   []string `json:"hook_files"`
	Programs    []string `json:"programs"`
	Folders     []string `json:"folders"`
	HomeFolders []string `json:"home_folders"`
	Trust       string   `json:"trust"`
}

// Adapter is a plug-in as an agent. Its methods run the program, and so take time.
type Adapter struct {
	generic.Adapter
	plugin *Plugin
	ctx    context.Context // of the command
	info   info
}

var _ agent.Agent = (*Adapter)(nil)

// Adapter asks the plug-in who its agent is.
func (p *Plugin) Adapter(ctx context.Context) (*Adapter, error) {
	a := &Adapter{plugin: p, ctx: ctx}
	if err := p.ask(ctx, "info", commandTimeout, map[string]int{"version": protocolVersion}, &a.info); err != nil {
		return nil, err
	}
	if err := a.info.check(); err != nil {
		return nil, p.failed("info", err)
	}
	if a.info.Agent == "" {
		a.info.Agent = p.Name
	}
	if a.info.Description == "" {
		a.info.Description = a.info.Agent
	}
	return a, nil
}

func (i info) check() error {
	if i.Version != protocolVersion {
		return fmt.Errorf("version %d of the protocol is not spoken here: it must be %d", i.Version, protocolVersion)
	}
	if len(i.Agent) > 40 || strings.ContainsAny(i.Agent, ":\n\r\x00\x1b") {
		return errors.New("agent must have at most 40 bytes and no colon")
	}
	if len(i.Verbs) == 0 {
		return errors.New("it names no verbs")
	}
	for _, name := range slices.Concat(i.HookFiles, i.Folders, i.HomeFolders) {
		if name == "" || path.IsAbs(name) || path.Clean(name) != name || name == ".." || strings.HasPrefix(name, "../") || strings.Contains(name, `\`) || strings.HasPrefix(name, ".git/") {
			return fmt.Errorf("%q must be a path below the repository or the home directory", name)
		}
	}
	for _, name := range slices.Concat(i.Programs, i.Verbs) {
		if name == "" || strings.ContainsAny(name, "/\\ \n") {
			return fmt.Errorf("%q must be one word", name)
		}
	}
	return nil
}

// Plugin returns the program.
func (a *Adapter) Plugin() *Plugin { return a.plugin }

// Name implements agent.Agent.
func (a *Adapter) Name() agent.AgentName { return agent.AgentName(a.plugin.Name) }

// Type implements agent.Agent.
func (a *Adapter) Type() agent.AgentType { return agent.AgentType(a.info.Agent) }

// Verbs implements agent.Agent.
func (a *Adapter) Verbs() []string { return a.info.Verbs }

// Profile implements agent.Agent.
func (a *Adapter) Profile() agent.Profile {
	p := agent.Profile{
		Description: a.info.Description, Programs: a.info.Programs, Folders: a.info.Folders, HomeFolders: a.info.HomeFolders,
		Trust: a.info.Trust, Preview: "plug-in " + Prefix + a.plugin.Name,
	}
	for _, name := range a.info.HookFiles {
		p.HookFiles = append(p.HookFiles, agent.HookFile{Path: name})
	}
	return p
}

// Decode implements agent.Agent.
func (a *Adapter) Decode(verb string, data []byte, now time.Time) (agent.Event, error) {
	if !slices.Contains(a.info.Verbs, verb) {
		return agent.Event{}, fmt.Errorf("%w %q for %s", agent.ErrUnknownVerb, verb, a.plugin.Name)
	}
	return a.plugin.Event(a.ctx, verb, data, a.plugin.Dir, now)
}

type editQuestion struct {
	Version int     `json:"version"`
	Path    string  `json:"path"`
	Content *string `json:"content"` // null: there is no file
	Command string  `json:"command"` // what a hook runs, before the verb
	Force   bool    `json:"force,omitempty"`
}

type editAnswer struct {
	Content *string `json:"content"`
	Count   int     `json:"count"`
}

func (a *Adapter) edit(command, file string, src []byte, force bool) ([]byte, int, error) {
	q := editQuestion{Version: protocolVersion, Path: file, Command: "entire hooks " + a.plugin.Name, Force: force}
	if src != nil {
		text := string(src)
		q.Content = &text
	}
	var answer editAnswer
	if err := a.plugin.ask(a.ctx, command, commandTimeout, q, &answer); err != nil {
		return nil, 0, err
	}
	if answer.Content == nil {
		return nil, answer.Count, nil
	}
	return []byte(*answer.Content), answer.Count, nil
}

// Install implements agent.Agent.
func (a *Adapter) Install(file string, src []byte, opts agent.InstallOptions) ([]byte, int, error) {
	return a.edit("install", file, src, opts.Force)
}

// Uninstall implements agent.Agent.
func (a *Adapter) Uninstall(file string, src []byte) ([]byte, int, error) {
	return a.edit("uninstall", file, src, false)
}

// Installed implements agent.Agent: there is something to remove.
func (a *Adapter) Installed(src []byte) bool {
	if len(a.info.HookFiles) == 0 {
		return false
	}
	_, count, err := a.Uninstall(a.info.HookFiles[0], src)
	return err == nil && count > 0
}

// Detected asks the plug-in whether its agent is used here.
func (a *Adapter) Detected(top, home string) (found bool, why string, err error) {
	var answer struct {
		Found bool   `json:"found"`
		Why   string `json:"why"`
	}
	err = a.plugin.ask(a.ctx, "detect", commandTimeout, map[string]any{"version": protocolVersion, "top": top, "home": home}, &answer)
	return answer.Found, short(answer.Why), err
}

// ResumeCommand implements agent.Agent. It returns "" if the plug-in has none, or fails.
func (a *Adapter) ResumeCommand(session id.SessionID) string {
	var answer struct {
		Command string `json:"command"`
	}
	if a.plugin.ask(a.ctx, "resume-command", commandTimeout, map[string]any{"version": protocolVersion, "session_id": session.String()}, &answer) != nil {
		return ""
	}
	return answer.Command
}
