package sharecmd

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/teleportcmd"
	"entire/internal/cli/workplace"
	"entire/internal/retention"
	"entire/internal/teleport"
	"entire/internal/term"
)

// The forms of the file.
const (
	formHTML   = "html"
	formBundle = "parcel"
)

// pageMax is the longest that a page may be shown.
const pageMax = 366 * 24 * time.Hour

type options struct {
	form, output, expires    string
	dryRun, yes, json, force bool

	life time.Duration
}

// Command returns `entire share`, to which the other commands about sharing are added.
func Command(env *cliui.Env) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "share [ID]",
		Short: "Share sessions with people and with other machines",
		Long: `With an ID, make one file of a turn, a checkpoint, a commit or a session, for somebody
who has neither the repository nor this program: a page of HTML with what was asked,
said and done and, for a turn or a commit, the lines that changed. Everything goes
through the redactor once more, with today's rules. The command first shows what
goes in, and asks.

A page shows nothing after its expiry but that it has expired. That is a courtesy,
not a lock: a file that somebody has can be read with an editor and be copied, and
nobody can take it back. --format parcel writes the session as a bundle for another
machine instead, sealed under a code, which ` + "`entire share receive`" + ` refuses after its
expiry.

The commands below share sessions with everybody who has the repository, by a branch
that is pushed to remotes you agreed to (push); or one session with its uncommitted
work, sealed under a spoken code, with another machine (send, receive, list, cancel).
What was stored of a commit can be removed from the shared history for good (forget).`,
		Example: `  entire share bfe1ee2 --dry-run                # what would go in
  entire share HEAD --expires 2d --output why.html
  entire share 6e1f0d2 --format parcel
  entire share push --agree origin
  entire share send --with-code --to origin     # here
  entire share receive hammer-velvet-tiger-…    # there
  entire share forget a3b2c4d5e6f7`,
		Args: cliui.AtMostOneArgument,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				if cmd.Flags().NFlag() > 0 {
					return cliui.Failf("`entire log` and `entire sessions` list them", "share: name a turn, a checkpoint, a commit or a session")
				}
				return cmd.Help()
			}
			if err := o.check(); err != nil {
				return err
			}
			return run(cmd.Context(), env, args[0], o)
		},
		ValidArgsFunction: workplace.CompletePointsAndSessions(env),
	}
	f := cmd.Flags()
	f.StringVar(&o.form, "format", formHTML, "`FORM` of the file: html or parcel")
	f.StringVarP(&o.output, "output", "o", "", "write to `FILE`, - for standard output; without it to share-ID.html here")
	f.StringVar(&o.expires, "expires", "7d", "how `LONG` it can be read, such as 12h, 7d or 2w")
	f.BoolVar(&o.dryRun, "dry-run", false, "only show what would go in")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.BoolVarP(&o.force, "force", "f", false, "replace the file if it is there")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{formHTML, formBundle}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// check refuses options that mean nothing.
func (o *options) check() (err error) {
	most := pageMax
	switch o.form {
	case formHTML:
	case formBundle:
		most = teleport.MaxExpiry
		if o.output == "-" {
			return cliui.Failf("--output session.teleport", "share: a parcel is written to a file")
		}
	default:
		return cliui.Failf("--format html, or --format parcel", "share: there is no form %q", o.form)
	}
	if o.life, err = retention.ParseAge(o.expires); err != nil {
		return cliui.Failf("such as --expires 7d", "share: --expires: %w", err)
	}
	if o.life > most {
		return cliui.Failf("such as --expires 7d", "share: this form expires after %d days at most", int(most.Hours()/24))
	}
	return nil
}

func run(ctx context.Context, env *cliui.Env, name string, o options) error {
	return sessionlib.WithLibrary(ctx, env, func(l *sessionlib.Library) error {
		s, err := subjectOf(ctx, l, name)
		if err != nil {
			return err
		}
		if o.form == formBundle {
			return writeBundle(ctx, l, s, o)
		}
		return page(ctx, l, s, o)
	})
}

// writeBundle seals the session of a subject for another machine.
func writeBundle(ctx context.Context, l *sessionlib.Library, s *subject, o options) error {
	if len(s.Parts) != 1 {
		return cliui.Failf("name one of its sessions: "+strings.Join(s.sessionNames(), ", "), "share: a parcel holds one session, and %s has %d", s.Word(), len(s.Parts))
	}
	to := o.output
	if to == "" {
		to = "./share-" + s.short() + ".teleport"
	}
	return teleportcmd.SendFile(ctx, l, s.Parts[0].Session, teleportcmd.Send{File: l.Abs(to), Shown: to, Life: o.life, Force: o.force, Yes: o.yes, DryRun: o.dryRun, JSON: o.json})
}

// mayWrite asks a person whether what was shown may leave.
func mayWrite(ctx context.Context, env *cliui.Env, o options) error {
	if o.yes {
		return nil
	}
	yes, err := env.Terminal().Confirm(ctx, "Write it?", "Who gets the file can read and copy it; nobody can take it back.")
	switch {
	case errors.Is(err, term.ErrNotInteractive):
		return cliui.Failf("--yes writes it; --dry-run only shows what would go in", "share: nobody is here to agree to what goes in")
	case errors.Is(err, term.ErrCancelled), err == nil && !yes:
		_, _ = env.Err.Write([]byte("Nothing was written.\n"))
		return cliui.ErrTold
	}
	return err
}
