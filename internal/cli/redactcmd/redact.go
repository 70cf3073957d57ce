package redactcmd

import (
	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
)

// Register adds the command redact to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	cmd := &cobra.Command{
		Use:   "redact COMMAND",
		Short: "See what redaction takes, and find what older rules stored",
		Long: `See what redaction takes from a text and why (test), and look through everything
that is stored with today's rules, which may know secrets that older ones did not
(scan). No secret is printed.

The settings can add rules: "redaction": {"pii": true, "custom_redactions": {…}}.
What is redacted, and what is not: docs/privacy.md.`,
		Example: `  entire redact test .env
  git diff | entire redact test -
  entire redact scan
  entire redact scan --rewrite`,
		Args: cliui.NoSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(testCommand(env), scanCommand(env))
	parent.AddCommand(cmd)
}
