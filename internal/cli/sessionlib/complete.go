package sessionlib

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"entire/id"
	"entire/internal/cli/cliui"
)

// CompleteNames completes with the names that find returns. It prints nothing, because a shell calls it, and offers
// nothing after an error.
func CompleteNames(env *cliui.Env, find func(context.Context, *Library) ([]string, error)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		quiet := *env
		quiet.Err = io.Discard
		err := WithLibrary(cmd.Context(), &quiet, func(l *Library) (err error) {
			names, err = find(cmd.Context(), l)
			return err
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// CompleteSessions completes the IDs of sessions; CompleteSession that of the first argument.
func CompleteSessions(env *cliui.Env) cobra.CompletionFunc {
	return CompleteNames(env, func(ctx context.Context, l *Library) ([]string, error) {
		all, err := l.Here(ctx)
		var ids []string
		for _, s := range all {
			if _, err := id.ParseSessionID(s.ID); err == nil {
				ids = append(ids, cobra.CompletionWithDesc(s.ID, cliui.ShortLine(s.Title, cliui.PromptRunes)))
			}
		}
		return ids, err
	})
}

func CompleteSession(env *cliui.Env) cobra.CompletionFunc {
	return cliui.FirstOnly(CompleteSessions(env))
}

// CompleteMessage completes the UUIDs of a person's messages in the session of the first
// argument, the last first.
func CompleteMessage(env *cliui.Env) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return CompleteNames(env, func(ctx context.Context, l *Library) ([]string, error) {
			s, err := l.Find(ctx, args[0])
			if err != nil {
				return nil, err
			}
			var names []string
			err = l.EachEntry(ctx, s, true, func(m SaidEntry) error {
				if m.IsPrompt() && m.UUID == cliui.ShownLine(m.UUID) {
					names = append([]string{cobra.CompletionWithDesc(m.UUID, cliui.ShortLine(m.Content, cliui.PromptRunes))}, names...)
				}
				return nil
			})
			return names, err
		})(cmd, args, typed)
	}
}
