package setupcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/agent/agents"
	"entire/hooks"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/strategy/condense"
)

// strategies are the names that the setting accepts.
var strategies = []string{config.DefaultStrategy, "auto-commit"}

// defaultAgent returns the agent that is set up if no agent is named or found.
func defaultAgent() agent.AgentName { return agents.All()[0].Name() }

type enableOptions struct {
	agents                    []string
	strategy                  string
	local, project, force     bool
	skipPush, localDev, telem bool
	noGit, statusLine, mcp    bool
	noGuard                   bool
	pushTo                    string

	agentGiven, strategyGiven, telemGiven, localDevGiven, guardGiven bool
}

// Register adds the commands that set Entire up to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	parent.AddCommand(enableCommand(env), disableCommand(env), demoCommand(env))
}

func enableCommand(env *cliui.Env) *cobra.Command {
	var o enableOptions
	var global globalOptions
	cmd := &cobra.Command{
		Use:   "enable",
		Short: "Start saving what agents do in this repository",
		Long: `Start saving what agents do in this repository: install the agent's hooks and
git's, and record it in .entire/settings.json.

Without --agent, the agents that are found get hooks: their programs on PATH,
their folders in the repository. A terminal asks which. If none is found, Claude
Code gets them. See ` + "`entire agent`" + ` for single agents.

In a folder that is not a repository, --no-git keeps files and conversations.

With --global, every repository of yours is recorded, without a file in it: the
agents' hooks are installed in your home directory, git's hooks at an agent's
first event in a repository.

Running it again changes only what is missing. Other hooks and settings stay.
Nothing is sent anywhere unless you agree to a destination (--push-to).`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			given := cmd.Flags().Changed
			o.agentGiven, o.strategyGiven = given("agent"), given("strategy")
			o.telemGiven, o.localDevGiven, o.guardGiven = given("telemetry"), given("local-dev"), given("no-guard")
			if global.global {
				return env.AllOrNothing(func(env *cliui.Env) error { return runEnableGlobal(cmd.Context(), env, o, global) })
			}
			if len(global.paths)+len(global.originsOf) > 0 {
				return cliui.Failf("add --global", "--exclude and --exclude-origin are for --global")
			}
			if given("push-to") && o.pushTo == "" {
				return errNoRemoteName
			}
			return env.AllOrNothing(func(env *cliui.Env) error { return runEnable(cmd.Context(), env, o) })
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.agents, "agent", nil, "set up the hooks of this `AGENT`, or of several with commas ("+strings.Join(workplace.AgentNames(), ", ")+")")
	f.StringVar(&o.strategy, "strategy", "", "`STRATEGY` is manual-commit, or auto-commit: every turn is committed")
	f.BoolVar(&o.local, "local", false, "write .entire/settings.local.json, which is yours alone")
	f.BoolVar(&o.project, "project", false, "write .entire/settings.json, which the project shares")
	f.BoolVar(&o.noGit, "no-git", false, "in a folder that is not a repository: keep files and conversations")
	f.BoolVarP(&o.force, "force", "f", false, "install the agent's hooks again")
	f.BoolVar(&o.noGuard, "no-guard", false, "do not save the files before commands that may lose work (--no-guard=false: do)")
	f.BoolVar(&o.skipPush, "skip-push-sessions", false, "never push stored sessions with git push")
	f.BoolVar(&global.global, "global", false, "record every repository of yours, without a file in it")
	f.StringArrayVar(&global.paths, "exclude", nil, "with --global: never record repositories in this `FOLDER`")
	f.StringArrayVar(&global.originsOf, "exclude-origin", nil, "with --global: never record clones of this `HOST/PATH`")
	f.BoolVar(&o.statusLine, "statusline", false, "show the status line in the agents that show one, in all repositories")
	f.BoolVar(&o.mcp, "mcp", false, "let the agents ask about past sessions: name the MCP server in their configurations here")
	addPushFlag(env, cmd, &o.pushTo)
	f.BoolVar(&o.telem, "telemetry", true, "recorded for other tools; this one sends nothing")
	f.BoolVar(&o.localDev, "local-dev", false, "run hooks from the worktree's source (written to settings.local.json)")
	f.Bool("ignore-untracked", false, "accepted and ignored")
	cliui.HideFlags(f, "local-dev", "ignore-untracked")
	cmd.RegisterFlagCompletionFunc("agent", func(_ *cobra.Command, _ []string, list string) ([]string, cobra.ShellCompDirective) {
		return agentlib.CompleteList(env, list), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	})
	cmd.RegisterFlagCompletionFunc("strategy", cobra.FixedCompletions(strategies, cobra.ShellCompDirectiveNoFileComp))
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		if strings.Contains(err.Error(), "flag needs an argument: --agent") {
			printAgents(env, "")
			return cliui.ErrTold
		}
		return err
	})
	cmd.AddCommand(enableGitHookCommand(env))
	return cmd
}

