package teleportcmd

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
	"entire/internal/teleport"
)

type receiveOptions struct {
	from               string
	replace, yes, json bool
}

func teleportReceiveCommand(env *cliui.Env) *cobra.Command {
	var o receiveOptions
	cmd := &cobra.Command{
		Use:   "receive CODE | FILE [CODE]",
		Short: "Open a sent session, and continue it here",
		Long: `Find what was sent under a code, at the remotes of this repository or in a file, check
all of it, and only then put it in place: the conversation in the store and where its
agent looks for it, with paths of this machine; its steps and checkpoints; and if the
sender used --with-code, the files as they were there. The last line is the command that
continues the session.

A rewind puts the files in place, and ` + "`entire undo`" + ` undoes it. HEAD must be the commit that
they were changed on, and this worktree may have no uncommitted changes that are not in
the bundle; --replace saves these first and replaces them. Once everything is in place,
the command deletes the bundle at the remote.

A code may have upper or lower case, dashes or spaces. Without a code, the command asks a
person at a terminal for it, so that no shell's history has it; elsewhere it reads the
code from standard input.`,
		Example: `  entire share receive hammer-velvet-tiger-candle-maple-orbit
  entire share receive session.teleport`,
		ValidArgsFunction: func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			if strings.ContainsAny(typed, "-") {
				return teleport.CompleteCode(typed), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error { return receive(cmd.Context(), l, args, o) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "look at this `REMOTE` only")
	f.BoolVar(&o.replace, "replace", false, "replace what is uncommitted here; it is saved first")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	cmd.RegisterFlagCompletionFunc("from", workplace.CompleteRemotes(env))
	return cmd
}

func receive(ctx context.Context, l *sessionlib.Library, args []string, o receiveOptions) error {
	if err := inClear(l); err != nil {
		return err
	}
	file, args := fileArgument(l, args)
	if file != "" {
		if err := l.IsFile(file); err != nil {
			return cliui.Failf("name the file that `entire share send` wrote", "receive: %w", err)
		}
	}
	text := strings.Join(args, " ")
	if text == "" {
		var err error
		if text, err = textOf(ctx, l.Env, "Code"); err != nil {
			return cliui.Failf("`entire share receive CODE`", "which code? %w", err)
		}
		if text == "" {
			return cliui.Failf("`entire share receive CODE`, with the code that the sender has", "which code?")
		}
	}
	_, key, err := readKey(l.Env, text)
	if err != nil {
		return err
	}
	alone, err := receivesAlone(l)
	if err != nil {
		return err
	}
	defer alone.Discard()
	source, err := openSealed(ctx, l, file, key, o)
	if err != nil {
		return receiveFailure(err)
	}
	a := &arrival{l: l, o: o, key: key, source: source}
	defer a.close()
	if err := a.receive(ctx); err != nil {
		return err
	}
	return a.tell()
}

// receivesAlone locks out any other receive of the same user until the lock is released: two
// would interfere in the store and in the worktree.
func receivesAlone(l *sessionlib.Library) (*durable.Lock, error) {
	if l.Data == "" {
		return nil, nil
	}
	lock, err := durable.AcquireWithin(filepath.Join(l.Data, "receive.lock"), 0)
	if errors.Is(err, durable.ErrHeld) {
		return nil, cliui.Failf("wait until it is done, and see `entire sessions list`", "receive: another `entire share receive` is running")
	}
	return lock, err
}
