package main

import (
	"github.com/spf13/cobra"

	"entire/internal/cli/attributioncmd"
	"entire/internal/cli/checkpointcmd"
	"entire/internal/cli/cliui"
	"entire/internal/cli/explaincmd"
	"entire/internal/cli/maintaincmd"
	"entire/internal/cli/rewindcmd"
	"entire/internal/cli/searchcmd"
	"entire/internal/cli/setupcmd"
	"entire/internal/cli/sharecmd"
	"entire/internal/cli/teleportcmd"
)

// shareCommand has below it what moves sessions between machines and people.
func shareCommand(env *cliui.Env) *cobra.Command {
	cmd := sharecmd.Command(env)
	cmd.AddCommand(setupcmd.PushCommand(env), setupcmd.FetchCommand(env), setupcmd.BucketCommand(env), checkpointcmd.ForgetCommand(env), checkpointcmd.SealCommand(env), checkpointcmd.UnsealCommand(env))
	cmd.AddCommand(teleportcmd.Commands(env)...)
	return cmd
}

// formerCommands are those that have another name now. They do what they always did: scripts call them.
func formerCommands(env *cliui.Env) []*cobra.Command {
	former := []*cobra.Command{
		cliui.Former(explaincmd.ExplainCommand(env), "explain", "entire log, entire show"),
		cliui.Former(attributioncmd.ReportCommand(env), "attribution", "entire report"),
		cliui.Former(setupcmd.PushCommand(env), "push", "entire share push"),
		cliui.Former(teleportcmd.Former(env), "teleport", "entire share"),
		cliui.Former(maintaincmd.CleanCommand(env), "clean", "entire doctor clean"),
		cliui.Former(maintaincmd.ResetCommand(env), "reset", "entire doctor reset"),
	}
	return append(former, checkpointcmd.Former(env, belowCheckpoint(env), notLabel)...)
}

// belowCheckpoint returns the subcommands of `entire checkpoint` that other tools have there, and that
// are commands of their own here.
func belowCheckpoint(env *cliui.Env) map[string]*cobra.Command {
	tokens := explaincmd.ExplainCommand(env)
	tokens.Flags().Lookup("short").Value.Set("true") // the short form shows the tokens
	return map[string]*cobra.Command{
		"rewind": rewindcmd.RewindCommand(env), "restore": rewindcmd.RestoreCommand(env),
		"explain": explaincmd.ExplainCommand(env), "tokens": tokens, "search": searchcmd.SearchCommand(env),
	}
}
