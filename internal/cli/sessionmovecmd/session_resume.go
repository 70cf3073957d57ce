package sessionmovecmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/term"
	"entire/strategy/resume"
)

// pickerCount bounds how many sessions a person is offered.
const pickerCount = 50

func sessionsResumeCommand(env *cliui.Env) *cobra.Command {
	var o sessionlib.ResumeOptions
	cmd := &cobra.Command{
		Use:   "resume [ID]",
		Short: "Continue a session",
		Long: `Write a session's transcript where its agent looks for it, if it is missing there,
and print the command that continues it. An existing transcript stays, unless you
give --force; then it is kept under another name.

With --at or --fork it makes a new session instead, which continues from that
message, or from the end; the original does not change. Without an ID a person at a
terminal chooses.

To continue the work of a branch, see ` + "`entire resume BRANCH`" + `.`,
		Example: `  entire sessions resume
  entire sessions resume 6e1f0d2
  entire sessions resume 6e1f0d2 --at 1a2252ee   # a new session, as it was then`,
		Args:              cliui.AtMostOneArgument,
		ValidArgsFunction: sessionlib.CompleteSession(env),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error {
				s, err := named(cmd.Context(), l, args)
				if err != nil {
					return err
				}
				return goOn(cmd.Context(), l, s, o)
			})
		},
	}
	againFlags(env, cmd, &o)
	cmd.Flags().BoolVar(&o.Fork, "fork", false, "as a new session")
	cmd.Flags().BoolVarP(&o.Force, "force", "f", false, "replace an existing transcript")
	return cmd
}

func againFlags(env *cliui.Env, cmd *cobra.Command, o *sessionlib.ResumeOptions) {
	cmd.Flags().StringVar(&o.At, "at", "", "the new session ends with this `MESSAGE` (the beginning of its UUID)")
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print a JSON object")
	cmd.RegisterFlagCompletionFunc("at", sessionlib.CompleteMessage(env))
}

func sessionsForkCommand(env *cliui.Env) *cobra.Command {
	o := sessionlib.ResumeOptions{Fork: true}
	cmd := &cobra.Command{
		Use:   "fork ID",
		Short: "Make a new session that continues from a message of another",
		Long: `Make a new session of another one's messages up to one of them, or to its end, and
print the command that continues it. The original does not change.`,
		Example: `  entire sessions fork 6e1f0d2
  entire sessions fork 6e1f0d2 --at 1a2252ee`,
		Args:              cliui.OneArgument,
		ValidArgsFunction: sessionlib.CompleteSession(env),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error {
				s, err := l.Find(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return goOn(cmd.Context(), l, s, o)
			})
		},
	}
	againFlags(env, cmd, &o)
	return cmd
}

func sessionsContinueCommand(env *cliui.Env) *cobra.Command {
	var o sessionlib.ResumeOptions
	cmd := &cobra.Command{
		Use:   "continue",
		Short: "Continue the latest session of this folder",
		Long: `Continue the session that was last updated in this folder; if there is none, in
this worktree; if there is none, in this project. It then does what
` + "`entire sessions resume`" + ` does.`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error {
				s, err := l.Latest(cmd.Context())
				if err != nil {
					return err
				}
				return goOn(cmd.Context(), l, s, o)
			})
		},
	}
	cmd.Flags().BoolVar(&o.Fork, "fork", false, "as a new session")
	cmd.Flags().BoolVarP(&o.Force, "force", "f", false, "replace an existing transcript")
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print a JSON object")
	return cmd
}

// named returns the session that the arguments name, or that a person chooses.
func named(ctx context.Context, l *sessionlib.Library, args []string) (sessionlib.ListedSession, error) {
	if len(args) > 0 {
		if s, err := l.FindByID(ctx, args[0]); errors.Is(err, resume.ErrNoSession) && isBranch(ctx, l, args[0]) {
			return s, cliui.Failf(fmt.Sprintf("did you mean `entire resume %s`?", args[0]), "%w", err)
		}
		return l.Find(ctx, args[0])
	}
	t := l.Env.Terminal()
	if !t.Interactive {
		return sessionlib.ListedSession{}, cliui.Failf("name it (`entire sessions list` shows them), or use `entire sessions continue`", "which session? %w", term.ErrNotInteractive)
	}
	all, err := l.Here(ctx)
	if err != nil {
		return sessionlib.ListedSession{}, err
	}
	if len(all) == 0 {
		return sessionlib.ListedSession{}, cliui.Failf("`entire sessions list --all` shows those of other projects", "no session in this project yet")
	}
	all = all[:min(len(all), pickerCount)]
	i, err := t.Select(ctx, "Continue which session?", pickerLabels(all, l.Env))
	if err != nil {
		return sessionlib.ListedSession{}, fmt.Errorf("selection cancelled: %w", err)
	}
	return all[i], nil
}

// pickerLabels returns the rows of the table without colours: the picker adds its own.
func pickerLabels(all []sessionlib.ListedSession, env *cliui.Env) []string {
	width := max(term.Width(env.Err)-4, 40) // the picker's own margin
	table := strings.TrimSuffix(sessionlib.SessionTable(all, term.Terminal{}, width, env.Now(), false), "\n")
	return strings.Split(table, "\n")[1:]
}

func isBranch(ctx context.Context, l *sessionlib.Library, name string) bool {
	if l.Wp == nil {
		return false
	}
	names, err := resume.Branches(ctx, l.Wp.Engine)
	if err != nil {
		return false
	}
	return slices.Contains(names, name)
}

// goOn carries out resume, continue and fork.
func goOn(ctx context.Context, l *sessionlib.Library, s sessionlib.ListedSession, o sessionlib.ResumeOptions) error {
	do := l.Resume
	if o.Fork || o.At != "" {
		do = l.Fork
	}
	v, err := do(ctx, s, o)
	if err != nil {
		return err
	}
	if o.JSON {
		return l.Env.PrintJSON(v)
	}
	l.TellAround(ctx, s)
	if v.Restored {
		fmt.Fprintf(l.Env.Err, "Writing transcript to: %s\n", v.Path)
	}
	fmt.Fprintf(l.Env.Out, "Session: %s\n", v.SessionID)
	if v.Command == "" {
		fmt.Fprintf(l.Env.Err, "Entire does not know how its agent continues a session.\n")
		return nil
	}
	_, err = fmt.Fprintf(l.Env.Out, "To continue this session, run:\n  %s%s\n", l.CommandFrom(v), cliui.Comment(cliui.ShortLine(v.Prompt, cliui.PromptRunes)))
	return err
}
