package rewindcmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/workplace"
	"entire/strategy/condense"
	"entire/strategy/rewind"
)

func undoCommand(env *cliui.Env) *cobra.Command {
	cmd := backCommand(env, "undo", func(ctx context.Context, wp *workplace.Workplace, name string, mode condense.ConflictMode) (*rewind.Plan, error) {
		return rewind.PlanUndo(ctx, wp.Engine, name, mode)
	})
	cmd.Short = "Undo the last rewind"
	cmd.Long = `Undo the last rewind, or the one with an ID of ` + "`entire log --kind rewind`" + `: the files it
changed, and the conversation, become what they were before. Repeated, it undoes the
rewind before that. Later changes are merged; if a file does not merge, nothing is
written until --conflicts says what to do. ` + "`entire redo`" + ` reverts an undo.`
	cmd.Example = `  entire undo
  entire undo --dry-run
  entire log --kind rewind
  entire undo 3fa2b1c`
	return cmd
}

func redoCommand(env *cliui.Env) *cobra.Command {
	cmd := backCommand(env, "redo", func(ctx context.Context, wp *workplace.Workplace, name string, mode condense.ConflictMode) (*rewind.Plan, error) {
		return rewind.PlanRedo(ctx, wp.Engine, name, mode)
	})
	cmd.Short = "Redo the rewind that was undone last"
	cmd.Long = `Redo the rewind that was undone last, or the undone one with an ID of
` + "`entire log --kind rewind`" + `. After a new rewind the undone ones can no longer be redone;
they stay in the log, and a rewind can still go to their points.`
	cmd.Example = `  entire redo
  entire redo --dry-run`
	return cmd
}

type backPlanner func(ctx context.Context, wp *workplace.Workplace, name string, mode condense.ConflictMode) (*rewind.Plan, error)

func backCommand(env *cliui.Env, verb string, plans backPlanner) *cobra.Command {
	var d doing
	var conflicts string
	cmd := &cobra.Command{
		Use: verb + " [ID]",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cliui.Failf("`entire log --kind rewind` shows the IDs", "%s takes one ID, not %d", cmd.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			mode, err := conflictMode(conflicts)
			if err == nil {
				err = d.check()
			}
			if err != nil {
				return err
			}
			return goBack(cmd.Context(), env, append(args, "")[0], d, mode, plans)
		},
	}
	d.add(cmd.Flags())
	addConflicts(cmd, &conflicts)
	cmd.ValidArgsFunction = completeRewinds(env, verb)
	return cmd
}

func goBack(ctx context.Context, env *cliui.Env, name string, d doing, mode condense.ConflictMode, plans backPlanner) error {
	wp, err := workplace.OpenEnabled(ctx, env)
	if err != nil || wp == nil {
		return err
	}
	defer wp.Close()
	return carryOut(ctx, env, wp, d, func(mode condense.ConflictMode) (*rewind.Plan, error) {
		plan, err := plans(ctx, wp, name, mode)
		return plan, rewindlib.HintBack(err, name)
	}, mode)
}

// completeRewinds offers the rewinds that can be undone or redone.
func completeRewinds(env *cliui.Env, verb string) cobra.CompletionFunc {
	return cliui.FirstOnly(cliui.InOrder(workplace.CompleteNames(env, func(ctx context.Context, wp *workplace.Workplace, typed string) (found []string, err error) {
		log, err := rewind.Log(ctx, wp.Engine)
		for _, e := range log {
			if undone := e.UndoneBy != ""; e.RewindID == "" && undone == (verb == "redo") && strings.HasPrefix(e.ID, typed) {
				found = append(found, cobra.CompletionWithDesc(cliui.ShortID(e.ID), fmt.Sprintf("%s, %s", e.At.Local().Format("01-02 15:04"), rewindlib.EntryWords(e))))
			}
		}
		return found, err
	})))
}
