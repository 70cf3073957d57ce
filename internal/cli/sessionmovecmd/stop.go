package sessionmovecmd

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/session"
	"entire/strategy/turn"
)

// quiet is how long a turn without an event counts as going on.
const quiet = time.Hour

type stopOptions struct {
	all, force, json bool
}

func sessionsStopCommand(env *cliui.Env) *cobra.Command {
	var o stopOptions
	cmd := &cobra.Command{
		Use:   "stop [ID]",
		Short: "End a session whose agent will not report its end",
		Long: `End a session of this worktree whose agent will not report its end, because it was
killed, or its window closed. What it left is saved as a step, its open turn is
closed, and its uncommitted work still goes into the next commit.

The agent itself is not stopped. If it goes on after all, its next prompt opens the
session again. A session in the middle of a turn needs --force.`,
		Example: `  entire sessions stop
  entire sessions stop 6e1f0d2
  entire sessions stop --all`,
		Args:              cliui.AtMostOneArgument,
		ValidArgsFunction: cliui.FirstOnly(sessionlib.CompleteNames(env, stoppable)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.all && len(args) > 0 {
				return cliui.Failf("name one session, or use --all", "cannot specify both --all and a session")
			}
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error { return stop(cmd.Context(), l, args, o) })
		},
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "every session that is open in this worktree")
	cmd.Flags().BoolVarP(&o.force, "force", "f", false, "also in the middle of a turn")
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON array")
	return cmd
}

// A stoppedView is a session that stop has ended, and its JSON form.
type stoppedView struct {
	SessionID string          `json:"session_id"`
	Agent     agent.AgentType `json:"agent"`
	Pending   int             `json:"files_pending"`
}

// openHere returns the sessions of this worktree that have not ended.
func openHere(ctx context.Context, l *sessionlib.Library) (open []*session.State, err error) {
	all, _, err := l.Wp.Store.List(ctx)
	for _, st := range all {
		if st.EndedAt == nil && l.Wp.Engine.InThisWorktree(st.WorktreePath, st.WorktreeID) {
			open = append(open, st)
		}
	}
	return open, err
}

func stoppable(ctx context.Context, l *sessionlib.Library) (names []string, err error) {
	if l.Wp == nil {
		return nil, nil
	}
	open, err := openHere(ctx, l)
	for _, st := range open {
		names = append(names, cobra.CompletionWithDesc(st.SessionID.String(), cliui.ShortLine(st.FirstPrompt, cliui.PromptRunes)))
	}
	return names, err
}

func stop(ctx context.Context, l *sessionlib.Library, args []string, o stopOptions) error {
	wp, err := enabledHere(ctx, l)
	if err != nil {
		return err
	}
	chosen, err := chosenToStop(ctx, l, args, o.all)
	if err != nil {
		return err
	}
	for _, st := range chosen {
		if !o.force && inTurnNow(l.Env, st) {
			return cliui.Failf("wait for the end of its turn, or add --force: what it does after that has no known author until its next prompt", "session %s is in the middle of a turn", st.SessionID)
		}
	}
	views := []stoppedView{}
	for _, st := range chosen {
		v, err := stopOne(ctx, l, wp, st.SessionID)
		if err != nil {
			return fmt.Errorf("stop session %s: %w", st.SessionID, err)
		}
		views = append(views, v)
	}
	if o.json {
		return l.Env.PrintJSON(views)
	}
	if len(views) == 0 {
		fmt.Fprintln(l.Env.Out, "No session is open here.")
	}
	for _, v := range views {
		fmt.Fprintf(l.Env.Out, "Ended session %s (%s).\n", v.SessionID, cliui.ShownLine(string(v.Agent)))
		if v.Pending > 0 {
			fmt.Fprintf(l.Env.Out, "  %s not committed yet: the next commit takes them.\n", cliui.Count(v.Pending, "file"))
		}
	}
	return nil
}

// chosenToStop returns the session that args name, the only open one here, or all of them.
func chosenToStop(ctx context.Context, l *sessionlib.Library, args []string, all bool) ([]*session.State, error) {
	if len(args) == 0 {
		open, err := openHere(ctx, l)
		if err == nil && len(open) > 1 && !all {
			err = cliui.Failf("name one (`entire sessions current` shows them), or use --all", "%d sessions are open here", len(open))
		}
		return open, err
	}
	sid, err := stateNamed(ctx, l, args[0])
	if err != nil {
		return nil, err
	}
	st, err := l.Wp.Store.Load(ctx, sid)
	if err != nil {
		return nil, err
	}
	switch elsewhere := !l.Wp.Engine.InThisWorktree(st.WorktreePath, st.WorktreeID); {
	case st.EndedAt != nil:
		return nil, cliui.Failf("`entire sessions current` shows what is open here", "session %s has ended already", sid)
	case elsewhere && folderExists(st.WorktreePath):
		return nil, cliui.Failf("run it there", "session %s belongs to the worktree %s", sid, cliui.ShownName(st.WorktreePath))
	}
	return []*session.State{st}, nil
}

func folderExists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// inTurnNow reports whether a session's turn is open and has had an event lately.
func inTurnNow(env *cliui.Env, st *session.State) bool {
	return st.Phase == session.PhaseActive && st.LastInteractionTime != nil && env.Now().Sub(*st.LastInteractionTime) < quiet
}

func stopOne(ctx context.Context, l *sessionlib.Library, wp *workplace.Workplace, sid id.SessionID) (stoppedView, error) {
	if err := turn.SessionEnd(ctx, wp.Engine, agent.Event{Type: agent.SessionEnd, SessionID: sid, Time: l.Env.Now()}); err != nil {
		return stoppedView{}, err
	}
	st, err := wp.Store.Load(ctx, sid)
	if err != nil {
		return stoppedView{}, err
	}
	return stoppedView{sid.String(), cliui.AgentOr(st.AgentType), len(st.FilesTouched)}, nil
}
