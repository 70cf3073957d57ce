package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entire/internal/term"
	"entire/session"
)

func (w *world) sessionsDeleteCommand() *cobra.Command {
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
		Args:              oneArgument,
		ValidArgsFunction: w.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.withLibrary(cmd.Context(), func(l *library) error { return l.delete(cmd.Context(), args[0], yes) })
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func (l *library) delete(ctx context.Context, prefix string, yes bool) error {
	s, err := l.find(ctx, prefix)
	if err != nil {
		return err
	}
	if !slices.Contains(s.Sources, inStore) {
		return failf("what commits name stays on the metadata branch; `entire reset --session` forgets a session that works here",
			"session %s is not in the store", s.ID)
	}
	if err := l.confirmDelete(ctx, s, yes); err != nil {
		return err
	}
	if err := l.storeOf(s.Project).DeleteContext(ctx, s.ID); err != nil {
		return err
	}
	l.w.dropIndexAfter(s.Project)
	fmt.Fprintf(l.w.err, "To restore it: entire sessions undelete %s\n", s.ID)
	_, err = fmt.Fprintf(l.w.out, "Deleted session %s\n", s.ID)
	return err
}

func (l *library) confirmDelete(ctx context.Context, s listedSession, yes bool) error {
	t := l.w.terminal()
	if yes || !t.Interactive {
		return nil
	}
	detail := fmt.Sprintf("%s\n%s. `entire sessions undelete` restores it.", titleOf(s), count(s.Messages, "message"))
	if s.State == stateActive {
		detail += "\nIt is in the middle of a turn; its next event stores it again."
	}
	ok, err := t.Confirm(ctx, "Delete session "+s.ID+"?", detail)
	if errors.Is(err, term.ErrCancelled) || err == nil && !ok {
		fmt.Fprintln(l.w.err, "Nothing was changed.")
		return errTold
	}
	return err
}

func (w *world) sessionsUndeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "undelete ID",
		Short:   "Restore a deleted session",
		Example: "  entire sessions list --deleted\n  entire sessions undelete 6e1f0d2",
		Args:    oneArgument,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return w.complete(cmd, args, func(l *library) ([]string, error) {
				all, err := l.deleted(cmd.Context())
				var names []string
				for _, d := range all {
					names = append(names, cobra.CompletionWithDesc(d.ID, titleOf(d.listedSession)))
				}
				return names, err
			})
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.withLibrary(cmd.Context(), func(l *library) error { return l.undelete(cmd.Context(), args[0]) })
		},
	}
}

func (l *library) undelete(ctx context.Context, prefix string) error {
	all, err := l.deleted(ctx)
	if err != nil {
		return err
	}
	found := map[string]bool{}
	for _, d := range all {
		if d.ID == prefix {
			found = map[string]bool{d.ID: true}
			break
		}
		if prefix != "" && strings.HasPrefix(d.ID, prefix) {
			found[d.ID] = true
		}
	}
	if len(found) == 0 {
		return failf("`entire sessions list --deleted` shows them", "no deleted session: %s", prefix)
	}
	if len(found) > 1 {
		return failf("give more of the ID", "%q is the beginning of %d deleted sessions", prefix, len(found))
	}
	for sid := range found {
		err := l.store.Undelete(ctx, sid)
		if errors.Is(err, session.ErrExists) {
			return failf("a new session has its ID; delete that one first", "restore session %s: %w", sid, err)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(l.w.out, "Session %s is restored\n", sid)
		return err
	}
	return nil
}

// A deletedSession is a session in the trash, as --json prints it.
type deletedSession struct {
	listedSession
	Deleted time.Time `json:"deleted_at"`
}

// deleted returns the sessions in the project's trash, the last deleted first.
func (l *library) deleted(ctx context.Context) ([]deletedSession, error) {
	trash, err := l.store.Trash(ctx)
	if err != nil {
		return nil, err
	}
	out := []deletedSession{}
	for _, t := range trash {
		one := known{project: l.ident.Key, stored: []session.SessionMetadata{t.Metadata}}.merge()[0]
		out = append(out, deletedSession{one, t.DeletedAt})
	}
	slices.SortStableFunc(out, func(a, b deletedSession) int { return b.Deleted.Compare(a.Deleted) })
	return out, nil
}

func (l *library) listDeleted(ctx context.Context, o listOptions) error {
	all, err := l.deleted(ctx)
	if err != nil {
		return err
	}
	if o.json {
		return l.w.printJSON(all)
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(l.w.out, "No deleted sessions.")
		return err
	}
	rows := [][]term.Cell{faintRow(l.w.screen(), []string{"ID", "AGENT", "DELETED", "MSGS", "TITLE"})}
	short := shortNames(plainSessions(all))
	for _, d := range all {
		rows = append(rows, term.Plain(short[d.ID], shownLine(agentWord(d.listedSession)), age(l.w.now().Sub(d.Deleted), d.Deleted), number(d.Messages), titleOf(d.listedSession)))
	}
	_, err = fmt.Fprint(l.w.out, term.Columns(rows, l.w.width(), 3))
	return err
}

func plainSessions(all []deletedSession) []listedSession {
	out := make([]listedSession, len(all))
	for i, d := range all {
		out[i] = d.listedSession
	}
	return out
}
