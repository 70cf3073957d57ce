//go:build unix

package mcpserver

import (
	"fmt"
	"os"

	"entire/internal/cli/cliui"
)

// onlyMine returns an error if others can read a file.
func onlyMine(file string) error {
	fi, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("look at the token: %w", err)
	}
	if fi.Mode().Perm()&0o077 != 0 {
		return cliui.Failf("`entire mcp --http --new-token` makes another", "others can read the token in %s", cliui.ShownName(file))
	}
	return nil
}
