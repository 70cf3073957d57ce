package teleportcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/teleport"
	"entire/internal/term"
	"entire/strategy/handoff"
	"entire/strategy/share"
)

// Commands returns the commands that take a session to another machine.
func Commands(env *cliui.Env) []*cobra.Command {
	return []*cobra.Command{teleportSendCommand(env), teleportReceiveCommand(env), teleportListCommand(env), teleportCancelCommand(env)}
}

// Former returns the command that they were below.
func Former(env *cliui.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "teleport",
		Short: "Take a session, with its uncommitted work, to another machine",
		Long: `Take a session to another machine, sealed under a code of six words that you say
or type there. It travels through the repository's own remote, which cannot read it,
or as a file. docs/teleport.md says what it protects against and what not.`,
		Example: `  entire share send --with-code --to origin     # here
  entire share receive hammer-velvet-tiger-…    # there`,
		Args: cliui.NoSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(Commands(env)...)
	return cmd
}

func teleportListCommand(env *cliui.Env) *cobra.Command {
	var to string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the bundles here, and with --to those at a remote",
		Args:  cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return teleportList(cmd.Context(), env, to, asJSON)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "ask this `REMOTE`, too")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	cmd.RegisterFlagCompletionFunc("to", workplace.CompleteRemotes(env))
	return cmd
}

func teleportList(ctx context.Context, env *cliui.Env, to string, asJSON bool) error {
	wp, err := workplace.Open(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	list, err := handoff.Bundles(ctx, wp.Engine)
	if err == nil && to != "" {
		var url string
		if url, err = share.SendURL(ctx, wp.Engine, to); err == nil {
			list, err = handoff.BundlesAt(ctx, wp.Engine, workplace.Person(env, asJSON), url)
		}
	}
	if err != nil {
		return cliui.Failf("`git remote -v` shows the remotes", "%w", err)
	}
	if asJSON {
		return env.PrintJSON(cliui.NotNil(list))
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(env.Out, "No bundles.")
		return err
	}
	rows := [][]term.Cell{cliui.FaintRow(env.Screen(), []string{"ID", "EXPIRES", "WHERE"})}
	for _, p := range list {
		rows = append(rows, term.Plain(p.ID, expiryText(p.Expires, env.Now()), whereText(p, to)))
	}
	_, err = fmt.Fprint(env.Out, term.Columns(rows, env.Width()))
	return err
}

func expiryText(at, now time.Time) string {
	switch {
	case at.IsZero():
		return "unknown here"
	case now.After(at):
		return "expired"
	}
	return at.UTC().Format("2006-01-02 15:04 MST")
}

func whereText(p handoff.StoredBundle, remote string) string {
	switch {
	case p.Local && p.Remote:
		return "here, " + remote
	case p.Remote:
		return remote
	}
	return "here"
}

func teleportCancelCommand(env *cliui.Env) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "cancel CODE|ID",
		Short: "Delete a bundle: here, and with --to at a remote",
		Long: `Delete a bundle that was sent, or whose receiving was interrupted. Its code then finds
nothing. A forge keeps the unreachable objects until it collects them.`,
		Example:           "  entire share cancel hammer-velvet-tiger-candle-maple-orbit --to origin",
		Args:              cliui.AtLeastOne("the code, or an ID of `entire share list`"),
		ValidArgsFunction: completeBundles(env),
		RunE: func(cmd *cobra.Command, args []string) error {
			return teleportCancel(cmd.Context(), env, strings.Join(args, " "), to)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "from this `REMOTE`, too")
	cmd.RegisterFlagCompletionFunc("to", workplace.CompleteRemotes(env))
	return cmd
}

func teleportCancel(ctx context.Context, env *cliui.Env, text, to string) error {
	name := text
	if len(text) != teleport.IDDigits || strings.Trim(text, "0123456789abcdef") != "" {
		_, key, err := readKey(env, text)
		if err != nil {
			return err
		}
		name = key.ID
	}
	wp, err := workplace.Open(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	var there bool
	if to != "" {
		url, err := share.SendURL(ctx, wp.Engine, to)
		if err == nil {
			there, err = handoff.DropRemoteBundle(ctx, wp.Engine, workplace.Person(env, false), url, name)
		}
		if err != nil {
			return cliui.Failf("try again, or delete the ref refs/entire/teleport/"+name+" there", "delete it at %s: %w", to, err)
		}
	}
	here, err := handoff.DropBundle(ctx, wp.Engine, name)
	if err != nil {
		return err
	}
	if !here && !there {
		return cliui.Failf("`entire share list --to REMOTE` shows what is there", "%w", handoff.ErrNoTeleport)
	}
	_, err = fmt.Fprintln(env.Out, "Nothing is left under this code.")
	return err
}

// completeBundles completes the IDs of the bundles stored here.
func completeBundles(env *cliui.Env) cobra.CompletionFunc {
	return cliui.FirstOnly(workplace.CompleteNames(env, func(ctx context.Context, wp *workplace.Workplace, _ string) ([]string, error) {
		list, err := handoff.Bundles(ctx, wp.Engine)
		var ids []string
		for _, p := range list {
			ids = append(ids, p.ID)
		}
		return ids, err
	}))
}

// readKey parses a code, says which words it corrected, and returns the code's key.
func readKey(env *cliui.Env, text string) (code teleport.Code, key teleport.Key, err error) {
	code, read, err := teleport.ParseCode(text)
	if err != nil {
		return code, key, cliui.Failf("a code has six words, as `entire share send` printed them", "%w", err)
	}
	for _, r := range read {
		fmt.Fprintf(env.Err, "read %s\n", r)
	}
	key, err = code.Key()
	return code, key, err
}

// receiveFailure adds what failed, and a hint, to an error.
func receiveFailure(err error) error {
	hint := ""
	switch {
	case errors.Is(err, teleport.ErrWrongCode):
		hint = "check the words; nothing was changed"
	case errors.Is(err, teleport.ErrTampered), errors.Is(err, handoff.ErrIncomplete):
		hint = "nothing was changed; ask for it to be sent again"
	case errors.Is(err, teleport.ErrRefused), errors.Is(err, handoff.ErrBadBundle), errors.Is(err, handoff.ErrNotTransferable):
		hint = "nothing was changed; it was not made with `entire share send`"
	case errors.Is(err, teleport.ErrExpired):
		hint = "nothing was changed; ask for it to be sent again with a longer --expires"
	case errors.Is(err, handoff.ErrNoTeleport):
		hint = "it was received already, has expired, or went to another remote: --from names one"
	case errors.Is(err, handoff.ErrTaken):
		hint = "nothing was changed; `entire share send --again CODE` on the sending machine sends it once more"
	case errors.Is(err, context.Canceled):
		hint = "nothing was changed"
	}
	return cliui.Failf(cmp.Or(hint, cliui.HintOf(err)), "receive: %w", err)
}

// textOf reads a line from a person, or from standard input.
func textOf(ctx context.Context, env *cliui.Env, what string) (string, error) {
	t := env.Terminal()
	if t.Interactive {
		return t.Line(ctx, what+": ")
	}
	data, err := io.ReadAll(io.LimitReader(env.In, 1<<10))
	return strings.TrimSpace(string(data)), err
}
