package mcpcmd

import (
	"context"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
)

// Options say how the server is reached.
type Options struct {
	HTTP     bool // over HTTP on this machine instead of standard input and output
	Port     int  // 0 is any free one
	NewToken bool // with HTTP: whoever has the former token is kept out
}

// Command returns the command. serve answers until its context ends.
func Command(env *cliui.Env, serve func(context.Context, Options) error) *cobra.Command {
	var o Options
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Answer an agent's questions about past sessions (MCP server)",
		Long: `Serve the Model Context Protocol on standard input and output, for the project in the
current directory, until the input ends. An agent starts this command itself.

Its tools: recall finds what was said, open shows it, why says how a line came to be,
changes lists what happened to a file or since a point, checkpoint saves the files, and
undo_plan says what a rewind would do. None changes a file of the worktree, unless
.entire/settings.local.json allows undo_plan to rewind: {"strategy_options": {"mcp":
{"rewind": true}}}. An answer has at most 1,500 tokens unless the agent asks for more.

With --http it listens on this machine only, and answers whoever has the token.`,
		Example: `  claude mcp add entire -- entire mcp
  codex mcp add entire -- entire mcp
  entire mcp --http --port 4322`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Port < 0 || o.Port > 65535 {
				return cliui.Failf("a number from 0 to 65535; 0 is any free one", "--port cannot be %d", o.Port)
			}
			if !o.HTTP && (o.NewToken || cmd.Flags().Changed("port")) {
				return cliui.Failf("as in `entire mcp --http --port 4322`", "--port and --new-token are for --http")
			}
			return serve(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.HTTP, "http", false, "listen on 127.0.0.1 instead of standard input")
	f.IntVar(&o.Port, "port", 0, "with --http: listen on this `PORT` instead of any free one")
	f.BoolVar(&o.NewToken, "new-token", false, "with --http: make another token, so that the former opens nothing")
	cmd.RegisterFlagCompletionFunc("port", cobra.NoFileCompletions)
	return cmd
}
