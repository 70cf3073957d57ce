package teleportcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/redact"
	"entire/internal/teleport"
	"entire/strategy/handoff"
	"entire/strategy/share"
)

type sendOptions struct {
	to                          string
	expires                     time.Duration
	withCode, again, force, yes bool
	json                        bool
	dryRun, fromShare           bool // of `entire share ID`
}

func teleportSendCommand(env *cliui.Env) *cobra.Command {
	var o sendOptions
	cmd := &cobra.Command{
		Use:   "send [SESSION]",
		Short: "Seal a session under a spoken code, and send it",
		Long: `Seal a session, its steps and its checkpoints under a code of six words, and put it
where the other machine finds it: at the repository's remote, as a ref that is deleted
when it is received, or in a file. With --with-code it also sends uncommitted files,
and commits that no remote has.

The conversation is sent without secrets, as it is stored, and is searched for secrets
once more. Files are not changed: those with something that looks like a secret are
named first. On a terminal the command asks before it sends anything; elsewhere it goes
ahead, unless a file seems to have a secret: then it needs --yes.

Without SESSION it sends the latest of this folder. Without --to it sends to the
destination of sessions (` + "`entire share push --list`" + `), if there is exactly one.`,
		Example: `  entire share send --with-code --to origin
  entire share send 6e1f0d2 --to ./session.teleport --expires 2h
  entire share send --again hammer-velvet-tiger-candle-maple-orbit --to origin`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.again {
				return nil
			}
			return cliui.AtMostOneArgument(cmd, args)
		},
		ValidArgsFunction: sessionlib.CompleteSession(env),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.expires <= 0 {
				return cliui.Failf("such as --expires 2h", "--expires %s is over already", o.expires)
			}
			if o.expires > teleport.MaxExpiry {
				return cliui.Failf("such as --expires 2h", "a bundle expires after %s at most", teleport.MaxExpiry)
			}
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error {
				if err := inClear(l); err != nil {
					return err
				}
				if o.again {
					return sendAgain(cmd.Context(), l, strings.Join(args, " "), o)
				}
				return sendSession(cmd.Context(), l, args, o)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.withCode, "with-code", false, "also uncommitted files, and commits that no remote has")
	f.StringVar(&o.to, "to", "", "the `REMOTE`, or the file, to send it to")
	o.expires = teleport.DefaultExpiry
	f.Var((*lifetime)(&o.expires), "expires", "how `LONG` it can be received, such as 12h or 7d, at most 30d")
	f.BoolVar(&o.again, "again", false, "continue an interrupted send, under the same code")
	f.BoolVarP(&o.force, "force", "f", false, "replace the file if it is there")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	cmd.RegisterFlagCompletionFunc("to", workplace.CompleteRemotes(env))
	return cmd
}

// inClear returns why no session can travel: where the project encrypts, its parts are sealed with data keys
// that the other clone does not have, and a received session would be stored in clear.
func inClear(l *sessionlib.Library) error {
	if l.Wp != nil && l.Wp.Settings.Sealed {
		return cliui.Failf("commit and push the work: the checkpoint travels encrypted, and `entire resume BRANCH` continues it there", "this project encrypts what is stored of conversations, and a session cannot be sent from it yet")
	}
	return nil
}

// A target is where a bundle goes: a remote's URL or a file.
type target struct {
	name string
	url  string
	file string
}

