package web

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/web/pages"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
)

func exportCommand(env *cliui.Env) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "export [COMMIT | A..B]",
		Short: "Write the review of a change as one file of HTML",
		Long: `Write the review of a commit or a range as one file of HTML: who wrote its lines, the
hunks that nobody but an agent has touched, the prompt behind each hunk, and the tokens.

The file needs nothing else: no script, no network. It shows the text of the lines and of
the prompts. Without an argument it shows HEAD; without --out it goes to standard output.`,
		Example: `  entire web export main..HEAD --out review.html`,
		Args:    cliui.AtMostOneArgument,
		RunE: func(cmd *cobra.Command, args []string) error {
			return export(cmd.Context(), env, append(args, "HEAD")[0], out)
		},
		ValidArgsFunction: workplace.CompleteRevisions(env),
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "write to `FILE`")
	return cmd
}

func export(ctx context.Context, env *cliui.Env, name, file string) error {
	var page bytes.Buffer
	if err := pages.ExportReview(ctx, env, name, time.Local, func(string) {}, &page); err != nil {
		return err
	}
	if file == "" || file == "-" {
		_, err := env.Raw().Write(page.Bytes())
		return err
	}
	path, err := env.Abs(file)
	if err != nil {
		return err
	}
	if err := durable.WriteFile(path, page.Bytes(), 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Out, "Wrote %s, %s.\n", cliui.ShownName(file), cliui.ByteCount(int64(page.Len())))
	return err
}
