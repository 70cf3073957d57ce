package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/hooks"
	"entire/internal/config"
)

// strategies are the names that the setting accepts.
var strategies = []string{config.DefaultStrategy, "auto-commit"}

// defaultAgent is set up if no agent is named.
const defaultAgent = agent.AgentNameClaudeCode

// descriptions are the agents' names in the output of enable.
var descriptions = map[agent.AgentName]string{
	agent.AgentNameClaudeCode: "Claude Code - Anthropic's CLI coding assistant",
	agent.AgentNameGemini:     "Gemini CLI - Google's AI coding assistant",
}

// preview returns a suffix for an agent with preliminary support; "" for others.
func preview(ag agent.Agent) string {
	if ag.Name() == agent.AgentNameGemini {
		return " (Preview)"
	}
	return ""
}

// howToCall is the text of enable for an agent without a settings file.
const howToCall = `Nothing is installed for this agent: let it call, with JSON on standard input,

  entire hooks generic turn-start   {"version":1,"session_id":"ID","cwd":"/path","prompt":"what was asked"}
  entire hooks generic turn-end     {"version":1,"session_id":"ID","cwd":"/path","response":"what was answered"}

and, where it can, session-start, session-end, task-start, task-end and todo.
docs/agents.md has every field and an example to copy.

`

type enableOptions struct {
	agent, strategy           string
	local, project, force     bool
	skipPush, localDev, telem bool
	noGit                     bool
	pushTo                    string

	agentGiven, strategyGiven, telemGiven, localDevGiven bool
}

// registerSetup adds the commands that set Entire up to parent.
func registerSetup(parent *cobra.Command, w *world) {
	parent.AddCommand(w.enableCommand(), w.disableCommand(), w.pushCommand(), w.demoCommand())
}

