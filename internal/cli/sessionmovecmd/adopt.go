package sessionmovecmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/session"
	"entire/strategy/turn"
)

func sessionsAdoptCommand(env *cliui.Env) *cobra.Command {
	var force, asJSON bool
	cmd := &cobra.Command{
		Use:   "adopt ID",
		Short: "Take a session of another worktree over into this one",
		Long: `Take a session that belongs to another worktree of this repository over into this
one. Do so when an agent that was started there works here: the files here that its
calls wrote become its work, its turn goes on here, and the next commit here is
linked to it. The events of the running agent then count here, until it is started
again.

A session with uncommitted work in the other worktree stays there, unless you give
--force: what it left there is then no longer linked to it.`,
		Example: `  entire sessions adopt 6e1f0d2
  entire sessions adopt 6e1f0d2 --force`,
		Args:              cliui.OneArgument,
		ValidArgsFunction: cliui.FirstOnly(sessionlib.CompleteNames(env, adoptable)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error {
				return adopt(cmd.Context(), l, args[0], force, asJSON)
			})
		},
	}
	cmd.Flags().BoolVarP(&force, "force", "f", false, "let go of its uncommitted work in the other worktree")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

// adoptable returns the IDs of the repository's sessions in other worktrees, with their first prompts.
func adoptable(ctx context.Context, l *sessionlib.Library) ([]string, error) {
	if l.Wp == nil {
		return nil, nil
	}
	sums, err := l.Wp.Store.Summaries(ctx)
	var names []string
	for _, sum := range sums {
		if l.Wp.Engine.InThisWorktree(sum.WorktreePath, sum.WorktreeID) {
			continue
		}
		about := ""
		if st, err := l.Wp.Store.Load(ctx, sum.ID); err == nil {
			about = cliui.ShortLine(st.FirstPrompt, cliui.PromptRunes)
		}
		names = append(names, cobra.CompletionWithDesc(sum.ID.String(), about))
	}
	return names, err
}

// A broughtView is the result of adopt or attach, and its JSON form.
type broughtView struct {
	SessionID  string          `json:"session_id"`
	Agent      agent.AgentType `json:"agent"`
	Worktree   string          `json:"worktree"`
	From       string          `json:"from,omitempty"`       // adopt: the worktree that had it
	Transcript string          `json:"transcript,omitempty"` // attach
	Phase      session.Phase   `json:"phase"`
	Files      []string        `json:"files_pending"`
	LetGo      []string        `json:"let_go,omitempty"` // adopt: what was pending in the other worktree
	Changed    bool            `json:"changed"`          // false if it was here already
}

func adopt(ctx context.Context, l *sessionlib.Library, name string, force, asJSON bool) error {
	wp, err := enabledHere(ctx, l)
	if err != nil {
		return err
	}
	sid, err := stateNamed(ctx, l, name)
	if err != nil {
		return err
	}
	b, err := turn.Adopt(ctx, wp.Engine, sid, force)
	var conflict *turn.SessionIDConflictError
	switch {
	case errors.As(err, &conflict):
		return cliui.Failf("commit it there first, or `--force` lets go of it", "%w: %s", err, cliui.Printable(strings.Join(b.Left, ", ")))
	case errors.Is(err, session.ErrNotFound):
		return cliui.Failf("`entire sessions attach FILE` starts from its transcript", "session %s has no state in this repository", sid)
	case err != nil:
		return fmt.Errorf("adopt session %s: %w", sid, err)
	}
	v := broughtViewOf(wp, b)
	if v.From = b.From; b.Here {
		v.From = ""
	}
	v.LetGo = b.Left
	if asJSON {
		return l.Env.PrintJSON(v)
	}
	if b.Here {
		_, err := fmt.Fprintf(l.Env.Out, "Session %s belongs to this worktree already.\n", sid)
		return err
	}
	fmt.Fprintf(l.Env.Out, "Session %s (%s) now belongs to this worktree; it was in %s.\n", sid, v.Agent, cliui.Printable(v.From))
	for _, path := range v.LetGo {
		fmt.Fprintf(l.Env.Out, "  No longer linked there: %s\n", cliui.Printable(path))
	}
	return tellPending(l.Env, v)
}

func tellPending(env *cliui.Env, v broughtView) error {
	for _, path := range v.Files {
		fmt.Fprintf(env.Out, "  Its work here: %s\n", cliui.Printable(path))
	}
	if len(v.Files) == 0 {
		_, err := fmt.Fprintln(env.Out, "  None of its work is here yet.")
		return err
	}
	_, err := fmt.Fprintln(env.Out, "The next commit of these files is linked to it.")
	return err
}

func broughtViewOf(wp *workplace.Workplace, b turn.Brought) broughtView {
	return broughtView{SessionID: b.State.SessionID.String(), Agent: cliui.AgentOr(b.State.AgentType), Worktree: wp.Repo.Top,
		Phase: b.State.Phase, Files: cliui.NotNil(b.Pending()), Changed: !b.Here}
}

// enabledHere returns the open worktree, after finishing what a crash interrupted.
func enabledHere(ctx context.Context, l *sessionlib.Library) (*workplace.Workplace, error) {
	switch {
	case l.Wp == nil || l.Wp.Repo.Top == "":
		return nil, cliui.Failf("run this in the worktree that is to have the session", "not in a worktree of a git repository")
	case !l.Wp.Place.Active():
		return nil, cliui.Failf("`entire enable` switches it on", "Entire is not enabled here")
	}
	workplace.Recover(ctx, l.Env, l.Wp)
	return l.Wp, nil
}

// stateNamed returns the session with a state in this repository whose ID is name or begins with it.
func stateNamed(ctx context.Context, l *sessionlib.Library, name string) (id.SessionID, error) {
	sums, err := l.Wp.Store.Summaries(ctx)
	if err != nil {
		return id.SessionID{}, err
	}
	var all []sessionlib.ListedSession
	for _, sum := range sums {
		all = append(all, sessionlib.ListedSession{ID: sum.ID.String()})
	}
	found, err := sessionlib.Pick(all, name)
	if err != nil {
		if s, known := l.FindByID(ctx, name); known == nil {
			return id.SessionID{}, cliui.Failf("`entire sessions attach FILE` starts from its transcript", "session %s has no state in this repository", s.ID)
		}
		return id.SessionID{}, err
	}
	return id.ParseSessionID(found.ID)
}
