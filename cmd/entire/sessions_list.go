package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"entire/internal/term"
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

func (w *world) sessionsListCommand() *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the sessions, the last updated first",
		Long: fmt.Sprintf(`List the sessions of this project, the last updated first.

A session is active in the middle of a turn and idle between two; one that is over
is linked if its work is in commits, and otherwise ended. %smarks a fork.`, forkMark),
		Example: `  entire sessions list
  entire sessions list --recent    # what was I doing?
  entire sessions list --tag bug --tag lang:go
  entire sessions list --deleted   # what "sessions undelete" restores`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.deleted && len(o.tags) > 0 {
				return failf("use one of them", "cannot specify both --deleted and --tag")
			}
			if o.all && (o.project || o.recent) || o.deleted && (o.all || o.recent) {
				return failf("use one of them", "cannot specify several of --recent, --project, --all, --deleted")
			}
			return w.withLibrary(cmd.Context(), func(l *library) error { return l.list(cmd.Context(), o) })
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.project, "project", false, "those of this project (the default)")
	f.BoolVar(&o.recent, "recent", false, fmt.Sprintf("the latest %d of all projects, of the last %d days; with --project, of this one", recentCount, recentDays))
	f.BoolVar(&o.all, "all", false, "those of every project on this machine")
	f.BoolVar(&o.deleted, "deleted", false, "those of this project that were deleted")
	f.StringArrayVar(&o.tags, "tag", nil, "only those with this `TAG`, your own or an automatic one, or a pattern as dir:*; with several, those with all")
	f.BoolVar(&o.json, "json", false, "print a JSON array")
	cmd.RegisterFlagCompletionFunc("tag", w.completeTags(true))
	return cmd
}

func (l *library) list(ctx context.Context, o listOptions) error {
	if o.deleted {
		return l.listDeleted(ctx, o)
	}
	all, err := l.here(ctx)
	if err != nil {
		return err
	}
	wide := o.all || o.recent && !o.project
	if wide {
		more, err := l.elsewhere(ctx)
		if err != nil {
			return err
		}
		all = append(all, more...)
		byAge(all)
	}
	all = slices.DeleteFunc(all, func(s listedSession) bool { return !s.tagged(o.tags) })
	if o.recent {
		all = recent(all, l.w.now())
	}
	if o.json {
		return l.w.printJSON(notNil(all))
	}
	if len(all) == 0 {
		message := "No sessions yet."
		if len(o.tags) > 0 {
			message = "No session has these tags."
		}
		_, err := fmt.Fprintln(l.w.out, message)
		return err
	}
	return l.w.show(ctx, sessionTable(all, l.w.screen(), l.w.width(), l.w.now(), wide), false)
}

// recent returns the first of all that are not too old.
func recent(all []listedSession, now time.Time) []listedSession {
	since := now.AddDate(0, 0, -recentDays)
	old := slices.IndexFunc(all, func(s listedSession) bool { return s.Updated.Before(since) })
	if old >= 0 {
		all = all[:old]
	}
	return all[:min(len(all), recentCount)]
}

// width returns the width of standard output, 0 for no limit: scripts and files get whole lines.
func (w *world) width() int { return term.Width(w.out) }

func (w *world) sessionsCurrentCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "current",
		Short: "Show the sessions that are live in this worktree or folder",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return w.withLibrary(cmd.Context(), func(l *library) error { return l.current(cmd.Context(), asJSON) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func (l *library) current(ctx context.Context, asJSON bool) error {
	all, err := l.here(ctx)
	if err != nil {
		return err
	}
	states := map[string]*session.State{}
	if l.wp != nil {
		list, _, err := l.wp.store.List(ctx)
		if err != nil {
			return err
		}
		for _, st := range list {
			states[st.SessionID.String()] = st
		}
	}
	live := slices.DeleteFunc(all, func(s listedSession) bool {
		if s.State != stateActive && s.State != stateIdle {
			return true
		}
		if st := states[s.ID]; st != nil && st.WorktreePath != "" {
			return l.wp.repo.Top != "" && st.WorktreePath != l.wp.repo.Top
		}
		return l.wp != nil || !within(l.dir, s.Folder) && !within(s.Folder, l.dir)
	})
	if asJSON {
		return l.w.printJSON(notNil(live))
	}
	if len(live) == 0 {
		_, err := fmt.Fprintln(l.w.out, "No session is live here.")
		return err
	}
	_, err = fmt.Fprint(l.w.out, sessionTable(live, l.w.screen(), l.w.width(), l.w.now(), false))
	return err
}

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(resolved(dir), resolved(path))
	return err == nil && path != "" && filepath.IsLocal(rel)
}

// resolved returns a path without symbolic links; a missing path only cleaned.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}
