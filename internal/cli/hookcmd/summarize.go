package hookcmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/summarize"
)

// summarizeVerb is the hidden command that works on the queue of summaries.
const summarizeVerb = "__summarize"

// summarizeLater starts another process that summarizes the stored checkpoints, if the settings
// ask for it: the caller of the hook does not wait.
func (h *hookRun) summarizeLater() {
	wp := h.wp
	if len(wp.Stored) == 0 || !wp.Settings.Summarize() {
		return
	}
	for _, job := range wp.Stored {
		if err := summarize.Enqueue(wp.Repo.CommonDir, job, h.Now()); err != nil {
			wp.Log.Warn("no summary will be made", "err", err)
			return
		}
	}
	h.startLater("summaries have to wait for the next commit", summarizeVerb)
}

// summarizeCommand returns the command that a hook starts: it works until the queue is empty,
// prints nothing, and logs.
func summarizeCommand(env *cliui.Env) *cobra.Command {
	return laterCommand(env, summarizeVerb, func(ctx context.Context, wp *workplace.Workplace) {
		err := summarize.Drain(ctx, wp.Repo.CommonDir, func(ctx context.Context, job summarize.Job) {
			summarizeJob(ctx, env, wp, job)
		})
		if err != nil {
			wp.Log.Error("queue of summaries", "err", err)
		}
	})
}

func summarizeJob(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, job summarize.Job) {
	if !wp.Settings.Summarize() || !wp.Place.Active() {
		return
	}
	for _, session := range job.Sessions {
		_, err := workplace.Generate(ctx, env, wp, job.Checkpoint, session.String(), true)
		switch {
		case errors.Is(err, workplace.ErrNothingSaid):
			wp.Log.Info("nothing to summarise", "checkpoint_id", job.Checkpoint.String(), "session_id", session.String())
		case err != nil:
			wp.Log.Warn("no summary made", "checkpoint_id", job.Checkpoint.String(), "session_id", session.String(), "err", err)
		default:
			wp.Log.Info("summary saved", "checkpoint_id", job.Checkpoint.String(), "session_id", session.String())
		}
	}
}
