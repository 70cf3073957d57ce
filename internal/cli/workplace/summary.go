package workplace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/summarize"
)

// ErrNothingSaid is returned for a checkpoint whose part of the conversation is empty.
var ErrNothingSaid = errors.New("no conversation to summarise")

// Generate asks the agent's own program for a summary of one session's part of a checkpoint, and
// stores it.
func Generate(ctx context.Context, env *cliui.Env, wp *Workplace, cp id.CheckpointID, session string, replace bool) (*metadata.Summary, error) {
	content, err := records.NewReader(wp.Repo).SessionByID(ctx, cp, session)
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
		return nil, fmt.Errorf("checkpoint %s, session %s: %w", cp, session, ErrNothingSaid)
	}
	ask := question(env, wp, m)
	if ask.Dir, err = neutralDir(); err != nil {
		return nil, err
	}
	fmt.Fprintf(env.Err, "Asking %s for a summary (at most %s)...\n", ask.Program(), ask.Timeout)
	summary, err := ask.Summarize(ctx, text)
	if err != nil {
		return nil, err
	}
	author := wp.Repo.Identity(ctx)
	author.When = env.Now()
	err = metadata.WriteSummary(ctx, wp.Repo, metadata.SummaryUpdate{
		ID: cp, Session: session, Summary: summary, Replace: replace, Author: author,
	})
	if errors.Is(err, metadata.ErrSummaryExists) {
		return nil, failHasSummary(cp)
	}
	return summary, err
}

func question(env *cliui.Env, wp *Workplace, m metadata.CommittedMetadata) summarize.Request {
	return summarize.Request{
		Agent: m.Agent, Model: wp.Settings.SummarizeModel(), Timeout: wp.Settings.SummarizeTimeout(),
		Environ: env.Environ, Home: env.Home(),
	}
}

func failHasSummary(cp id.CheckpointID) error {
	return cliui.Failf("", "checkpoint %s already has a summary (use --force to regenerate)", cp)
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
