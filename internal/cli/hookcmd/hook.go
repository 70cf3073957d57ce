package hookcmd

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/agent/agents"
	"entire/hooks"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/single"
)

// Register adds the commands that hooks run to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	parent.AddCommand(hooksCommand(env), summarizeCommand(env), pruneTurnsCommand(env), rescueCommand(env))
}

// commitLimit bounds a hook of an agent in which a commit is made: the user's own hooks run
// within it.
const commitLimit = 50 * time.Second

// listingWithin is how old a listing of the sessions may be that a hook uses: prepare-commit-msg and post-commit of one
// commit, and the parts of one event, then list many sessions once.
const listingWithin = time.Second

// hookMemory is the memory limit at which a hook collects garbage after all.
const hookMemory = 64 << 20

// Run runs args if they are the command line of a hook, and reports whether they were. An
// error of a hook, or a panic, does not reach its caller: Run logs it.
func Run(ctx context.Context, env *cliui.Env, args []string) (ran bool) {
	hook := hookFor(env, args)
	if hook == nil {
		return false
	}
	ran = true // also after a panic
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(hookMemory)
	limit := cliui.HookLimit
	if args[1] != "git" {
		limit = commitLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	h := &hookRun{Env: env, name: args[1] + " " + args[2], began: env.Now()}
	defer h.end(ctx)
	defer h.survive()
	if err := hook(ctx, h); err != nil {
		h.report(err)
	}
	return ran
}

type hookFunc func(context.Context, *hookRun) error

// hookFor returns the hook that a command line names, nil for any other command.
func hookFor(env *cliui.Env, args []string) hookFunc {
	if len(args) < 3 || args[0] != "hooks" || asksForHelp(args[3:]) {
		return nil
	}
	owner, verb, rest := args[1], args[2], args[3:]
	if owner == "git" {
		if !slices.Contains(hooks.Names(), verb) {
			return nil
		}
		return func(ctx context.Context, h *hookRun) error { return h.git(ctx, verb, rest) }
	}
	ag, ok := agents.Lookup(agent.AgentName(owner))
	if !ok {
		return pluginHook(env, owner, verb)
	}
	if !slices.Contains(ag.Verbs(), verb) {
		return nil
	}
	return func(ctx context.Context, h *hookRun) error {
		h.payload = strings.Join(rest, " ")
		return h.agent(ctx, ag, verb)
	}
}

func asksForHelp(args []string) bool {
	return len(args) == 1 && (args[0] == "--help" || args[0] == "-h")
}

// A hookRun is one run of a hook. It logs to the worktree's log once the worktree is known.
type hookRun struct {
	*cliui.Env
	name    string
	payload string // the arguments of an agent's hook; "" if the payload comes on standard input
	began   time.Time
	wp      *workplace.Workplace
	parts   []part // in order
}

// A part is a named part of a hook's time, and when it ended.
type part struct {
	name  string
	until time.Time
}

// did notes that a part of the hook's time ends now.
func (h *hookRun) did(name string) { h.parts = append(h.parts, part{name, h.Now()}) }

// spent returns the microseconds of each part, for the log.
func (h *hookRun) spent() slog.Attr {
	var list []any
	from := h.began
	for _, p := range h.parts {
		list = append(list, slog.Int64(p.name, p.until.Sub(from).Microseconds()))
		from = p.until
	}
	return slog.Group("us", list...)
}

// input returns the payload of an agent's hook.
func (h *hookRun) input() ([]byte, error) {
	if h.payload != "" {
		return []byte(h.payload), nil
	}
	return readInput(h.In, inputLimit, inputWait)
}

// survive logs a panic.
func (h *hookRun) survive() {
	if p := recover(); p != nil {
		h.report(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
	}
}

func (h *hookRun) end(ctx context.Context) {
	if h.wp != nil {
		h.summarizeLater()
		owner, verb, _ := strings.Cut(h.name, " ")
		if h.log().Enabled(ctx, slog.LevelDebug) {
			h.did("rest")
			h.log().Debug("hook ended", "component", "hooks", "hook", verb, "of", owner, "ms", h.Now().Sub(h.began).Milliseconds(), h.spent())
		}
		h.wp.Close()
	}
}

// report logs an error, if Entire is set up here.
func (h *hookRun) report(err error) {
	if h.wp != nil {
		h.wp.Log.Error("hook failed", "hook", h.name, "err", err)
		return
	}
	dir, _ := h.Getwd()
	if p := workplace.FindPlace(dir); p.Active() {
		log, done := workplace.NewLog(p.LogPath(""), h.Getenv("ENTIRE_LOG_LEVEL"))
		defer done()
		log.Error("hook failed", "hook", h.name, "err", err)
	}
}

// enter opens the worktree around dir for the hook.
func (h *hookRun) enter(ctx context.Context, dir string) error {
	h.did("read")
	wp, settingsErr, err := workplace.OpenAt(ctx, h.Env, dir)
	if err != nil {
		return err
	}
	h.did("open")
	single.All()
	h.wp = wp
	wp.Store.KeepListings(h.Now, listingWithin)
	if settingsErr != nil {
		wp.Log.Warn("settings not understood", "hook", h.name, "err", settingsErr)
	}
	return nil
}

func (h *hookRun) log() *slog.Logger { return h.wp.Log }

// hooksCommand provides only help: Run handles every known hook before. An unknown hook, from
// settings of another version, must neither fail nor print on standard output, which its agent
// would read.
func hooksCommand(env *cliui.Env) *cobra.Command {
	help := func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 && (cmd.HasSubCommands()) {
			fmt.Fprintf(env.Err, "entire: %s has no hook %q\nhint: `%s --help` lists them\n", cmd.CommandPath(), args[0], cmd.CommandPath())
			return nil
		}
		return cmd.Help()
	}
	parent := &cobra.Command{Use: "hooks", Short: "What git and agents call", Hidden: true, Args: cobra.ArbitraryArgs, RunE: help}
	group := func(name, short string, verbs []string) *cobra.Command {
		owner := &cobra.Command{Use: name, Short: short, Args: cobra.ArbitraryArgs, RunE: help}
		for _, verb := range verbs {
			owner.AddCommand(&cobra.Command{Use: verb, Args: cobra.ArbitraryArgs, RunE: help})
		}
		return owner
	}
	parent.AddCommand(group("git", "Hooks of git", hooks.Names()))
	for _, ag := range agents.All() {
		parent.AddCommand(group(string(ag.Name()), "Hooks of "+string(ag.Type()), ag.Verbs()))
	}
	return parent
}
