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
	"entire/internal/config"
	"entire/internal/summarize"
	"entire/internal/term"
)

// ErrNothingSaid is returned for a checkpoint whose part of the conversation is empty.
var ErrNothingSaid = errors.New("no conversation to summarise")

// Generate asks the agent's own program, or what the user's settings name, for a summary of one session's
// part of a checkpoint, and stores it. It returns an error if the user did not agree (see MaySummarize).
func Generate(ctx context.Context, env *cliui.Env, wp *Workplace, cp id.CheckpointID, session string, replace bool) (*metadata.Summary, error) {
	if err := agreed(ctx, wp); err != nil {
		return nil, err
	}
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
		ID: cp, Session: session, Summary: summary, Replace: replace, Author: author, Stating: wp.stating(env.Now),
	})
	if errors.Is(err, metadata.ErrSummaryExists) {
		return nil, failHasSummary(cp)
	}
	return summary, err
}

func question(env *cliui.Env, wp *Workplace, m metadata.CommittedMetadata) summarize.Request {
	return summarize.Request{
		Agent: m.Agent, Source: summarizer(wp), Model: wp.Settings.SummarizeModel(), Timeout: wp.Settings.SummarizeTimeout(),
		Environ: env.Environ, Home: env.Home(),
	}
}

func summarizer(wp *Workplace) summarize.Source {
	by := wp.Settings.Summarizer
	return summarize.Source{Command: by.Command, URL: by.URL, KeyEnv: by.KeyEnv}
}

// errNotAgreed is returned where the settings name what makes summaries, and the user did not agree to it.
var errNotAgreed = errors.New("you have not agreed")

// agreed returns an error if what the settings name must not be asked: the file may come from others, or the
// user did not agree. The agent's own program needs no agreement, as its service has the conversation.
func agreed(ctx context.Context, wp *Workplace) error {
	by := summarizer(wp)
	if by.IsZero() {
		return nil
	}
	name := config.Path(wp.Repo.Top, config.Local)
	if out, err := wp.Repo.Run(ctx, "ls-files", "-z", "--", name); err != nil {
		return err
	} else if len(out) > 0 {
		return cliui.Failf("`git rm --cached .entire/settings.local.json` takes it out of the commits", "ask %s for a summary: settings.local.json is committed, so others can change it", cliui.ShownLine(by.Name()))
	}
	if err := by.Check(); err != nil {
		return cliui.Failf("strategy_options.summarize in .entire/settings.local.json names it", "ask for a summary: %w", err)
	}
	yes, err := summarize.Agreed(wp.Repo.CommonDir, by)
	if err == nil && !yes {
		err = cliui.Failf("`entire explain -c ID --generate` asks you", "ask %s for a summary: %w", cliui.ShownLine(by.Name()), errNotAgreed)
	}
	return err
}

// MaySummarize asks the user whether what the settings name may make summaries, unless they agreed before. With
// yes, they agree without being asked.
func MaySummarize(ctx context.Context, env *cliui.Env, wp *Workplace, yes bool) error {
	err := agreed(ctx, wp)
	if !errors.Is(err, errNotAgreed) {
		return err
	}
	by := summarizer(wp)
	warning := cliui.ShownLine(by.Warning())
	if yes {
		fmt.Fprintln(env.Err, warning)
		return summarize.Agree(wp.Repo.CommonDir, by)
	}
	ok, err := env.Terminal().Confirm(ctx, "May "+cliui.ShownLine(by.Name())+" make summaries of this repository's checkpoints?", warning)
	switch {
	case errors.Is(err, term.ErrNotInteractive):
		return cliui.Failf("add --yes to agree without being asked. "+warning, "ask %s for a summary: %w", cliui.ShownLine(by.Name()), errNotAgreed)
	case errors.Is(err, term.ErrCancelled), err == nil && !ok:
		fmt.Fprintln(env.Err, "Nothing was sent.")
		return cliui.ErrTold
	case err != nil:
		return err
	}
	return summarize.Agree(wp.Repo.CommonDir, by)
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
