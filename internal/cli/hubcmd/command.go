package hubcmd

import (
	"context"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
)

// Options are those of all commands.
type Options struct {
	Config string // the configuration file
	Try    string // serve: the repository to try the hub out with
	Listen string // serve: in the place of the configuration's
	Fetch  bool   // check: compare with git, too
	Format string // export
	Folder string // export
	JSON   bool
}

// Actions are what the commands do.
type Actions struct {
	Serve, Rebuild, Check, Export, Token func(context.Context, Options) error
}

// Command returns the tree of commands.
func Command(env *cliui.Env, do Actions) *cobra.Command {
	var o Options
	cmd := &cobra.Command{
		Use:   "hub COMMAND",
		Short: "Serve the checkpoints of many repositories to a team",
		Long: `The hub fetches the checkpoints of many repositories from your git server, keeps an index
of them in PostgreSQL, and serves it: pages and a read-only API for whoever may read.
Git is the truth: the index can be dropped at any time and is made again.`,
		Example: `  entire hub serve --try .
  entire hub serve --config hub.json
  entire hub export --config hub.json --format parquet tables/`,
		Args: cliui.NoSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(serveCommand(&o, do), rebuildCommand(&o, do), checkCommand(&o, do), exportCommand(&o, do), tokenCommand(&o, do))
	return cmd
}

// configFlag adds the option that names the configuration.
func configFlag(cmd *cobra.Command, o *Options) {
	cmd.Flags().StringVar(&o.Config, "config", "", "the configuration `FILE`; without it ENTIRE_HUB_CONFIG names it")
	cmd.MarkFlagFilename("config", "json")
}

func serveCommand(o *Options, do Actions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Fetch the repositories and serve the index",
		Long: `Fetch the repositories of the configuration as often as its "poll" says, keep their index,
and answer requests until Ctrl-C or a signal to end. Several may run at once with one database.

With --try it needs no configuration and no database: it shows the repository in the
given folder on this machine, to whoever has the token that it prints, and keeps nothing.`,
		Example: `  entire hub serve --try .
  entire hub serve --config hub.json
  ENTIRE_HUB_CONFIG=/etc/entire/hub.json entire hub serve --listen 0.0.0.0:8080`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Try != "" && o.Config != "" {
				return cliui.Failf("leave one of them out", "--try needs no configuration, and --config names one")
			}
			return do.Serve(cmd.Context(), *o)
		},
	}
	configFlag(cmd, o)
	cmd.Flags().StringVar(&o.Try, "try", "", "show the repository in `FOLDER`, without a configuration")
	cmd.MarkFlagDirname("try")
	cmd.Flags().StringVar(&o.Listen, "listen", "", "listen on this `ADDRESS`, as 127.0.0.1:8080, instead of the configuration's")
	cmd.RegisterFlagCompletionFunc("listen", cobra.NoFileCompletions)
	return cmd
}

func rebuildCommand(o *Options, do Actions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rebuild",
		Short: "Drop the index and make it again from git",
		Long: `Drop all tables of the index, fetch every repository and make the index again. Nothing is
lost: the checkpoints are in git. Running servers answer with what is there meanwhile.`,
		Example: `  entire hub rebuild --config hub.json`,
		Args:    cliui.NoArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return do.Rebuild(cmd.Context(), *o) },
	}
	configFlag(cmd, o)
	return cmd
}

func checkCommand(o *Options, do Actions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the configuration and the index",
		Long: `Check that the configuration can be read, that the database answers, that every sum is the
sum of its rows, and that every repository was read. It exits 1 if something is wrong.
With --fetch it also reads every repository, and so brings the index up to date.`,
		Example: `  entire hub check --config hub.json
  entire hub check --config hub.json --fetch --json`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return do.Check(cmd.Context(), *o) },
	}
	configFlag(cmd, o)
	cmd.Flags().BoolVar(&o.Fetch, "fetch", false, "read every repository first")
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print JSON")
	return cmd
}

func exportCommand(o *Options, do Actions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export FOLDER",
		Short: "Write every table of the index as a file",
		Long: `Write every table of the index into a folder, each as a file in the format Parquet, which
DuckDB, ClickHouse and Spark read. The files are of one moment. They have the prompts of
every repository: give them to those only who may read all of them.`,
		Example: `  entire hub export --config hub.json --format parquet tables/
  duckdb -c "SELECT sum(agent_lines) FROM 'tables/lines_month.parquet'"`,
		Args: cliui.OneArgument,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Format != "parquet" {
				return cliui.Failf("parquet is the only format", "the format %q is not known", o.Format)
			}
			o.Folder = args[0]
			return do.Export(cmd.Context(), *o)
		},
	}
	configFlag(cmd, o)
	cmd.Flags().StringVar(&o.Format, "format", "parquet", "the `FORMAT` of the files")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"parquet"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print JSON")
	return cmd
}

func tokenCommand(o *Options, do Actions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Make a token for the configuration",
		Long: `Print a new token and its SHA-256. The token is for whoever shall read; the SHA-256 goes into
the configuration, which so holds no secret. Nothing is stored.`,
		Example: `  entire hub token`,
		Args:    cliui.NoArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return do.Token(cmd.Context(), *o) },
	}
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print JSON")
	return cmd
}
