package recipientscmd

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/keyring"
)

func lockCommand(env *cliui.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "lock",
		Short: "Remove the passphrases of private keys from the system's keyring",
		Long: `Remove the passphrases that commands have put into the keyring of the system, so that the
next command that needs a private key asks for its passphrase again.

A passphrase is kept once it has opened a key: in the secret service of a Linux desktop
(GNOME Keyring, KWallet), the keychain of macOS or the credential manager of Windows.
"encryption": {"keyring": false} among the strategy_options of
.entire/settings.local.json keeps none.`,
		Example: "  entire recipients lock",
		Args:    cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := workplace.Passphrases(env).Clear(cmd.Context())
			if errors.Is(err, keyring.ErrUnavailable) {
				return cliui.Failf("nothing is kept without one; where it is locked, unlock it first", "recipients lock: %w", err)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(env.Out, "The keyring has no passphrase of a private key for entire any more.")
			return err
		},
	}
}