func enableGitHookCommand(env *cliui.Env) *cobra.Command {
	return &cobra.Command{
		Use: "git-hook", Short: "Install git's hooks only", Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			wp, err := workplace.Open(cmd.Context(), env)
			if err != nil {
				return err
			}
			defer wp.Close()
			done, err := workplace.InstallGitHooks(cmd.Context(), env, wp)
			if err != nil {
				return err
			}
			if !done {
				_, err := fmt.Fprint(env.Out, workplace.HooksByHand)
				return err
			}
			fmt.Fprintln(env.Out, "✓ Git hooks installed")
			fmt.Fprintln(env.Out, "Commits are linked to sessions from now on.")
			return nil
		},
	}
}

func runEnable(ctx context.Context, env *cliui.Env, o enableOptions) error {
	if top, err := folderToEnable(ctx, env, o); err != nil {
		return err
	} else if top != "" {
		return enableFolder(ctx, env, top, o)
	}
	wp, err := openForEnable(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	list, err := checkEnable(ctx, env, wp.Repo.Top, o)
	if err != nil {
		return err
	}
	if err := refuseBranchInTheWay(ctx, wp); err != nil {
		return err
	}
	if err := noteUnborn(ctx, env, wp); err != nil {
		return err
	}
	if err := agreeAtOnce(ctx, env, wp, o); err != nil {
		return err
	}
	offer := o.statusLine
	if o.plain() && everythingSetUp(ctx, env, wp) {
		err = alreadyEnabled(ctx, env, wp)
		list = agentlib.Installed(ctx, env, wp.Place)
	} else {
		offer = offer || !o.agentGiven && o.pushTo == ""
		if list == nil {
			list, err = chooseAgents(ctx, env, wp.Repo.Top)
		}
		if err == nil {
			err = setUp(ctx, env, wp, list, o)
		}
	}
	if err == nil && offer {
		err = offerStatusLine(ctx, env, list, o.statusLine)
	}
	if err == nil && (o.mcp || offer) {
		err = offerMCP(ctx, env, wp.Repo.Top, list, o.mcp)
	}
	if err == nil && wp.Settings.SessionStore() {
		offerRescue(ctx, env, wp.Repo.Top)
	}
	if err != nil || o.agentGiven || o.pushTo != "" {
		return err
	}
	return askAboutPush(ctx, env, wp)
}

// openForEnable opens the worktree, and returns an error for settings that cannot be read before
// anything is changed.
func openForEnable(ctx context.Context, env *cliui.Env) (*workplace.Workplace, error) {
	wp, settingsErr, err := workplace.OpenHere(ctx, env, cliui.Failf("make one with `git init`; to keep files and conversations here: entire enable --no-git", "Not a git repository. Please run 'entire enable' from within a git repository."))
	var wrong config.WrongValues
	if errors.As(settingsErr, &wrong) {
		for _, value := range wrong {
			fmt.Fprintf(env.Err, "warning: %s: %s\n", cliui.ShownPath(wp.Repo.Top, value.Path), value.Why())
		}
	} else if err == nil && settingsErr != nil {
		wp.Close()
		return nil, cliui.ToCorrect("%w", settingsErr)
	}
	return wp, err
}

// checkEnable checks the options and returns the agents they name, nil if they name none.
func checkEnable(ctx context.Context, env *cliui.Env, top string, o enableOptions) ([]agent.Agent, error) {
	if o.local && o.project {
		return nil, cliui.Failf("--local is yours alone, --project is for everybody", "cannot specify both --project and --local")
	}
	if o.strategyGiven && !slices.Contains(strategies, o.strategy) {
		return nil, fmt.Errorf("unknown strategy: %s (use manual-commit or auto-commit)", o.strategy)
	}
	if place := workplace.FindPlace(top); o.strategyGiven && o.strategy == condense.StrategyAuto && place.Seals() {
		return nil, cliui.Failf("`entire recipients off` stores in clear", "this project encrypts what is stored of conversations, and auto-commit writes prompts into commit messages")
	}
	if !o.agentGiven {
		return nil, nil
	}
	return namedAgents(ctx, env, workplace.FindPlace(top), o.agents)
}

// namedAgents returns the agents with these names, each once: of the table, or of the plug-ins that are allowed
// at p. If there is none, or one is unknown, it prints all names.
func namedAgents(ctx context.Context, env *cliui.Env, p workplace.Place, names []string) ([]agent.Agent, error) {
	var list []agent.Agent
	for _, name := range names {
		ag, err := agentlib.Lookup(ctx, env, p, name)
		if errors.Is(err, agentlib.ErrUnknown) {
			printAgents(env, name, agentlib.Plugins(p)...)
			return nil, cliui.ErrTold
		}
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(list, func(have agent.Agent) bool { return have.Name() == ag.Name() }) {
			list = append(list, ag)
		}
	}
	if len(list) == 0 {
		printAgents(env, "", agentlib.Plugins(p)...)
		return nil, cliui.ErrTold
	}
	return list, nil
}

// printAgents lists the agents and the plug-ins, after a missing or unknown name.
func printAgents(env *cliui.Env, name string, plugins ...string) {
	if name == "" {
		fmt.Fprint(env.Err, "Missing agent name. ")
	} else {
		fmt.Fprintf(env.Err, "Unknown agent %q. ", name)
	}
	fmt.Fprint(env.Err, "Available agents:\n\n")
	for _, ag := range agents.All() {
		note := ""
		if ag.Name() == defaultAgent() {
			note = "    (default)"
		}
		fmt.Fprintf(env.Err, "  %s%s\n", ag.Name(), note)
	}
	for _, plugin := range plugins {
		fmt.Fprintf(env.Err, "  %s    (plug-in)\n", plugin)
	}
	fmt.Fprint(env.Err, "\nUsage: entire enable --agent <agent-name>\n")
}

// refuseBranchInTheWay returns an error if a branch of the user's has the name of a folder of ours: git could create none of
// our branches.
func refuseBranchInTheWay(ctx context.Context, wp *workplace.Workplace) error {
	const folder = "refs/heads/entire"
	refs, err := wp.Repo.Refs(ctx, folder)
	for _, ref := range refs {
		if ref.Name == folder || ref.Name == folder+"/checkpoints" {
			name := strings.TrimPrefix(ref.Name, "refs/heads/")
			return cliui.Failf("give it another name: git branch -m "+name+" <name>", "the branch %s is in the way: Entire stores what it saves in branches below entire/", name)
		}
	}
	return err
}

func noteUnborn(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) error {
	_, born, err := wp.Repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || born {
		return err
	}
	_, err = fmt.Fprint(env.Out, "Note: this repository has no commits yet.\nTurns are kept from now on; the first commit is linked to them.\n\n")
	return err
}

// plain reports whether no option asks for anything but to enable.
func (o enableOptions) plain() bool {
	return !o.agentGiven && !o.force && !o.local && !o.project && !o.localDevGiven && !o.setsSomething()
}

// setsSomething reports whether an option sets a setting.
func (o enableOptions) setsSomething() bool {
	return o.strategyGiven || o.skipPush || o.guardGiven || o.telemGiven && !o.telem
}

// settings returns the settings as the options change them, as far as hooks depend on them.
func (o enableOptions) settings(s config.Settings) config.Settings {
	if o.guardGiven {
		return s.WithGuard(!o.noGuard)
	}
	return s
}

func everythingSetUp(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) bool {
	if !config.Exists(wp.Repo.Top) || !wp.Settings.Enabled || len(agentlib.Installed(ctx, env, wp.Place)) == 0 {
		return false
	}
	if !workplace.AgentHooksComplete(wp) {
		return false
	}
	target, err := hooks.Locate(ctx, wp.Repo)
	return err == nil && hooks.Installed(target) == hooks.All
}

func alreadyEnabled(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) error {
	file := cliui.SettingsName(config.Project)
	if !workplace.FileExists(config.Path(wp.Repo.Top, config.Project)) {
		file = cliui.SettingsName(config.Local)
	}
	var types []string
	for _, ag := range agentlib.Installed(ctx, env, wp.Place) {
		types = append(types, string(ag.Type()))
	}
	_, err := fmt.Fprintf(env.Out, "Already enabled. Everything looks good.\n\n  Agent: %s\n  Config: %s\n", strings.Join(types, ", "), file)
	return err
}
