package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"entire/internal/git"
	"entire/internal/term"
	"entire/strategy/share"
)

// errNoRemoteName is the error for an empty remote name, such as an unset variable of a script.
var errNoRemoteName = failf("`git remote -v` shows the remotes", "the name of the remote is empty")

type pushOptions struct {
	agree, revoke string
	list, json    bool
}

func (w *world) pushCommand() *cobra.Command {
	var o pushOptions
	cmd := &cobra.Command{
		Use:   "push [remote or URL]",
		Short: "Send stored sessions to agreed destinations, and receive theirs",
		Long: `Send the stored sessions (the branch entire/checkpoints/v1) to a remote or URL
that you agreed to, after fetching and merging what is there. Without an argument
they go to every destination you agreed to.

Nothing is ever sent to a destination that you did not agree to. Once you have,
every git push to it also sends new sessions, for which it waits ` + share.PushLimit.String() + ` at most.
Your answers stay in this clone (.git/entire/destinations.json).`,
		Example: `  entire push --agree origin     agree to origin, and send now
  entire push                    send to every destination agreed to
  entire push --list             show the destinations
  entire push --revoke origin    send nothing there any more`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: w.completeRemotes,
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
			return w.push(cmd.Context(), target, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.agree, "agree", "", "agree to send sessions to this `remote` or URL, and send them")
	f.StringVar(&o.revoke, "revoke", "", "send nothing to this `remote` or URL any more")
	f.BoolVar(&o.list, "list", false, "show where sessions may go")
	f.BoolVar(&o.json, "json", false, "print JSON")
	cmd.RegisterFlagCompletionFunc("agree", w.completeRemotes)
	cmd.RegisterFlagCompletionFunc("revoke", w.completeAgreed)
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
		return failf("`entire push --help` shows what it takes", "use one of --agree, --revoke, --list and a remote")
	}
	return nil
}

func (w *world) push(ctx context.Context, target string, o pushOptions) error {
	wp, err := w.open(ctx)
	if err != nil {
		return err
	}
	defer wp.close()
	switch {
	case o.list:
		return w.listDestinations(wp, o.json)
	case o.revoke != "":
		return w.revoke(ctx, wp, o)
	case o.agree != "":
		if err := w.agree(ctx, wp, o.agree); err != nil {
			return err
		}
		target = o.agree
	}
	return w.send(ctx, wp, target, o)
}

// agree records a destination and says so.
func (w *world) agree(ctx context.Context, wp *workplace, target string) error {
	urls, err := share.Agree(ctx, wp.engine, target)
	if err != nil {
		return failf("`git remote -v` shows the remotes", "%w", err)
	}
	for _, url := range urls {
		fmt.Fprintf(w.err, "Agreed: git push to %s also sends sessions.\n", url)
	}
	if !wp.settings.PushSessions() {
		fmt.Fprintln(w.err, "warning: push_sessions is false in the settings, so git push sends no sessions; `entire push` does")
	}
	return nil
}

func (w *world) revoke(ctx context.Context, wp *workplace, o pushOptions) error {
	gone, err := share.Revoke(ctx, wp.engine, o.revoke)
	switch {
	case err != nil:
		return err
	case o.json:
		return w.printJSON(map[string]any{"revoked": notNil(gone)})
	case len(gone) == 0:
		return failf("`entire push --list` shows the destinations", "you had not agreed to %s", o.revoke)
	}
	for _, url := range gone {
		fmt.Fprintf(w.out, "Nothing is sent to %s any more. Sent sessions stay there.\n", url)
	}
	return nil
}

func (w *world) listDestinations(wp *workplace, asJSON bool) error {
	list, err := share.Destinations(wp.engine)
	if err != nil {
		return err
	}
	if asJSON {
		return w.printJSON(map[string]any{"push_sessions": wp.settings.PushSessions(), "destinations": notNil(list)})
	}
	for _, d := range list {
		sent := "nothing sent yet"
		if !d.Sent.IsZero() {
			sent = "sent up to " + d.Sent.Short()
		}
		fmt.Fprintf(w.out, "%s  agreed %s, %s\n", d.URL, d.Agreed.Format("2006-01-02"), sent)
	}
	if len(list) == 0 {
		fmt.Fprintln(w.out, "Sessions are sent nowhere. `entire push --agree <remote>` changes that.")
	}
	if !wp.settings.PushSessions() {
		fmt.Fprintln(w.out, "push_sessions is false: git push sends no sessions.")
	}
	return nil
}

