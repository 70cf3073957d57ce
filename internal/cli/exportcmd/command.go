package exportcmd

import (
	"context"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
)

// Options say what is sent where.
type Options struct {
	Endpoint, Since                   string
	Content, All, Again, DryRun, JSON bool
}

// Command returns the command. send sends what the options say.
func Command(env *cliui.Env, send func(context.Context, Options) error) *cobra.Command {
	var o Options
	cmd := &cobra.Command{
		Use:   "otel",
		Short: "Send turns, tool calls and tokens to OpenTelemetry",
		Long: `Send turns, answers, tool calls, tokens, checkpoints and rewinds of this project's
stored sessions to a collector of OpenTelemetry, as spans by its conventions for
generative AI (OTLP over HTTP). Nothing is ever sent unless you run this command.

Each call sends what is new since the last one to the same collector. What a killed call
sent is sent again with the same IDs. Without --content no span has a text of a person, a
model or a tool; names of tools and models are in it.

The address is that of --endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or
OTEL_EXPORTER_OTLP_ENDPOINT. OTEL_EXPORTER_OTLP_HEADERS has headers, such as a key.`,
		Example: `  entire export otel --endpoint http://localhost:4318 --dry-run
  entire export otel --endpoint http://localhost:4318
  entire export otel --since 7d --all   # of every project on this machine`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return send(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Endpoint, "endpoint", "", "the `URL` of the collector; /v1/traces is added")
	f.StringVar(&o.Since, "since", "", "leave out what began before `WHEN`, also in later calls: 2026-03-01, an RFC 3339 time, or 30d, 2w, 12h ago")
	f.BoolVar(&o.Content, "content", false, "send prompts, answers, and what tools got and gave, too, redacted as they are stored")
	f.BoolVar(&o.All, "all", false, "the sessions of every project on this machine")
	f.BoolVar(&o.Again, "again", false, "send what was sent before, too, with the same IDs")
	f.BoolVar(&o.DryRun, "dry-run", false, "say what would be sent, and send nothing")
	f.BoolVar(&o.JSON, "json", false, "print a JSON object")
	cmd.RegisterFlagCompletionFunc("endpoint", cobra.NoFileCompletions)
	cmd.RegisterFlagCompletionFunc("since", cobra.NoFileCompletions)
	return cmd
}
