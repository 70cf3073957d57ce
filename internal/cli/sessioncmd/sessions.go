package sessioncmd

import (
	"slices"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
)

// Register adds `entire sessions` to parent and returns it.
func Register(parent *cobra.Command, env *cliui.Env) *cobra.Command {
	sessions := newSessionsCommand(env)
	parent.AddCommand(sessions)
	return sessions
}

func newSessionsCommand(env *cliui.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "sessions COMMAND",
		Aliases: []string{"session"},
		Short:   "List, read, continue and fork the conversations with agents",
		Long: `Manage the conversations with agents: those kept on this machine, those that work
in this repository now, and those that came with the checkpoints of others. It
works in any folder, also outside a repository.

The beginning of an ID suffices where it is unambiguous. To continue the work of a
branch, also of another machine, see ` + "`entire resume BRANCH`" + `.`,
		Example: `  entire sessions list
  entire sessions show 6e1f0d2 --messages
  entire sessions resume 6e1f0d2
  entire sessions fork 6e1f0d2 --at 1a2252ee`,
		Args: cliui.NoSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, group := range sessionGroups {
		cmd.AddGroup(&cobra.Group{ID: group[0], Title: group[0]})
	}
	cmd.AddCommand(
		sessionsListCommand(env), sessionsShowCommand(env), sessionsCurrentCommand(env),
		sessionsDeleteCommand(env), sessionsUndeleteCommand(env), sessionsCheckCommand(env),
		sessionsRenameCommand(env), sessionsTagCommand(env), sessionsUntagCommand(env), sessionsCleanCommand(env),
	)
	return cmd
}

// sessionGroups are the titles in the help, each with the commands below it.
var sessionGroups = [][]string{
	{"Look", "list", "show", "current", "check"},
	{"Continue", "resume", "continue", "fork", "adopt", "attach", "stop"},
	{"Keep in order", "rename", "tag", "untag", "delete", "undelete", "clean"},
	{"Move", "export", "import"},
}

// Grouped puts the commands below `entire sessions`, also those of other packages, into the groups of
// the help.
func Grouped(sessions *cobra.Command) {
	for _, group := range sessionGroups {
		for _, sub := range sessions.Commands() {
			if slices.Contains(group[1:], sub.Name()) {
				sub.GroupID = group[0]
			}
		}
	}
}
