package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"entire/internal/term"
)

// addPushFlag gives enable the flag that agrees to a destination.
func (w *world) addPushFlag(cmd *cobra.Command, pushTo *string) {
	cmd.Flags().StringVar(pushTo, "push-to", "", "send stored sessions along with git push to this `remote` or URL")
	cmd.RegisterFlagCompletionFunc("push-to", w.completeRemotes)
}

// agreeOnPush notes where sessions may be sent: what was named or, on a terminal,
// what a person answers. Nobody to ask means nowhere.
func (w *world) agreeOnPush(ctx context.Context, wp *workplace, pushTo string, ask bool) error {
	if pushTo != "" {
		return w.agree(ctx, wp, pushTo)
	}
	t := w.terminal()
	if !ask || !t.Interactive || !wp.settings.PushSessions() {
		return nil
	}
	known, err := wp.engine.Destinations()
	if err != nil || len(known) > 0 {
		return err
	}
	remotes, err := wp.repo.Remotes(ctx)
	if err != nil || len(remotes) == 0 {
		return err
	}
	return w.askWhereTo(ctx, wp, t, remotes)
}

func (w *world) askWhereTo(ctx context.Context, wp *workplace, t term.Terminal, remotes []string) error {
	options := []string{"Nowhere: they stay on this machine"}
	for _, name := range remotes {
		urls, err := wp.repo.PushURLs(ctx, name)
		if err != nil {
			return err
		}
		options = append(options, fmt.Sprintf("%s (%s)", name, wp.repo.PlainURL(urls[0])))
	}
	i, err := t.Select(ctx, "Send stored sessions along with git push? Whoever can read that repository can read them.", options)
	if err != nil || i == 0 {
		fmt.Fprintln(w.err, "Sessions stay on this machine. `entire push --agree <remote>` changes that.")
		return nil
	}
	return w.agree(ctx, wp, remotes[i-1])
}
