package sessioncmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/term"
	"entire/session"
)

func sessionsDeleteCommand(env *cliui.Env) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete ID",
		Short: "Move a session to the trash; undelete restores it",
		Long: `Move a session's conversation from the store to a trash. What commits name stays on
the metadata branch, the agent's own transcript stays where it is, and forks keep
what they share. ` + "`entire sessions undelete`" + ` restores it.

On a terminal it asks first; elsewhere it goes ahead.`,
		Example: `  entire sessions delete 6e1f0d2
  entire sessions undelete 6e1f0d2`,
		Args:              cliui.OneArgument,
		ValidArgsFunction: sessionlib.CompleteSession(env),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error { return deleteSession(cmd.Context(), l, args[0], yes) })
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func deleteSession(ctx context.Context, l *sessionlib.Library, prefix string, yes bool) error {
	s, err := l.Find(ctx, prefix)
	if err != nil {
		return err
	}
	if !slices.Contains(s.Sources, sessionlib.InStore) {
		return cliui.Failf("what commits name stays on the metadata branch; `entire doctor reset --session` forgets a session that works here",
			"session %s is not in the store", s.ID)
	}
	if err := confirmDelete(ctx, l, s, yes); err != nil {
		return err
	}
	if err := l.StoreOf(s.Project).DeleteContext(ctx, s.ID); err != nil {
		return err
	}
	workplace.DropSearchIndexAfter(l.Env, s.Project)
	fmt.Fprintf(l.Env.Err, "To restore it: entire sessions undelete %s\n", s.ID)
	_, err = fmt.Fprintf(l.Env.Out, "Deleted session %s\n", s.ID)
	return err
}

func confirmDelete(ctx context.Context, l *sessionlib.Library, s sessionlib.ListedSession, yes bool) error {
	t := l.Env.Terminal()
	if yes || !t.Interactive {
		return nil
	}
	detail := fmt.Sprintf("%s\n%s. `entire sessions undelete` restores it.", sessionlib.TitleOf(s), cliui.Count(s.Messages, "message"))
	if s.State == sessionlib.StateActive {
		detail += "\nIt is in the middle of a turn; its next event stores it again."
	}
	ok, err := t.Confirm(ctx, "Delete session "+s.ID+"?", detail)
	if errors.Is(err, term.ErrCancelled) || err == nil && !ok {
		fmt.Fprintln(l.Env.Err, "Nothing was changed.")
		return cliui.ErrTold
	}
	return err
}

func sessionsUndeleteCommand(env *cliui.Env) *cobra.Command {
	return &cobra.Command{
		Use:     "undelete ID",
		Short:   "Restore a deleted session",
		Example: "  entire sessions list --deleted\n  entire sessions undelete 6e1f0d2",
		Args:    cliui.OneArgument,
		ValidArgsFunction: cliui.FirstOnly(sessionlib.CompleteNames(env, func(ctx context.Context, l *sessionlib.Library) ([]string, error) {
			all, err := deleted(ctx, l, false)
			var names []string
			for _, d := range all {
				names = append(names, cobra.CompletionWithDesc(d.ID, sessionlib.TitleOf(d.ListedSession)))
			}
			return names, err
		})),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error { return undelete(cmd.Context(), l, args[0]) })
		},
	}
}

func undelete(ctx context.Context, l *sessionlib.Library, prefix string) error {
	found, err := findDeleted(ctx, l, prefix, false)
	if err == nil && len(found) == 0 {
		found, err = findDeleted(ctx, l, prefix, true)
	}
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return cliui.Failf("`entire sessions list --deleted --all` shows them", "no deleted session: %s", prefix)
	}
	if len(found) > 1 {
		return cliui.Failf("give more of the ID", "%q is the beginning of %d deleted sessions", prefix, len(found))
	}
	for sid, key := range found {
		err := l.StoreOf(key).Undelete(ctx, sid)
		if errors.Is(err, session.ErrExists) {
			return cliui.Failf("a new session has its ID; delete that one first", "restore session %s: %w", sid, err)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(l.Env.Out, "Session %s is restored\n", sid)
		return err
	}
	return nil
}

// findDeleted returns the deleted sessions whose IDs begin with prefix, with the keys of their projects: of this
// project, or of all.
func findDeleted(ctx context.Context, l *sessionlib.Library, prefix string, everywhere bool) (map[string]string, error) {
	all, err := deleted(ctx, l, everywhere)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, d := range all {
		if d.ID == prefix {
			return map[string]string{d.ID: d.Project}, nil
		}
		if prefix != "" && strings.HasPrefix(d.ID, prefix) {
			found[d.ID] = d.Project
		}
	}
	return found, nil
}

// A deletedSession is a session in the trash, as --json prints it.
type deletedSession struct {
	sessionlib.ListedSession
	Deleted time.Time `json:"deleted_at"`
}

// deleted returns the sessions in the trash of this project, or of all, the last deleted first. It warns about
// another project that cannot be read, and leaves it out.
func deleted(ctx context.Context, l *sessionlib.Library, everywhere bool) ([]deletedSession, error) {
	keys := []string{l.Ident.Key}
	if everywhere {
		others, err := l.OtherProjects()
		if err != nil {
			return nil, err
		}
		keys = append(keys, others...)
	}
	out := []deletedSession{}
	for i, key := range keys {
		trash, err := l.StoreOf(key).Trash(ctx)
		if err != nil && i == 0 {
			return nil, err
		}
		if err != nil {
			fmt.Fprintf(l.Env.Err, "warning: project %s: %v\n", key, err)
			continue
		}
		for _, t := range trash {
			one := sessionlib.Known{Project: key, Stored: []session.SessionMetadata{t.Metadata}}.Merge()[0]
			out = append(out, deletedSession{one, t.DeletedAt})
		}
	}
	slices.SortStableFunc(out, func(a, b deletedSession) int { return b.Deleted.Compare(a.Deleted) })
	return out, nil
}

func listDeleted(ctx context.Context, l *sessionlib.Library, o listOptions) error {
	all, err := deleted(ctx, l, o.all)
	if err != nil {
		return err
	}
	if o.json {
		return l.Env.PrintJSON(all)
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(l.Env.Out, "No deleted sessions.")
		return err
	}
	rows := [][]term.Cell{cliui.FaintRow(l.Env.Screen(), []string{"ID", "AGENT", "DELETED", "MSGS", "TITLE"})}
	short := sessionlib.ShortNames(plainSessions(all))
	for _, d := range all {
		rows = append(rows, term.Plain(short[d.ID], sessionlib.AgentWord(d.ListedSession), cliui.ShortAge(l.Env.Now().Sub(d.Deleted), d.Deleted), cliui.ShortNumber(d.Messages), sessionlib.TitleOf(d.ListedSession)))
	}
	_, err = fmt.Fprint(l.Env.Out, term.Columns(rows, l.Env.Width(), 3))
	return err
}

func plainSessions(all []deletedSession) []sessionlib.ListedSession {
	out := make([]sessionlib.ListedSession, len(all))
	for i, d := range all {
		out[i] = d.ListedSession
	}
	return out
}
