package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"entire/agent"
	"entire/hooks"
)

// execute runs every command except hooks, through the command tree.
func (w *world) execute(ctx context.Context, args []string) error {
	root := w.rootCommand()
	root.SetArgs(args)
	root.SetIn(w.in)
	root.SetOut(w.out)
	root.SetErr(w.err)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return nil
	}
	return w.mistyped(cmd, err)
}

func (w *world) rootCommand() *cobra.Command {
	var showVersion bool
	root := &cobra.Command{
		Use:   "entire",
		Short: "Records what AI coding sessions did to a repository",
		Long: `Entire records what AI coding sessions did to a repository: every turn as a step
you can go back to, every commit with the conversation that led to it.

Start with ` + "`entire enable`" + ` and work as usual.`,
		Args:          noSuchCommand,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if showVersion {
				return w.printVersion(false)
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVar(&showVersion, "version", false, "show the version of this program")
	registerSetup(root, w)
	registerMaintain(root, w)
	registerRewind(root, w)
	registerCheckpoint(root, w, w.hiddenBelowCheckpoint())
	registerExplain(root, w)
	registerAttribution(root, w)
	registerSearch(root, w)
	registerSessionMove(root, registerSession(root, w), w)
	registerTeleport(root, w)
	registerHook(root, w)
	root.AddCommand(w.versionCommand())
	root.SetHelpCommand(w.helpCommand())
	root.SetHelpFunc(w.showHelp)
	return root
}

// hiddenBelowCheckpoint returns the subcommands of `entire checkpoint` that other tools have
// there, and that are commands of their own here.
func (w *world) hiddenBelowCheckpoint() map[string]*cobra.Command {
	tokens := w.explainCommand()
	tokens.Flags().Lookup("short").Value.Set("true") // the short form shows the tokens
	return map[string]*cobra.Command{
		"rewind": w.rewindCommand(), "restore": w.restoreCommand(),
		"explain": w.explainCommand(), "tokens": tokens, "search": w.searchCommand(),
	}
}

// hooksCommand provides only help: runHook handles every known hook before. An unknown hook, from
// settings of another version, must neither fail nor print on standard output, which its agent
// would read.
func (w *world) hooksCommand() *cobra.Command {
	help := func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 && (cmd.HasSubCommands()) {
			fmt.Fprintf(w.err, "entire: %s has no hook %q\nhint: `%s --help` lists them\n", cmd.CommandPath(), args[0], cmd.CommandPath())
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
	for _, ag := range agent.All() {
		parent.AddCommand(group(string(ag.Name()), "Hooks of "+string(ag.Type()), ag.Verbs()))
	}
	return parent
}

func (w *world) helpCommand() *cobra.Command {
	var tree bool
	cmd := &cobra.Command{
		Use:   "help [command]",
		Short: "Show help for a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			if tree {
				w.printTree(cmd.Root(), "")
				return nil
			}
			target, rest, err := cmd.Root().Find(args)
			if err == nil {
				err = noSuchCommand(target, rest)
			}
			if err != nil {
				return err
			}
			return target.Help()
		},
	}
	cmd.Flags().BoolVarP(&tree, "tree", "t", false, "show every command")
	hide(cmd.Flags(), "tree")
	return cmd
}

func (w *world) printTree(cmd *cobra.Command, indent string) {
	fmt.Fprintf(w.out, "%s%s\n", indent, cmd.Name())
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			w.printTree(sub, indent+"  ")
		}
	}
}

// noArguments returns an error for any argument, with a hint to use --to where the command has
// that flag.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := fmt.Sprintf("`%s --help` shows what it takes", cmd.CommandPath())
	if cmd.Flags().Lookup("to") != nil {
		hint = fmt.Sprintf("did you mean `%s --to %s`?", cmd.CommandPath(), args[0])
	}
	return failf(hint, "unexpected argument %q", args[0])
}

// oneArgument returns an error unless there is exactly one argument.
func oneArgument(cmd *cobra.Command, args []string) error {
	if err := cobra.ExactArgs(1)(cmd, args); err != nil {
		return failf(fmt.Sprintf("`%s --help` shows what it takes", cmd.CommandPath()), "%w", err)
	}
	return nil
}

// hide hides flags from the help; they still work.
func hide(flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		flags.Lookup(name).Hidden = true
	}
}
