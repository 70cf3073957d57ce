package cliui

import "github.com/spf13/cobra"

// FirstOnly completes the first argument with names, and nothing after it.
func FirstOnly(names cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return names(cmd, args, typed)
	}
}

// InOrder tells the shell not to sort the names.
func InOrder(names cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		list, how := names(cmd, args, typed)
		return list, how | cobra.ShellCompDirectiveKeepOrder
	}
}
