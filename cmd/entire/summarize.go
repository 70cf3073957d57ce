package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/summarize"
)

// summarizeVerb is the hidden command that works on the queue of summaries.
const summarizeVerb = "__summarize"

// noteStored remembers the checkpoints that this process stored.
func (wp *workplace) noteStored(cp id.CheckpointID, sessions []id.SessionID) {
	wp.stored = append(wp.stored, summarize.Job{Checkpoint: cp, Sessions: slices.Clone(sessions)})
}

// summarizeLater starts another process that summarizes the stored checkpoints, if the settings
// ask for it: the caller of the hook does not wait.
func (h *hookRun) summarizeLater() {
	wp := h.wp
	if len(wp.stored) == 0 || !wp.settings.Summarize() {
		return
	}
	for _, job := range wp.stored {
		if err := summarize.Enqueue(wp.repo.CommonDir, job, h.now()); err != nil {
			wp.log.Warn("no summary will be made", "err", err)
			return
		}
	}
	program, err := os.Executable()
	if err == nil {
		err = summarize.Detach(program, []string{summarizeVerb}, wp.repo.Top, h.environ)
	}
	if err != nil {
		wp.log.Warn("summaries have to wait for the next commit", "err", err)
	}
}

// summarizeCommand returns the command that a hook starts: it works until the queue is empty,
// prints nothing, and logs.
func (w *world) summarizeCommand() *cobra.Command {
	return &cobra.Command{
		Use: summarizeVerb, Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			summarize.Yield()
			wp, err := w.openQuietly(cmd.Context())
			if err != nil {
				return err
			}
			defer wp.close()
			err = summarize.Drain(cmd.Context(), wp.repo.CommonDir, func(ctx context.Context, job summarize.Job) {
				w.summarizeJob(ctx, wp, job)
			})
			if err != nil {
				wp.log.Error("queue of summaries", "err", err)
			}
			return nil
		},
	}
}

func (w *world) summarizeJob(ctx context.Context, wp *workplace, job summarize.Job) {
	if !wp.settings.Summarize() || !wp.place.active() {
		return
	}
	for _, session := range job.Sessions {
		_, err := w.generate(ctx, wp, job.Checkpoint, session.String(), true)
		switch {
		case errors.Is(err, errNothingSaid):
			wp.log.Info("nothing to summarise", "checkpoint_id", job.Checkpoint.String(), "session_id", session.String())
		case err != nil:
			wp.log.Warn("no summary made", "checkpoint_id", job.Checkpoint.String(), "session_id", session.String(), "err", err)
		default:
			wp.log.Info("summary saved", "checkpoint_id", job.Checkpoint.String(), "session_id", session.String())
		}
	}
}

// errNothingSaid is returned for a checkpoint whose part of the conversation is empty.
var errNothingSaid = errors.New("no conversation to summarise")

// generate asks the agent's own program for a summary of one session's part of a checkpoint, and
// stores it.
func (w *world) generate(ctx context.Context, wp *workplace, cp id.CheckpointID, session string, replace bool) (*metadata.Summary, error) {
	content, err := records.NewReader(wp.repo).SessionByID(ctx, cp, session)
	if content == nil {
		return nil, err
	}
	var gap *chunk.MissingChunkError
	if err != nil && !errors.As(err, &gap) {
		return nil, err
	}
	m := content.Metadata
	if m.Summary != nil && !replace {
		return nil, failHasSummary(cp)
	}
	text := summarize.Text(m.Agent, content.Transcript, m.GetTranscriptStart(), m.FilesTouched)
	if text == "" {
		return nil, fmt.Errorf("checkpoint %s, session %s: %w", cp, session, errNothingSaid)
	}
	ask := w.question(wp, m)
	if ask.Dir, err = neutralDir(); err != nil {
		return nil, err
	}
	fmt.Fprintf(w.err, "Asking %s for a summary (at most %s)...\n", ask.Program(), ask.Timeout)
	summary, err := ask.Summarize(ctx, text)
	if err != nil {
		return nil, err
	}
	author := wp.repo.Identity(ctx)
	author.When = w.now()
	err = metadata.WriteSummary(ctx, wp.repo, metadata.SummaryUpdate{
		ID: cp, Session: session, Summary: summary, Replace: replace, Author: author,
	})
	if errors.Is(err, metadata.ErrSummaryExists) {
		return nil, failHasSummary(cp)
	}
	return summary, err
}

func (w *world) question(wp *workplace, m metadata.CommittedMetadata) summarize.Request {
	return summarize.Request{
		Agent: m.Agent, Model: wp.settings.SummarizeModel(), Timeout: wp.settings.SummarizeTimeout(),
		Environ: w.environ, Home: w.home(),
	}
}

func failHasSummary(cp id.CheckpointID) error {
	return failf("", "checkpoint %s already has a summary (use --force to regenerate)", cp)
}

// neutralDir returns an empty folder of the user outside any project. It is the same each time,
// because agents keep a history for each folder in which they run.
func neutralDir() (string, error) {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("entire-summarize-%d", os.Getuid()))
	if err := os.Mkdir(dir, 0o700); err == nil {
		return dir, nil
	}
	// Only its owner can change the mode. Another user's folder could hold instructions for
	// the agent.
	if info, err := os.Lstat(dir); err == nil && info.IsDir() && os.Chmod(dir, 0o700) == nil {
		return dir, nil
	}
	dir, err := os.MkdirTemp("", "entire-summarize-")
	if err != nil {
		return "", fmt.Errorf("make a folder for the agent: %w", err)
	}
	return dir, nil
}
