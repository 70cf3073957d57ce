package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entire/id"
	"entire/strategy"
)

func (w *world) sessionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List sessions and their checkpoints",
		Example: `  entire sessions list
  entire sessions show 6e1f0d2`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(w.sessionsListCommand(), w.sessionsShowCommand())
	return cmd
}

func (w *world) sessionsListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the sessions, the latest begun first",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return w.withSessions(cmd.Context(), func(_ *workplace, all []listedSession) error { return w.listSessions(all, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func (w *world) sessionsShowCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Show a session's checkpoints; the beginning of its ID will do",
		Example: "  entire sessions show 6e1f0d2",
		Args:    oneArgument,
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.withSessions(cmd.Context(), func(wp *workplace, _ []listedSession) error {
				return w.showSession(cmd.Context(), wp, args[0], asJSON)
			})
		},
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			var ids []string
			err := w.withSessions(cmd.Context(), func(_ *workplace, all []listedSession) error {
				for _, s := range all {
					if _, err := id.ParseSessionID(s.ID); err == nil {
						ids = append(ids, cobra.CompletionWithDesc(s.ID, s.Description))
					}
				}
				return nil
			})
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

// A listedSession is a session as --json prints it.
type listedSession struct {
	ID          string             `json:"session_id"`
	Description string             `json:"description,omitempty"`
	Strategy    string             `json:"strategy,omitempty"`
	Started     time.Time          `json:"started_at"`
	Checkpoints []listedCheckpoint `json:"checkpoints"` // oldest first
}

// A listedCheckpoint is one of its checkpoints.
type listedCheckpoint struct {
	ID        string    `json:"checkpoint_id"`
	Message   string    `json:"message"`
	Date      time.Time `json:"date"`
	IsTask    bool      `json:"is_task_checkpoint"`
	ToolUseID string    `json:"tool_use_id,omitempty"`
}

func asListed(s strategy.Session) listedSession {
	v := listedSession{ID: s.ID, Description: s.Description, Strategy: s.Strategy, Started: s.StartTime, Checkpoints: []listedCheckpoint{}}
	for _, c := range s.Checkpoints {
		v.Checkpoints = append(v.Checkpoints, listedCheckpoint{c.CheckpointID.String(), c.Message, c.Timestamp, c.IsTaskCheckpoint, c.ToolUseID})
	}
	return v
}

// withSessions reads all sessions of the repository around the current directory.
func (w *world) withSessions(ctx context.Context, do func(*workplace, []listedSession) error) error {
	wp, err := w.openQuietly(ctx)
	if err != nil {
		return err
	}
	defer wp.close()
	all, err := wp.engine.Sessions(ctx)
	if err != nil {
		return err
	}
	views := []listedSession{}
	for _, s := range all {
		views = append(views, asListed(s))
	}
	return do(wp, views)
}

func (w *world) listSessions(all []listedSession, asJSON bool) error {
	if asJSON {
		return w.printJSON(all)
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(w.out, "No sessions yet.")
		return err
	}
	var b strings.Builder
	for _, s := range all {
		fmt.Fprintf(&b, "%s  %s  %s", shownLine(s.ID), s.Started.Local().Format("2006-01-02 15:04"), count(len(s.Checkpoints), "checkpoint"))
		if s.Description != "" {
			fmt.Fprintf(&b, "  %q", s.Description)
		}
		b.WriteString("\n")
	}
	_, err := fmt.Fprint(w.out, b.String())
	return err
}

func (w *world) showSession(ctx context.Context, wp *workplace, prefix string, asJSON bool) error {
	s, err := wp.engine.Session(ctx, prefix)
	var ambiguous *strategy.AmbiguousSessionError
	switch {
	case errors.Is(err, strategy.ErrNoSession):
		return failf("`entire sessions list` shows them", "session not found: %s", prefix)
	case errors.As(err, &ambiguous):
		return failf("give more of the ID", "%w", err)
	case err != nil:
		return err
	}
	v := asListed(*s)
	if asJSON {
		return w.printJSON(v)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Session: %s\nStarted: %s\n", shownLine(v.ID), v.Started.Local().Format("2006-01-02 15:04:05"))
	if v.Description != "" {
		fmt.Fprintf(&b, "First prompt: %s\n", shownLine(v.Description))
	}
	fmt.Fprintf(&b, "Checkpoints: (%d)\n", len(v.Checkpoints))
	for _, c := range v.Checkpoints {
		task := ""
		if c.IsTask {
			task = "[Task] "
		}
		fmt.Fprintf(&b, "  %s  %s  %s%s\n", c.ID, c.Date.Local().Format("2006-01-02 15:04"), task, shownLine(c.Message))
	}
	_, err = fmt.Fprint(w.out, b.String())
	return err
}
