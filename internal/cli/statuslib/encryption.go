package statuslib

import (
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/term"
)

// Encryption says to how many recipients what is stored of conversations is encrypted.
type Encryption struct {
	Recipients int `json:"recipients"`
}

// readEncryption finds out whether the repository encrypts. Settings that stop it from storing are a problem.
func (v *Status) readEncryption(wp *workplace.Workplace) {
	on, err := wp.Repo.Vault.On()
	if err != nil {
		v.problem("encryption", "", "nothing is stored of conversations: "+err.Error(), "correct strategy_options.encryption in .entire/settings.json, or `entire recipients off`")
		return
	}
	if all, err := wp.Repo.Vault.Recipients(); on && err == nil {
		v.Encryption = &Encryption{len(all)}
	}
}

// writeEncryption writes the line of the encryption.
func (v *Status) writeEncryption(b *strings.Builder, t term.Terminal) {
	if v.Encryption != nil {
		b.WriteString("\n" + t.Styled(term.Strong, "Encrypted:") + " to " + cliui.Count(v.Encryption.Recipients, "recipient") + "\n")
	}
}