func (w *world) enableCommand() *cobra.Command {
	var o enableOptions
	cmd := &cobra.Command{
		Use:   "enable",
		Short: "Start saving what agents do in this repository",
		Long: `Start saving what agents do in this repository: install the agent's hooks and
git's, and record it in .entire/settings.json.

In a folder that is not a repository, --no-git keeps files and conversations.

Running it again changes only what is missing. Other hooks and settings stay.
Nothing is sent anywhere unless you agree to a destination (--push-to).`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			given := cmd.Flags().Changed
			o.agentGiven, o.strategyGiven = given("agent"), given("strategy")
			o.telemGiven, o.localDevGiven = given("telemetry"), given("local-dev")
			if given("push-to") && o.pushTo == "" {
				return errNoRemoteName
			}
			return w.allOrNothing(func(w *world) error { return w.enable(cmd.Context(), o) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.agent, "agent", "", "set up this agent's hooks ("+strings.Join(agentNames(), ", ")+")")
	f.StringVar(&o.strategy, "strategy", "", "manual-commit or auto-commit")
	f.BoolVar(&o.local, "local", false, "write .entire/settings.local.json, which is yours alone")
	f.BoolVar(&o.project, "project", false, "write .entire/settings.json, which the project shares")
	f.BoolVar(&o.noGit, "no-git", false, "in a folder that is not a repository: keep files and conversations")
	f.BoolVarP(&o.force, "force", "f", false, "install the agent's hooks again")
	f.BoolVar(&o.skipPush, "skip-push-sessions", false, "never push stored sessions with git push")
	w.addPushFlag(cmd, &o.pushTo)
	f.BoolVar(&o.telem, "telemetry", true, "recorded for other tools; this one sends nothing")
	f.BoolVar(&o.localDev, "local-dev", false, "run hooks from the worktree's source (written to settings.local.json)")
	f.Bool("ignore-untracked", false, "accepted and ignored")
	hide(f, "local-dev", "ignore-untracked")
	cmd.RegisterFlagCompletionFunc("agent", cobra.FixedCompletions(agentNames(), cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("strategy", cobra.FixedCompletions(strategies, cobra.ShellCompDirectiveNoFileComp))
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		if strings.Contains(err.Error(), "flag needs an argument: --agent") {
			w.printAgents("")
			return errTold
		}
		return err
	})
	cmd.AddCommand(w.enableGitHookCommand())
	return cmd
}

func (w *world) enableGitHookCommand() *cobra.Command {
	return &cobra.Command{
		Use: "git-hook", Short: "Install git's hooks only", Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			wp, err := w.open(cmd.Context())
			if err != nil {
				return err
			}
			defer wp.close()
			done, err := w.installGitHooks(cmd.Context(), wp)
			if err != nil {
				return err
			}
			if !done {
				_, err := fmt.Fprint(w.out, byHand)
				return err
			}
			fmt.Fprintln(w.out, "✓ Git hooks installed")
			fmt.Fprintln(w.out, "Commits are linked to sessions from now on.")
			return nil
		},
	}
}

func (w *world) enable(ctx context.Context, o enableOptions) error {
	if top, err := w.folderToEnable(ctx, o); err != nil {
		return err
	} else if top != "" {
		return w.enableFolder(ctx, top, o)
	}
	wp, err := w.openForEnable(ctx)
	if err != nil {
		return err
	}
	defer wp.close()
	ag, err := w.checkEnable(o)
	if err != nil {
		return err
	}
	if err := w.noteUnborn(ctx, wp); err != nil {
		return err
	}
	if err := w.agreeAtOnce(ctx, wp, o); err != nil {
		return err
	}
	if o.plain() && w.everythingSetUp(ctx, wp) {
		err = w.alreadyEnabled(wp)
	} else {
		err = w.setUp(ctx, wp, ag, o)
	}
	if err != nil || o.agentGiven || o.pushTo != "" {
		return err
	}
	return w.askAboutPush(ctx, wp)
}

// openForEnable opens the worktree, and returns an error for settings that cannot be read before
// anything is changed.
func (w *world) openForEnable(ctx context.Context) (*workplace, error) {
	wp, settingsErr, err := w.openHere(ctx, failf("make one with `git init`; to keep files and conversations here: entire enable --no-git", "Not a git repository. Please run 'entire enable' from within a git repository."))
	var wrong config.WrongValues
	if errors.As(settingsErr, &wrong) {
		for _, value := range wrong {
			fmt.Fprintf(w.err, "warning: %s: %s\n", shownPath(wp.repo.Top, value.Path), value.Why())
		}
	} else if err == nil && settingsErr != nil {
		wp.close()
		return nil, failf("correct the file or move it away", "%w", settingsErr)
	}
	return wp, err
}

// checkEnable checks the options and returns the agent they name.
func (w *world) checkEnable(o enableOptions) (agent.Agent, error) {
	if o.local && o.project {
		return nil, failf("--local is yours alone, --project is for everybody", "cannot specify both --project and --local")
	}
	if o.strategyGiven && !slices.Contains(strategies, o.strategy) {
		return nil, fmt.Errorf("unknown strategy: %s (use manual-commit or auto-commit)", o.strategy)
	}
	name := defaultAgent
	if o.agentGiven {
		name = agent.AgentName(o.agent)
	}
	ag, ok := agent.Lookup(name)
	if !ok {
		w.printAgents(o.agent)
		return nil, errTold
	}
	return ag, nil
}

func agentNames() []string {
	var names []string
	for _, ag := range agent.All() {
		names = append(names, string(ag.Name()))
	}
	return names
}

// printAgents lists the agents, after a missing or unknown name.
func (w *world) printAgents(name string) {
	if name == "" {
		fmt.Fprint(w.err, "Missing agent name. ")
	} else {
		fmt.Fprintf(w.err, "Unknown agent %q. ", name)
	}
	fmt.Fprint(w.err, "Available agents:\n\n")
	for _, ag := range agent.All() {
		note := ""
		if ag.Name() == defaultAgent {
			note = "    (default)"
		}
		fmt.Fprintf(w.err, "  %s%s\n", ag.Name(), note)
	}
	fmt.Fprint(w.err, "\nUsage: entire enable --agent <agent-name>\n")
}

func (w *world) noteUnborn(ctx context.Context, wp *workplace) error {
	_, born, err := wp.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || born {
		return err
	}
	_, err = fmt.Fprint(w.out, "Note: this repository has no commits yet.\nTurns are kept from now on; the first commit is linked to them.\n\n")
	return err
}

// plain reports whether no option asks for anything but to enable.
func (o enableOptions) plain() bool {
	return !o.agentGiven && !o.force && !o.local && !o.project && !o.localDevGiven && !o.setsSomething()
}

// setsSomething reports whether an option sets a setting.
func (o enableOptions) setsSomething() bool {
	return o.strategyGiven || o.skipPush || o.telemGiven && !o.telem
}

func (w *world) everythingSetUp(ctx context.Context, wp *workplace) bool {
	if !config.Exists(wp.repo.Top) || !wp.settings.Enabled || len(installedAgents(wp.repo.Top)) == 0 {
		return false
	}
	if !agentHooksComplete(wp) {
		return false
	}
	target, err := hooks.Locate(ctx, wp.repo)
	return err == nil && hooks.Installed(target) == hooks.All
}

func (w *world) alreadyEnabled(wp *workplace) error {
	file := settingsName(config.Project)
	if !fileExists(config.Path(wp.repo.Top, config.Project)) {
		file = settingsName(config.Local)
	}
	var types []string
	for _, ag := range installedAgents(wp.repo.Top) {
		types = append(types, string(ag.Type()))
	}
	_, err := fmt.Fprintf(w.out, "Already enabled. Everything looks good.\n\n  Agent: %s\n  Config: %s\n", strings.Join(types, ", "), file)
	return err
}
