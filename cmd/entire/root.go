package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"entire/internal/cli/acpcmd"
	"entire/internal/cli/agentcmd"
	"entire/internal/cli/attributioncmd"
	"entire/internal/cli/auditcmd"
	"entire/internal/cli/checkpointcmd"
	"entire/internal/cli/cliui"
	"entire/internal/cli/configcmd"
	"entire/internal/cli/exportcmd"
	"entire/internal/cli/hookcmd"
	"entire/internal/cli/hubcmd"
	"entire/internal/cli/logcmd"
	"entire/internal/cli/maintaincmd"
	"entire/internal/cli/mcpcmd"
	"entire/internal/cli/notescmd"
	"entire/internal/cli/recipientscmd"
	"entire/internal/cli/redactcmd"
	"entire/internal/cli/rescuecmd"
	"entire/internal/cli/rewindcmd"
	"entire/internal/cli/searchcmd"
	"entire/internal/cli/sessioncmd"
	"entire/internal/cli/sessionmovecmd"
	"entire/internal/cli/setupcmd"
	"entire/internal/cli/statuslinecmd"
	"entire/internal/cli/tui"
	"entire/internal/cli/usagecmd"
	"entire/internal/cli/watchcmd"
	"entire/internal/cli/web"
	"entire/internal/cli/workplace"
)

// execute runs every command except hooks, through the command tree.
func execute(ctx context.Context, env *cliui.Env, args []string) error {
	root := rootCommand(env)
	root.SetArgs(args)
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return nil
	}
	return env.Mistyped(cmd, foreignFlag(cmd.Name(), err))
}

func rootCommand(env *cliui.Env) *cobra.Command {
	var showVersion bool
	root := &cobra.Command{
		Use:   "entire",
		Short: "Records what AI coding sessions did to a repository",
		Long: `Entire records what AI coding sessions did to a repository: every turn as a step
you can go back to, every commit with the conversation that led to it.

Start with ` + "`entire enable`" + ` and work as usual. ` + "`entire`" + ` alone, on a terminal, shows
what happened, on the full screen.`,
		Args:          cliui.NoSuchCommand,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if showVersion {
				return printVersion(env, false)
			}
			return face(cmd, env)
		},
	}
	root.Flags().BoolVar(&showVersion, "version", false, "show the version of this program")
	setupcmd.Register(root, env)
	configcmd.Register(root, env)
	agentcmd.Register(root, env)
	maintaincmd.Register(root, env)
	statuslinecmd.Register(root, env)
	logcmd.Register(root, env)
	rewindcmd.Register(root, env)
	rescuecmd.Register(root, env)
	checkpointcmd.Register(root, env)
	watchcmd.Register(root, env)
	attributioncmd.Register(root, env)
	notescmd.Register(root, env)
	auditcmd.Register(root, env)
	recipientscmd.Register(root, env)
	redactcmd.Register(root, env)
	searchcmd.Register(root, env)
	usagecmd.Register(root, env)
	exportcmd.Register(root, env)
	sessions := sessioncmd.Register(root, env)
	sessionmovecmd.Register(root, sessions, env)
	sessioncmd.Grouped(sessions)
	root.AddCommand(shareCommand(env))
	web.Register(root, env)
	acpcmd.Register(root, env)
	mcpcmd.Register(root, env)
	hubcmd.Register(root, env)
	hookcmd.Register(root, env)
	root.AddCommand(formerCommands(env)...)
	root.AddCommand(versionCommand(env))
	root.SetHelpCommand(helpCommand(env))
	root.InitDefaultCompletionCmd()
	cliui.RefuseUnknown(root)
	cliui.AddForeign(root, foreignCommands, runIn(env))
	root.SetHelpFunc(env.ShowHelp)
	return root
}

// face shows what a person at a terminal sees without a command: the full-screen program or, read out
// line by line, the list of points. Without a terminal or a repository it is the help.
func face(cmd *cobra.Command, env *cliui.Env) error {
	dir, err := env.Getwd()
	switch {
	case err != nil || workplace.FindPlace(dir).Common() == "" || !tui.Possible(env):
		return cmd.Help()
	case env.Terminal().Accessible:
		return rewindcmd.Pick(cmd.Context(), env)
	}
	return tui.Run(cmd.Context(), env, execute)
}

func helpCommand(env *cliui.Env) *cobra.Command {
	var tree bool
	cmd := &cobra.Command{
		Use:   "help [command]",
		Short: "Show help for a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			if tree {
				printTree(env, cmd.Root(), "")
				return nil
			}
			target, rest, err := cmd.Root().Find(args)
			if err == nil {
				err = cliui.NoSuchCommand(target, rest)
			}
			if err != nil {
				return err
			}
			return target.Help()
		},
	}
	cmd.Flags().BoolVarP(&tree, "tree", "t", false, "show every command")
	cliui.HideFlags(cmd.Flags(), "tree")
	return cmd
}

func printTree(env *cliui.Env, cmd *cobra.Command, indent string) {
	fmt.Fprintf(env.Out, "%s%s\n", indent, cmd.Name())
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			printTree(env, sub, indent+"  ")
		}
	}
}
