package maintaincmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/session"
	"entire/strategy/maintain"
)

type resetOptions struct {
	force, json bool
	session     string
}

// ResetCommand forgets the sessions of a commit.
func ResetCommand(env *cliui.Env) *cobra.Command {
	var o resetOptions
	cmd := &cobra.Command{
		Use:   "reset",
		Short: "Forget the sessions that build on this commit",
		Long: `Forget the sessions that build on the commit you are on, or one session. The
next commit is not linked to them.

Files in the worktree stay as they are. The steps are set aside rather than
deleted: the command prints how to restore their files, and ` + "`entire doctor clean`" + `
removes them for good.`,
		Example: `  entire doctor reset
  entire doctor reset --session 5e55104f-0000 --force`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runReset(cmd.Context(), env, o) },
	}
	f := cmd.Flags()
	f.BoolVarP(&o.force, "force", "f", false, "do not ask, and do not wait for sessions in mid-turn")
	f.StringVar(&o.session, "session", "", "only the session with this `ID`")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	cmd.RegisterFlagCompletionFunc("session", workplace.CompleteSessions(env))
	return cmd
}

func runReset(ctx context.Context, env *cliui.Env, o resetOptions) error {
	wp, err := workplace.Open(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	if wp.Settings.Strategy == "auto-commit" {
		return cliui.Failf("its steps are commits already: `git revert` or `git reset`", "strategy auto-commit does not support reset")
	}
	plan, err := planReset(ctx, wp, o)
	if err != nil {
		return err
	}
	if blocking := plan.Active(); len(blocking) > 0 && !o.force {
		return tellActive(env, blocking, o)
	}
	if !o.force {
		if err := confirmReset(ctx, env, plan, o); err != nil {
			return err
		}
	}
	done, err := maintain.Reset(ctx, wp.Engine, plan)
	if err != nil {
		return err
	}
	return reportReset(env, plan, done, o)
}

func planReset(ctx context.Context, wp *workplace.Workplace, o resetOptions) (*maintain.ResetPlan, error) {
	if o.session == "" {
		return maintain.PlanReset(ctx, wp.Engine)
	}
	unknown := cliui.Failf("`entire status` shows the sessions", "session not found: %s", o.session)
	name, err := workplace.FindSession(ctx, wp, o.session)
	if err != nil {
		return nil, err
	}
	sid, err := id.ParseSessionID(name)
	if err != nil {
		return nil, unknown
	}
	plan, err := maintain.PlanResetSession(ctx, wp.Engine, sid)
	if errors.Is(err, session.ErrNotFound) {
		return nil, unknown
	}
	return plan, err
}

func tellActive(env *cliui.Env, active []*session.State, o resetOptions) error {
	if o.json {
		return cliui.Failf("use --force to override or wait for sessions to finish", "%s in the middle of a turn", cliui.Count(len(active), "session"))
	}
	fmt.Fprintln(env.Err, "Sessions in the middle of a turn:")
	for _, st := range active {
		last := ""
		if st.LastInteractionTime != nil {
			last = ", active " + cliui.Ago(env.Now().Sub(*st.LastInteractionTime))
		}
		fmt.Fprintf(env.Err, "  %s (%s%s)\n", cliui.ShownSession(st.SessionID.String()), cliui.AgentOr(st.AgentType), last)
	}
	fmt.Fprintln(env.Err, "Use --force to override or wait for sessions to finish.")
	return nil
}

// confirmReset asks a person to confirm the reset.
func confirmReset(ctx context.Context, env *cliui.Env, plan *maintain.ResetPlan, o resetOptions) error {
	what := "Forget session " + o.session + "?"
	if o.session == "" {
		what = fmt.Sprintf("Forget %s and set the steps of %s aside?", cliui.Count(len(plan.Sessions), "session"), plan.Branch)
	}
	return env.Consent(ctx, "--force", "reset", what, "Files in the worktree stay as they are.")
}

// A resetView is what --json prints.
type resetView struct {
	Sessions []string `json:"sessions"` // cleared
	Branch   string   `json:"shadow_branch"`
	Deleted  bool     `json:"deleted"`
	Kept     string   `json:"kept,omitempty"` // why the branch was kept
	SetAside string   `json:"set_aside,omitempty"`
	Tip      string   `json:"tip,omitempty"` // of the steps set aside
}

func reportReset(env *cliui.Env, plan *maintain.ResetPlan, done *maintain.ResetOutcome, o resetOptions) error {
	if o.json {
		v := resetView{Sessions: []string{}, Branch: plan.Branch, Deleted: done.Deleted, Kept: done.Kept, SetAside: done.SetAside, Tip: done.Tip.String()}
		for _, sid := range done.Cleared {
			v.Sessions = append(v.Sessions, sid.String())
		}
		return env.PrintJSON(v)
	}
	for _, sid := range done.Cleared {
		fmt.Fprintf(env.Err, "Cleared session state for %s\n", sid)
	}
	switch {
	case done.Deleted:
		fmt.Fprintf(env.Err, "Deleted shadow branch %s\n", plan.Branch)
		fmt.Fprintf(env.Err, "Its steps are kept as %s. To restore their files: entire rewind %s\n", done.SetAside, cliui.ShortID(done.Tip.String()))
	case done.Kept != "":
		fmt.Fprintf(env.Err, "Kept shadow branch %s: %s\n", plan.Branch, done.Kept)
	case len(done.Cleared) == 0:
		fmt.Fprintf(env.Err, "Nothing to reset for %s\n", plan.Branch)
	}
	if o.session == "" {
		return nil
	}
	_, err := fmt.Fprintf(env.Out, "Session %s has been reset. File changes remain in the working directory.\n", o.session)
	return err
}