// send sends the sessions and prints the result for each destination. If one fails, the command
// fails after it has tried the others.
func (w *world) send(ctx context.Context, wp *workplace, target string, o pushOptions) error {
	if target == "" {
		if list, err := share.Destinations(wp.engine); err != nil || len(list) == 0 {
			return errors.Join(err, w.noDestination(err))
		}
	}
	req := w.pushRequest(target, o.json)
	done, err := share.Push(ctx, wp.engine, req)
	if err != nil {
		return failf("`git remote -v` shows the remotes", "%w", err)
	}
	if unagreed(done) && !o.json && w.mayAgree(ctx, done) {
		if err := w.agree(ctx, wp, target); err != nil {
			return err
		}
		if done, err = share.Push(ctx, wp.engine, req); err != nil {
			return err
		}
	}
	return w.tellPushed(done, o)
}

func (w *world) noDestination(err error) error {
	if err != nil {
		return nil
	}
	return failf("`entire push --agree origin` agrees to a remote, and sends", "you have not agreed to send sessions anywhere")
}

// pushRequest lets git and ssh ask, and show progress, if a person is at the terminal.
func (w *world) pushRequest(target string, quiet bool) share.PushRequest {
	req := share.PushRequest{Target: target}
	if w.terminal().Interactive {
		req.Ask, req.Stdin = true, w.in
	}
	if !quiet && term.IsTerminal(w.err) {
		req.Progress = w.redrawn()
	}
	return req
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
func (w *world) mayAgree(ctx context.Context, done []share.Pushed) bool {
	t := w.terminal()
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

func (w *world) tellPushed(done []share.Pushed, o pushOptions) error {
	var failed error
	views := []pushedView{}
	for _, p := range done {
		v := pushedView{Pushed: p, OK: p.Err == nil}
		if p.Err != nil {
			v.Error = shownLine(p.Err.Error())
			failed = pushFailure(p)
		}
		views = append(views, v)
		if !o.json {
			w.tellOne(p, len(done) > 1)
		}
	}
	if !o.json {
		return failed
	}
	if err := w.printJSON(map[string]any{"destinations": views}); err != nil || failed == nil {
		return err
	}
	return errTold
}

func (w *world) tellOne(p share.Pushed, many bool) {
	if p.Err != nil {
		if many {
			fmt.Fprintf(w.err, "%s: %s\n", p.URL, shownLine(p.Err.Error()))
		}
		return
	}
	if p.Received > 0 {
		fmt.Fprintf(w.out, "Received %s from %s.\n", count(p.Received, "checkpoint"), p.URL)
	}
	switch {
	case p.Checkpoints > 0:
		fmt.Fprintf(w.out, "Sent %s to %s.\n", count(p.Checkpoints, "checkpoint"), p.URL)
	case p.Tip.IsZero():
		fmt.Fprintf(w.out, "Nothing to send to %s yet.\n", p.URL)
	default:
		fmt.Fprintf(w.out, "%s is up to date.\n", p.URL)
	}
}

func pushFailure(p share.Pushed) error {
	name := p.Remote
	if name == "" {
		name = p.URL
	}
	if errors.Is(p.Err, share.ErrNotAgreed) {
		return failf(fmt.Sprintf("`entire push --agree %s` agrees, and sends", name), "you have not agreed to send sessions to %s", p.URL)
	}
	if errors.Is(p.Err, git.ErrNoRewrite) {
		return failf("it still has a forgotten checkpoint; let it allow forced pushes to entire/checkpoints/v1", "send sessions to %s: %w", p.URL, p.Err)
	}
	var exit *git.ExitError
	if errors.As(p.Err, &exit) {
		return failf(fmt.Sprintf("`git push %s %s` shows more", name, "entire/checkpoints/v1"), "send sessions to %s: %w", p.URL, p.Err)
	}
	return fmt.Errorf("send sessions to %s: %w", p.URL, p.Err)
}

// completeRemotes lists the remotes for the shell.
func (w *world) completeRemotes(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return w.completeNames(cmd, args, func(wp *workplace) ([]string, error) { return wp.repo.Remotes(cmd.Context()) })
}

// completeAgreed lists the destinations for the shell.
func (w *world) completeAgreed(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return w.completeNames(cmd, args, func(wp *workplace) ([]string, error) { return share.Agreed(cmd.Context(), wp.engine) })
}

func (w *world) completeNames(cmd *cobra.Command, args []string, names func(*workplace) ([]string, error)) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	quiet := *w
	quiet.err = io.Discard
	wp, err := quiet.openQuietly(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer wp.close()
	list, err := names(wp)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}
