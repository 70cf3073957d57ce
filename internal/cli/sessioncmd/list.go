package sessioncmd

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/session"
)

// The limits of --recent.
const (
	recentDays  = 7
	recentCount = 20
)

type listOptions struct {
	recent, project, all, deleted, json bool
	tags                                []string
}

func sessionsListCommand(env *cliui.Env) *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the sessions, the last updated first",
		Long: fmt.Sprintf(`List the sessions of this project, the last updated first.

A session is active in the middle of a turn and idle between two; one that is over
is linked if its work is in commits, and otherwise ended. %smarks a fork.`, sessionlib.ForkMark),
		Example: `  entire sessions list
  entire sessions list --recent    # what was I doing?
  entire sessions list --tag bug --tag lang:go
  entire sessions list --deleted   # what "sessions undelete" restores`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.deleted && len(o.tags) > 0 {
				return cliui.Failf("use one of them", "cannot specify both --deleted and --tag")
			}
			if o.all && (o.project || o.recent) || o.deleted && o.recent {
				return cliui.Failf("use one of them", "cannot specify several of --recent, --project, --all, --deleted")
			}
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error { return list(cmd.Context(), l, o) })
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.project, "project", false, "those of this project (the default)")
	f.BoolVar(&o.recent, "recent", false, fmt.Sprintf("the latest %d of all projects, of the last %d days; with --project, of this one", recentCount, recentDays))
	f.BoolVar(&o.all, "all", false, "those of every project on this machine")
	f.BoolVar(&o.deleted, "deleted", false, "those of this project that were deleted; with --all, of every project")
	f.StringArrayVar(&o.tags, "tag", nil, "only those with this `TAG`, your own or an automatic one, or a pattern as dir:*; with several, those with all")
	f.BoolVar(&o.json, "json", false, "print a JSON array")
	cmd.RegisterFlagCompletionFunc("tag", completeTags(env, true))
	return cmd
}

func list(ctx context.Context, l *sessionlib.Library, o listOptions) error {
	if o.deleted {
		return listDeleted(ctx, l, o)
	}
	all, err := l.Here(ctx)
	if err != nil {
		return err
	}
	wide := o.all || o.recent && !o.project
	if wide {
		more, err := l.Elsewhere(ctx)
		if err != nil {
			return err
		}
		all = append(all, more...)
		sessionlib.ByAge(all)
	}
	all = slices.DeleteFunc(all, func(s sessionlib.ListedSession) bool { return !tagged(s, o.tags) })
	if o.recent {
		all = recent(all, l.Env.Now())
	}
	if len(all) == 0 {
		l.TellUnfetched(ctx)
	}
	if o.json {
		return l.Env.PrintJSON(cliui.NotNil(all))
	}
	if len(all) == 0 {
		message := "No sessions yet."
		if len(o.tags) > 0 {
			message = "No session has these tags."
		}
		_, err := fmt.Fprintln(l.Env.Out, message)
		return err
	}
	return l.Env.Show(ctx, sessionlib.SessionTable(all, l.Env.Screen(), l.Env.Width(), l.Env.Now(), wide), false)
}

// recent returns the sessions of the last recentDays, at most recentCount, from a list that begins with the newest.
func recent(all []sessionlib.ListedSession, now time.Time) []sessionlib.ListedSession {
	since := now.AddDate(0, 0, -recentDays)
	old := slices.IndexFunc(all, func(s sessionlib.ListedSession) bool { return s.Updated.Before(since) })
	if old >= 0 {
		all = all[:old]
	}
	return all[:min(len(all), recentCount)]
}

func sessionsCurrentCommand(env *cliui.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "current",
		Short: "Show the sessions that are open, active or idle, in this worktree or folder",
		Args:  cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error { return current(cmd.Context(), l, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func current(ctx context.Context, l *sessionlib.Library, asJSON bool) error {
	all, err := l.Here(ctx)
	if err != nil {
		return err
	}
	states := map[string]*session.State{}
	if l.Wp != nil {
		list, _, err := l.Wp.Store.List(ctx)
		if err != nil {
			return err
		}
		for _, st := range list {
			states[st.SessionID.String()] = st
		}
	}
	open := slices.DeleteFunc(all, func(s sessionlib.ListedSession) bool {
		if s.State != sessionlib.StateActive && s.State != sessionlib.StateIdle {
			return true
		}
		if st := states[s.ID]; st != nil && st.WorktreePath != "" {
			return l.Wp.Repo.Top != "" && st.WorktreePath != l.Wp.Repo.Top
		}
		return l.Wp != nil || !cliui.IsWithin(l.Dir, s.Folder) && !cliui.IsWithin(s.Folder, l.Dir)
	})
	if asJSON {
		return l.Env.PrintJSON(cliui.NotNil(open))
	}
	if len(open) == 0 {
		_, err := fmt.Fprintln(l.Env.Out, "No session is open here.")
		return err
	}
	_, err = fmt.Fprint(l.Env.Out, sessionlib.SessionTable(open, l.Env.Screen(), l.Env.Width(), l.Env.Now(), false))
	return err
}
