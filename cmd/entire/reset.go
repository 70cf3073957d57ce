package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"entire/id"
	"entire/session"
	"entire/strategy/maintain"
)

type resetOptions struct {
	force, json bool
	session     string
}

func (w *world) resetCommand() *cobra.Command {
	var o resetOptions
	cmd := &cobra.Command{
		Use:   "reset",
		Short: "Forget the sessions that build on this commit",
		Long: `Forget the sessions that build on the commit you are on, or one session. The
next commit is not linked to them.

Files in the worktree stay as they are. The steps are set aside rather than
deleted: the command prints how to restore their files, and ` + "`entire clean`" + `
removes them for good.`,
		Example: `  entire reset
  entire reset --session 5e55104f-0000 --force`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return w.reset(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.BoolVarP(&o.force, "force", "f", false, "do not ask, and do not wait for sessions in mid-turn")
	f.StringVar(&o.session, "session", "", "only this session, by its ID")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	cmd.RegisterFlagCompletionFunc("session", w.completeSessions)
	return cmd
}

// completeSessions offers the sessions of the repository to a shell.
func (w *world) completeSessions(cmd *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
	wp, err := w.openQuietly(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer wp.close()
	sums, err := wp.store.Summaries(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	for _, sum := range sums {
		if strings.HasPrefix(sum.ID.String(), prefix) {
			ids = append(ids, sum.ID.String())
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

func (w *world) reset(ctx context.Context, o resetOptions) error {
	wp, err := w.open(ctx)
	if err != nil {
		return err
	}
	defer wp.close()
	if wp.settings.Strategy == "auto-commit" {
		return failf("its steps are commits already: `git revert` or `git reset`", "strategy auto-commit does not support reset")
	}
	plan, err := w.planReset(ctx, wp, o)
	if err != nil {
		return err
	}
	if blocking := plan.Active(); len(blocking) > 0 && !o.force {
		return w.tellActive(blocking, o)
	}
	if !o.force {
		if err := w.confirmReset(ctx, plan, o); err != nil {
			return err
		}
	}
	done, err := maintain.Reset(ctx, wp.engine, plan)
	if err != nil {
		return err
	}
	return w.reportReset(plan, done, o)
}

func (w *world) planReset(ctx context.Context, wp *workplace, o resetOptions) (*maintain.ResetPlan, error) {
	if o.session == "" {
		return maintain.PlanReset(ctx, wp.engine)
	}
	unknown := failf("`entire status` shows the sessions", "session not found: %s", o.session)
	name, err := findSession(ctx, wp, o.session)
	if err != nil {
		return nil, err
	}
	sid, err := id.ParseSessionID(name)
	if err != nil {
		return nil, unknown
	}
	plan, err := maintain.PlanResetSession(ctx, wp.engine, sid)
	if errors.Is(err, session.ErrNotFound) {
		return nil, unknown
	}
	return plan, err
}

func (w *world) tellActive(active []*session.State, o resetOptions) error {
	if o.json {
		return failf("use --force to override or wait for sessions to finish", "%s in the middle of a turn", count(len(active), "session"))
	}
	fmt.Fprintln(w.err, "Sessions in the middle of a turn:")
	for _, st := range active {
		last := ""
		if st.LastInteractionTime != nil {
			last = ", active " + ago(w.now().Sub(*st.LastInteractionTime))
		}
		fmt.Fprintf(w.err, "  %s (%s%s)\n", shownSession(st.SessionID.String()), agentOr(st.AgentType), last)
	}
	fmt.Fprintln(w.err, "Use --force to override or wait for sessions to finish.")
	return nil
}

// confirmReset asks a person to confirm the reset.
func (w *world) confirmReset(ctx context.Context, plan *maintain.ResetPlan, o resetOptions) error {
	what := "Forget session " + o.session + "?"
	if o.session == "" {
		what = fmt.Sprintf("Forget %s and set the steps of %s aside?", count(len(plan.Sessions), "session"), plan.Branch)
	}
	return w.consent(ctx, "reset", what, "Files in the worktree stay as they are.")
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

func (w *world) reportReset(plan *maintain.ResetPlan, done *maintain.ResetOutcome, o resetOptions) error {
	if o.json {
		v := resetView{Sessions: []string{}, Branch: plan.Branch, Deleted: done.Deleted, Kept: done.Kept, SetAside: done.SetAside, Tip: done.Tip.String()}
		for _, sid := range done.Cleared {
			v.Sessions = append(v.Sessions, sid.String())
		}
		return w.printJSON(v)
	}
	for _, sid := range done.Cleared {
		fmt.Fprintf(w.err, "Cleared session state for %s\n", sid)
	}
	switch {
	case done.Deleted:
		fmt.Fprintf(w.err, "Deleted shadow branch %s\n", plan.Branch)
		fmt.Fprintf(w.err, "Its steps are kept as %s. To restore their files: entire rewind --to %s\n", done.SetAside, shortID(done.Tip.String()))
	case done.Kept != "":
		fmt.Fprintf(w.err, "Kept shadow branch %s: %s\n", plan.Branch, done.Kept)
	case len(done.Cleared) == 0:
		fmt.Fprintf(w.err, "Nothing to reset for %s\n", plan.Branch)
	}
	if o.session == "" {
		return nil
	}
	_, err := fmt.Fprintf(w.out, "Session %s has been reset. File changes remain in the working directory.\n", o.session)
	return err
}
