package main

import (
	"io"

	"github.com/spf13/cobra"

	"entire/id"
)

// complete completes the first argument with the names that find returns.
func (w *world) complete(cmd *cobra.Command, args []string, find func(*library) ([]string, error)) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return w.completions(cmd, find)
}

// completions returns the names that find returns. It prints no warnings, because a shell calls
// it.
func (w *world) completions(cmd *cobra.Command, find func(*library) ([]string, error)) ([]string, cobra.ShellCompDirective) {
	quiet := *w
	quiet.err = io.Discard
	var names []string
	err := quiet.withLibrary(cmd.Context(), func(l *library) (err error) {
		names, err = find(l)
		return err
	})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeSession completes a session's ID.
func (w *world) completeSession(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return w.complete(cmd, args, func(l *library) ([]string, error) {
		all, err := l.here(cmd.Context())
		var ids []string
		for _, s := range all {
			if _, err := id.ParseSessionID(s.ID); err == nil {
				ids = append(ids, cobra.CompletionWithDesc(s.ID, shortLine(s.Title, promptRunes)))
			}
		}
		return ids, err
	})
}

// completeMessage completes the UUIDs of a person's messages in the session of the first
// argument, the last first.
func (w *world) completeMessage(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return w.completions(cmd, func(l *library) ([]string, error) {
		s, err := l.find(cmd.Context(), args[0])
		if err != nil {
			return nil, err
		}
		var names []string
		err = l.eachEntry(cmd.Context(), s, true, func(m saidEntry) error {
			if m.Asks() && m.UUID == shownLine(m.UUID) {
				names = append([]string{cobra.CompletionWithDesc(m.UUID, shortLine(m.Content, promptRunes))}, names...)
			}
			return nil
		})
		return names, err
	})
}
