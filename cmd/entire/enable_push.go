package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"entire/internal/term"
	"entire/strategy/share"
)

// addPushFlag adds the flag --push-to, which agrees to a destination.
func (w *world) addPushFlag(cmd *cobra.Command, pushTo *string) {
	cmd.Flags().StringVar(pushTo, "push-to", "", "send stored sessions along with git push to this `remote` or URL")
	cmd.RegisterFlagCompletionFunc("push-to", w.completeRemotes)
}

// agreeAtOnce records the destination of --push-to before anything is set up.
func (w *world) agreeAtOnce(ctx context.Context, wp *workplace, o enableOptions) error {
	switch {
	case o.pushTo == "":
		return nil
	case o.skipPush:
		return failf("leave one of them out", "cannot specify both --push-to and --skip-push-sessions")
	}
	return w.agree(ctx, wp, o.pushTo)
}

// askAboutPush asks a person at a terminal once where sessions may be sent. Without a terminal,
// they are sent nowhere.
func (w *world) askAboutPush(ctx context.Context, wp *workplace) error {
	t := w.terminal()
	if !t.Interactive || !wp.settings.PushSessions() {
		return nil
	}
	known, err := share.Destinations(wp.engine)
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
	i, err := t.Select(ctx, "Send stored sessions along with git push? Everybody who can read that repository can read them.", options)
	if err != nil || i == 0 {
		fmt.Fprintln(w.err, "Sessions stay on this machine. `entire push --agree <remote>` changes that.")
		return nil
	}
	return w.agree(ctx, wp, remotes[i-1])
}