// sendTo returns the target that --to means.
func sendTo(ctx context.Context, l *sessionlib.Library, o sendOptions) (target, error) {
	hint := "--to origin, or --to ./session.teleport for a file"
	if o.to == "" {
		if l.Wp == nil {
			return target{}, cliui.Failf("--to ./session.teleport", "name the destination with --to")
		}
		agreed, err := share.Agreed(ctx, l.Wp.Engine)
		if err != nil {
			return target{}, err
		}
		if len(agreed) != 1 {
			return target{}, cliui.Failf(hint, "name the destination with --to")
		}
		o.to = agreed[0]
	}
	path := l.Abs(o.to)
	info, err := os.Lstat(path)
	isFile := err == nil && info.Mode().IsRegular()
	if isFile && !o.force {
		return target{}, cliui.Failf("--force replaces it", "%s already exists", o.to)
	}
	if l.Wp != nil && !isFile {
		if url, err := share.SendURL(ctx, l.Wp.Engine, o.to); err == nil {
			return target{name: o.to, url: url}, nil
		}
	}
	if !strings.ContainsAny(o.to, "/\\.") {
		return target{}, cliui.Failf("a file is written as ./"+o.to, "no remote is called %q", o.to)
	}
	if err == nil && !isFile {
		return target{}, cliui.Failf("name another", "%s exists, and is neither a file nor a repository", o.to)
	}
	return target{name: o.to, file: path}, nil
}

func sendSession(ctx context.Context, l *sessionlib.Library, args []string, o sendOptions) error {
	to, err := sendTo(ctx, l, o)
	if err != nil {
		return err
	}
	return sendTheSession(ctx, l, args, to, o)
}

func sendTheSession(ctx context.Context, l *sessionlib.Library, args []string, to target, o sendOptions) error {
	s, err := toSend(ctx, l, args)
	if err != nil {
		return err
	}
	sid, err := sessionlib.ParsedID(s)
	if err != nil {
		return err
	}
	folder, err := l.StoreOf(s.Project).Folder(ctx, s.ID)
	if err != nil {
		return err
	}
	defer folder.Close()
	content, err := teleport.Gather(ctx, folder, redact.Line)
	if err != nil {
		return err
	}
	bundle, err := planBundle(ctx, l, sid, o.withCode)
	if err != nil {
		return err
	}
	suspects := preview(l, s, content, bundle, o)
	if o.dryRun {
		return tellPlanned(l, s, content.Bytes, to, o)
	}
	if err := maySend(ctx, l, to, suspects, o); err != nil {
		return err
	}
	code := teleport.NewCode()
	head := headOf(l, s, bundle, o)
	if err := carry(ctx, l, code, head, content, bundle, to, o); err != nil {
		return err
	}
	return tellSent(l, s, code, head, bundle, to, o)
}

// toSend returns the session to send, and copies it into the store if it is not there.
func toSend(ctx context.Context, l *sessionlib.Library, args []string) (s sessionlib.ListedSession, err error) {
	if len(args) > 0 {
		s, err = l.Find(ctx, args[0])
	} else {
		s, err = l.Latest(ctx)
	}
	if err != nil {
		return s, err
	}
	if s.AsGit || !slices.Contains(s.Sources, sessionlib.InStore) {
		if err := l.Bring(ctx, s); err != nil {
			return s, err
		}
		s.Project = cmp.Or(s.Project, l.Ident.Key)
	}
	if s.State == sessionlib.StateActive {
		fmt.Fprintln(l.Env.Err, "warning: the session is in the middle of a turn; what it does from now on stays here")
	}
	return s, nil
}

// planBundle plans the bundle's part of the repository, nil outside a repository.
func planBundle(ctx context.Context, l *sessionlib.Library, sid id.SessionID, withCode bool) (*handoff.Bundle, error) {
	if l.Wp == nil {
		if withCode {
			return nil, cliui.Failf("leave --with-code out", "there is no repository here whose files could be sent")
		}
		return nil, nil
	}
	if withCode && l.Wp.Repo.Top == "" {
		return nil, cliui.Failf("leave --with-code out", "a bare repository has no files")
	}
	p, err := handoff.PlanBundle(ctx, l.Wp.Engine, sid, withCode)
	switch {
	case errors.Is(err, handoff.ErrUnborn):
		return nil, cliui.Failf("commit something that both machines have first", "%w", err)
	case errors.Is(err, handoff.ErrOtherWorktree):
		return nil, cliui.Failf("go there, or leave --with-code out", "%w", err)
	case errors.Is(err, handoff.ErrNotTransferable):
		return nil, cliui.Failf("remove it, or commit it if the others are to have it", "%w", err)
	}
	return p, err
}
