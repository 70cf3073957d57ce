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

// nowKey annotates a former name with the commands that it is now.
const nowKey = "entire_now"

// Former returns a command by a former name of now, hidden from help and completion. It does what it always
// did: scripts call it.
func Former(cmd *cobra.Command, name, now string) *cobra.Command {
	As(cmd, name).Hidden = true
	cmd.Annotations = map[string]string{nowKey: now}
	return cmd
}

// Now returns what a command by a former name is called now, "" for a command that has no other name.
func Now(cmd *cobra.Command) string { return cmd.Annotations[nowKey] }

// Hidden returns the commands hidden from help and completion; they still work.
func Hidden(cmds ...*cobra.Command) []*cobra.Command {
	for _, cmd := range cmds {
		cmd.Hidden = true
	}
	return cmds
}
