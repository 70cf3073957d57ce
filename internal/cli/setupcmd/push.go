package setupcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/strategy/share"
)

// errNoRemoteName is the error for an empty remote name, such as an unset variable of a script.
var errNoRemoteName = cliui.Failf("`git remote -v` shows the remotes", "the name of the remote is empty")

type pushOptions struct {
	agree, revoke string
	list, json    bool
}

// PushCommand sends and receives the stored sessions.
func PushCommand(env *cliui.Env) *cobra.Command {
	var o pushOptions
	cmd := &cobra.Command{
		Use:   "push [REMOTE | URL]",
		Short: "Send stored sessions to agreed destinations, and receive theirs",
		Long: `Send the stored sessions (the branch entire/checkpoints/v1) to a remote or URL
that you agreed to, after fetching and merging what is there. Without an argument
they go to every destination you agreed to.

Nothing is ever sent to a destination that you did not agree to. Once you have,
every git push to it also sends new sessions, for which it waits ` + share.PushLimit.String() + ` at most.
Your answers stay in this clone (.git/entire/destinations.json).`,
		Example: `  entire share push --agree origin    # agree to origin, and send now
  entire share push                   # send to every destination agreed to
  entire share push --list            # show the destinations
  entire share push --revoke origin   # send nothing there any more`,
		Args:              cliui.AtMostOneArgument,
		ValidArgsFunction: cliui.FirstOnly(workplace.CompleteRemotes(env)),
		RunE: func(cmd *cobra.Command, args []string) error {
			target := ""
			if len(args) > 0 {
				target = args[0]
			}
			f := cmd.Flags()
			if len(args) > 0 && target == "" || f.Changed("agree") && o.agree == "" || f.Changed("revoke") && o.revoke == "" {
				return errNoRemoteName
			}
			if err := o.check(target); err != nil {
				return err
			}
			return runPush(cmd.Context(), env, target, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.agree, "agree", "", "agree to send sessions to this `REMOTE` or URL, and send them")
	f.StringVar(&o.revoke, "revoke", "", "send nothing to this `REMOTE` or URL any more")
	f.BoolVar(&o.list, "list", false, "show where sessions may go")
	f.BoolVar(&o.json, "json", false, "print JSON")
	cmd.RegisterFlagCompletionFunc("agree", workplace.CompleteRemotes(env))
	cmd.RegisterFlagCompletionFunc("revoke", workplace.CompleteNames(env, func(ctx context.Context, wp *workplace.Workplace, _ string) ([]string, error) {
		return share.Agreed(ctx, wp.Engine)
	}))
	return cmd
}

func (o pushOptions) check(target string) error {
	n := 0
	for _, given := range []bool{o.agree != "", o.revoke != "", o.list, target != ""} {
		if given {
			n++
		}
	}
	if n > 1 {
		return cliui.Failf("`entire share push --help` shows what it takes", "use one of --agree, --revoke, --list and a remote")
	}
	return nil
}

func runPush(ctx context.Context, env *cliui.Env, target string, o pushOptions) error {
	wp, err := workplace.Open(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	switch {
	case o.list:
		return listDestinations(env, wp, o.json)
	case o.revoke != "":
		return revoke(ctx, env, wp, o)
	case o.agree != "":
		if err := agree(ctx, env, wp, o.agree); err != nil {
			return err
		}
		target = o.agree
	}
	return send(ctx, env, wp, target, o)
}

// agree records a destination and says so.
func agree(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, target string) error {
	urls, err := share.Agree(ctx, wp.Engine, target)
	if err != nil {
		return cliui.Failf("`git remote -v` shows the remotes", "%w", err)
	}
	var elsewhere []string // where the settings send sessions
	for _, name := range wp.Settings.CheckpointRemotes() {
		if strings.Contains(name, ":") {
			name = wp.Repo.PlainURL(name)
		}
		elsewhere = append(elsewhere, name)
	}
	for _, url := range urls {
		switch {
		case len(elsewhere) == 0:
			fmt.Fprintf(env.Err, "Agreed: git push to %s also sends sessions.\n", url)
		case slices.Contains(elsewhere, target) || slices.Contains(elsewhere, url):
			fmt.Fprintf(env.Err, "Agreed: every git push also sends sessions to %s.\n", url)
		default:
			fmt.Fprintf(env.Err, "Agreed: sessions may go to %s.\n", url)
			fmt.Fprintf(env.Err, "warning: the settings send sessions to %s (checkpoint_remote), so git push sends none here\n", strings.Join(elsewhere, ", "))
		}
	}
	if !wp.Settings.PushSessions() {
		fmt.Fprintln(env.Err, "warning: push_sessions is false in the settings, so git push sends no sessions; `entire share push` does")
	}
	return nil
}

func revoke(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, o pushOptions) error {
	gone, err := share.Revoke(ctx, wp.Engine, o.revoke)
	switch {
	case err != nil:
		return err
	case o.json:
		return env.PrintJSON(map[string]any{"revoked": cliui.NotNil(gone)})
	case len(gone) == 0:
		return cliui.Failf("`entire share push --list` shows the destinations", "you had not agreed to %s", o.revoke)
	}
	for _, url := range gone {
		fmt.Fprintf(env.Out, "Nothing is sent to %s any more. Sent sessions stay there.\n", url)
	}
	return nil
}

func listDestinations(env *cliui.Env, wp *workplace.Workplace, asJSON bool) error {
	list, err := share.Destinations(wp.Engine)
	if err != nil {
		return err
	}
	if asJSON {
		return env.PrintJSON(map[string]any{"push_sessions": wp.Settings.PushSessions(), "destinations": cliui.NotNil(list)})
	}
	for _, d := range list {
		sent := "nothing sent yet"
		if !d.Sent.IsZero() {
			sent = "sent up to " + d.Sent.Short()
		}
		fmt.Fprintf(env.Out, "%s  agreed %s, %s\n", d.URL, d.Agreed.Local().Format("2006-01-02"), sent)
	}
	if len(list) == 0 {
		fmt.Fprintln(env.Out, "Sessions are sent nowhere. `entire share push --agree <remote>` changes that.")
	}
	if !wp.Settings.PushSessions() {
		fmt.Fprintln(env.Out, "push_sessions is false: git push sends no sessions.")
	}
	return nil
}

// send sends the sessions and prints the result for each destination. If one fails, the command
// fails after it has tried the others.
func send(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, target string, o pushOptions) error {
	if target == "" {
		if list, err := share.Destinations(wp.Engine); err != nil || len(list) == 0 && len(wp.Settings.CheckpointRemotes()) == 0 {
			return errors.Join(err, noDestination(err))
		}
	}
	req := share.PushRequest{Target: target, Person: workplace.Person(env, o.json)}
	done, err := share.Push(ctx, wp.Engine, req)
	if err != nil {
		return cliui.Failf("`git remote -v` shows the remotes", "%w", err)
	}
	if unagreed(done) && !o.json && mayAgree(ctx, env, done) {
		if err := agree(ctx, env, wp, target); err != nil {
			return err
		}
		if done, err = share.Push(ctx, wp.Engine, req); err != nil {
			return err
		}
	}
	return tellPushed(env, done, o)
}

func noDestination(err error) error {
	if err != nil {
		return nil
	}
	return cliui.Failf("`entire share push --agree origin` agrees to a remote, and sends", "you have not agreed to send sessions anywhere")
}

func unagreed(done []share.Pushed) bool {
	for _, p := range done {
		if errors.Is(p.Err, share.ErrNotAgreed) {
			return true
		}
	}
	return false
}

// mayAgree asks a person at a terminal.
func mayAgree(ctx context.Context, env *cliui.Env, done []share.Pushed) bool {
	t := env.Terminal()
	if !t.Interactive {
		return false
	}
	yes, err := t.Confirm(ctx, "Send sessions to "+done[0].URL+"?", "Everybody who can read that repository can then read the conversations.")
	return err == nil && yes
}

// A pushedView is the JSON form of the result at one destination.
type pushedView struct {
	share.Pushed
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
}

func tellPushed(env *cliui.Env, done []share.Pushed, o pushOptions) error {
	var failed error
	views := []pushedView{}
	for _, p := range done {
		v := pushedView{Pushed: p, OK: p.Err == nil}
		if p.Err != nil {
			v.Error = cliui.ShownLine(p.Err.Error())
			failed = pushFailure(p)
		}
		views = append(views, v)
		if !o.json {
			tellOne(env, p, len(done) > 1)
		}
	}
	if !o.json {
		return failed
	}
	if err := env.PrintJSON(map[string]any{"destinations": views}); err != nil || failed == nil {
		return err
	}
	return cliui.ErrTold
}

func tellOne(env *cliui.Env, p share.Pushed, many bool) {
	if p.Err != nil {
		if many {
			fmt.Fprintf(env.Err, "%s: %s\n", p.URL, cliui.ShownLine(p.Err.Error()))
		}
		return
	}
	if p.Received > 0 {
		fmt.Fprintf(env.Out, "Received %s from %s.\n", cliui.Count(p.Received, "checkpoint"), p.URL)
	}
	switch {
	case p.Checkpoints > 0:
		fmt.Fprintf(env.Out, "Sent %s to %s.\n", cliui.Count(p.Checkpoints, "checkpoint"), p.URL)
		if p.Inbox != "" {
			fmt.Fprintln(env.Out, "Others were sending, too: it waits there in a ref of its own until the next `entire share push` of anybody.")
		}
	case p.Tip.IsZero():
		fmt.Fprintf(env.Out, "Nothing to send to %s yet.\n", p.URL)
	default:
		fmt.Fprintf(env.Out, "%s is up to date.\n", p.URL)
	}
}

func pushFailure(p share.Pushed) error {
	name := p.Remote
	if name == "" {
		name = p.URL
	}
	if errors.Is(p.Err, share.ErrNotAgreed) {
		return cliui.Failf(fmt.Sprintf("`entire share push --agree %s` agrees, and sends", name), "you have not agreed to send sessions to %s", p.URL)
	}
	if errors.Is(p.Err, git.ErrNoRewrite) {
		return cliui.Failf("it still has a forgotten checkpoint; let it allow forced pushes to entire/checkpoints/v1", "send sessions to %s: %w", p.URL, p.Err)
	}
	var exit *git.ExitError
	if errors.As(p.Err, &exit) {
		return cliui.Failf(fmt.Sprintf("`git push %s %s` shows more", name, "entire/checkpoints/v1"), "send sessions to %s: %w", p.URL, p.Err)
	}
	return fmt.Errorf("send sessions to %s: %w", p.URL, p.Err)
}
