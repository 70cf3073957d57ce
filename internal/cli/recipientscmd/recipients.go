package recipientscmd

import (
	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
)

// Register adds the command recipients to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "recipients",
		Short: "Encrypt what is stored of conversations, and say who can read it",
		Long: `Encrypt what is stored of conversations, and say who can read it.

With recipients, transcripts, prompts, messages, summaries and who wrote which line are
encrypted before they reach git, to the public keys in the project's settings
(strategy_options.encryption): age keys (age1…) and SSH keys (ssh-ed25519, ssh-rsa). IDs,
counts, dates, agents, branches and the names of changed files stay readable, unless
` + "`entire recipients metadata nothing`" + ` encrypts most of these, too.

Whoever has one of the private keys reads as before. Keys are looked for in the file that
ENTIRE_IDENTITY or strategy_options.encryption.identity of the local settings names, in
~/.config/entire/identity, and in ~/.ssh/id_ed25519 and id_rsa. Hooks need none.

Without a subcommand it lists the recipients. docs/privacy.md says what encryption hides,
and from whom.`,
		Example: `  entire recipients add ~/.ssh/id_ed25519.pub   # encrypt from now on
  entire recipients add "age1qyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqs… bob"
  entire recipients
  entire recipients remove bob`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runList(cmd.Context(), env, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	cmd.AddCommand(listCommand(env), addCommand(env), removeCommand(env), offCommand(env), metadataCommand(env), lockCommand(env))
	parent.AddCommand(cmd)
}

func listCommand(env *cliui.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List who can read, and which data keys each can open",
		Args:  cliui.NoArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return runList(cmd.Context(), env, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

func addCommand(env *cliui.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "add KEY|FILE...",
		Short: "Let somebody read what is stored, and encrypt it from now on",
		Long: `Let the holders of public keys read what is stored of conversations, now and from now on.
The first one switches encryption on. A FILE has one public key on each line.

What is encrypted already is made readable for them by wrapping its data keys again, which
needs your private key; the data stays as it is. What was stored in clear stays in clear.`,
		Example: `  entire recipients add ~/.ssh/id_ed25519.pub
  entire recipients add "ssh-ed25519 AAAAC3Nza… alice@example.org"`,
		Args: cliui.OneOrMore,
		RunE: func(cmd *cobra.Command, args []string) error { return runAdd(cmd.Context(), env, args) },
	}
}

func removeCommand(env *cliui.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME|KEY|ID...",
		Short: "Let somebody read nothing that is stored from now on",
		Long: `Take recipients out of the project's settings, and their wrapped keys off the metadata
branch. The next hook makes a new data key that they cannot open.

A removed recipient can still read what was encrypted to it before: it may have copies of
the data and of the data keys, and the branch's history has both.`,
		Example:           "  entire recipients remove bob",
		Args:              cliui.OneOrMore,
		RunE:              func(cmd *cobra.Command, args []string) error { return runRemove(cmd.Context(), env, args) },
		ValidArgsFunction: workplace.CompleteNames(env, recipientNames),
	}
}

func offCommand(env *cliui.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "off",
		Short: "Store conversations in clear from now on",
		Long: `Store conversations in clear from now on. What is encrypted stays encrypted, and its
recipients can read it as before.`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runOff(cmd.Context(), env) },
	}
}
