package setupcmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/term"
	"entire/strategy/share"
)

// addPushFlag adds the flag --push-to, which agrees to a destination.
func addPushFlag(env *cliui.Env, cmd *cobra.Command, pushTo *string) {
	cmd.Flags().StringVar(pushTo, "push-to", "", "send stored sessions along with git push to this `REMOTE` or URL")
	cmd.RegisterFlagCompletionFunc("push-to", workplace.CompleteRemotes(env))
}

// agreeAtOnce records the destination of --push-to before anything is set up.
func agreeAtOnce(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, o enableOptions) error {
	switch {
	case o.pushTo == "":
		return nil
	case o.skipPush:
		return cliui.Failf("leave one of them out", "cannot specify both --push-to and --skip-push-sessions")
	}
	return agree(ctx, env, wp, o.pushTo)
}

// askAboutPush asks a person at a terminal once where sessions may be sent. Without a terminal,
// they are sent nowhere.
func askAboutPush(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) error {
	t := env.Terminal()
	if !t.Interactive || !wp.Settings.PushSessions() {
		return nil
	}
	known, err := share.Destinations(wp.Engine)
	if err != nil || len(known) > 0 {
		return err
	}
	remotes := wp.Settings.CheckpointRemotes()
	if len(remotes) == 0 {
		if remotes, err = wp.Repo.Remotes(ctx); err != nil {
			return err
		}
	}
	if len(remotes) == 0 {
		return nil
	}
	return askWhereTo(ctx, env, wp, t, remotes)
}

func askWhereTo(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, t term.Terminal, remotes []string) error {
	options := []string{"Nowhere: they stay on this machine"}
	for _, name := range remotes {
		urls, err := wp.Repo.PushURLs(ctx, name)
		if err != nil {
			return err
		}
		url := wp.Repo.PlainURL(urls[0])
		if name != urls[0] {
			url = fmt.Sprintf("%s (%s)", name, url)
		}
		options = append(options, url)
	}
	i, err := t.Select(ctx, "Send stored sessions along with git push? Everybody who can read that repository can read them.", options)
	if err != nil || i == 0 {
		fmt.Fprintln(env.Err, "Sessions stay on this machine. `entire share push --agree <remote>` changes that.")
		return nil
	}
	return agree(ctx, env, wp, remotes[i-1])
}
