package sessionlib

import (
	"io"

	"github.com/spf13/cobra"

	"entire/id"
	"entire/internal/cli/cliui"
)

// Complete completes the first argument with the names that find returns.
func Complete(env *cliui.Env, cmd *cobra.Command, args []string, find func(*Library) ([]string, error)) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return Completions(env, cmd, find)
}

// Completions returns the names that find returns. It prints no warnings, because a shell calls
// it.
func Completions(env *cliui.Env, cmd *cobra.Command, find func(*Library) ([]string, error)) ([]string, cobra.ShellCompDirective) {
	quiet := *env
	quiet.Err = io.Discard
	var names []string
	err := WithLibrary(cmd.Context(), &quiet, func(l *Library) (err error) {
		names, err = find(l)
		return err
	})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// CompleteSession completes a session's ID.
func CompleteSession(env *cliui.Env, cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return Complete(env, cmd, args, func(l *Library) ([]string, error) {
		all, err := l.Here(cmd.Context())
		var ids []string
		for _, s := range all {
			if _, err := id.ParseSessionID(s.ID); err == nil {
				ids = append(ids, cobra.CompletionWithDesc(s.ID, cliui.ShortLine(s.Title, cliui.PromptRunes)))
			}
		}
		return ids, err
	})
}

// CompleteMessage completes the UUIDs of a person's messages in the session of the first
// argument, the last first.
func CompleteMessage(env *cliui.Env, cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return Completions(env, cmd, func(l *Library) ([]string, error) {
		s, err := l.Find(cmd.Context(), args[0])
		if err != nil {
			return nil, err
		}
		var names []string
		err = l.EachEntry(cmd.Context(), s, true, func(m SaidEntry) error {
			if m.IsPrompt() && m.UUID == cliui.ShownLine(m.UUID) {
				names = append([]string{cobra.CompletionWithDesc(m.UUID, cliui.ShortLine(m.Content, cliui.PromptRunes))}, names...)
			}
			return nil
		})
		return names, err
	})
}
