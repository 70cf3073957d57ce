package cliui

import (
	"strings"

	"github.com/spf13/cobra"
)

// As returns the command under another name.
func As(cmd *cobra.Command, name string) *cobra.Command {
	_, takes, _ := strings.Cut(cmd.Use, " ")
	cmd.Use = strings.TrimSpace(name + " " + takes)
	return cmd
}

// Hidden returns the commands hidden from help and completion; they still work.
func Hidden(cmds ...*cobra.Command) []*cobra.Command {
	for _, cmd := range cmds {
		cmd.Hidden = true
	}
	return cmds
}
