package hookcmd

import (
	"context"
	"time"

	"entire/agent"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/durable"
	"entire/internal/project"
	"entire/internal/single"
	"entire/strategy/engine"
)

// handleInFolder keeps a folder's files at an event of its agent. It returns nil if they are not
// kept, and logs errors: the conversation is kept anyway.
func (h *hookRun) handleInFolder(ctx context.Context, ev agent.Event, top string, f *workplace.StoreFeed) *workplace.Workplace {
	if ev.Type != agent.SessionStart && workplace.FolderSkipped(ctx, h.Env, top) != "" {
		return nil // the next session start checks again
	}
	single.All()
	ctx, stop := h.Interruptible(ctx) // an interrupted hook must not leave a half-made repository
	defer stop()
	limited, cancel := context.WithTimeout(ctx, cliui.HookLimit/2)
	defer cancel()
	wp, err := workplace.OpenFolder(limited, h.Env, top, true)
	if err != nil {
		f.Log.Warn("the folder's files are not kept", "err", err)
		return nil
	}
	wp.Redact, wp.Engine.ReadWithin = f.Redact, cliui.HookLimit/4
	answer, err := engine.Handle(limited, wp.Engine, ev)
	if ev.Type == agent.TurnStart && len(answer.Output) > 0 {
		_, _ = h.Out.Write(answer.Output) // an agent that does not read it knows what was taken back
	}
	if err != nil {
		f.Log.Warn("no point was made of the folder's files", "session_id", ev.SessionID.String(), "err", err)
	}
	if ev.TranscriptPath == "" {
		f.OwnTranscript = wp.Engine.OwnTranscript(ev.SessionID)
	}
	return wp
}

// promoteLimit bounds the search for the project key that all clones of a repository share. Each
// session start tries it until it is found.
const promoteLimit = 300 * time.Millisecond

// feedFor prepares the feed before anything is read, so that text that the engine redacts is not
// redacted again. It returns nil if conversations are not kept.
func (h *hookRun) feedFor() *workplace.StoreFeed {
	if !h.wp.Settings.SessionStore() {
		return nil
	}
	f := workplace.NewStoreFeed(h.Env, h.wp.Log)
	h.wp.Redact = f.Redact
	return f
}

// feed writes the agent's new records to the session store. It logs an error as one line: the
// hook has done its work.
func (h *hookRun) feed(ctx context.Context, f *workplace.StoreFeed, ev agent.Event) {
	if f == nil {
		return
	}
	repo := h.wp.Repo
	id := project.InRepo(ctx, repo)
	if ev.Type == agent.SessionStart && !id.Lasting() {
		promoted, err := project.Promote(ctx, repo, promoteLimit)
		if err != nil {
			f.Log.Warn("project keeps its provisional key", "err", err)
		}
		id = promoted
	}
	f.Circumstances = h.around(ctx, ev)
	if ev.TranscriptPath == "" {
		f.OwnTranscript = h.wp.Engine.OwnTranscript(ev.SessionID)
	}
	f.Branch = repo.Branch(ctx)
	f.FeedEvent(ctx, id, ev)
}

// inFolder runs a hook in a folder outside git, where the conversation and the folder's files are
// kept.
func (h *hookRun) inFolder(ctx context.Context, ev agent.Event, dir string) error {
	p := workplace.FindPlace(dir)
	settings, settingsErr := config.Load(p.Settings)
	workplace.UseRedaction(settings)
	settings.Sealed = p.Seals()
	log, done := workplace.NewLog(p.LogPath(""), workplace.LogLevel(h.Env, settings))
	defer done()
	if settingsErr != nil {
		log.Warn("settings not understood", "hook", h.name, "err", settingsErr)
	}
	if !settings.SessionStore() {
		return nil
	}
	for _, warning := range ev.Warnings {
		log.Warn("hook payload", "hook", h.name, "warning", warning)
	}
	id, err := project.Key(ctx, dir, h.Environ)
	if err != nil {
		log.Warn("conversation not kept in the session store", "session_id", ev.SessionID.String(), "err", err)
		return nil
	}
	f := workplace.NewStoreFeed(h.Env, log)
	f.Turns = true
	if wp := h.handleInFolder(ctx, ev, p.Top, f); wp != nil {
		defer wp.Close()
	}
	h.beginPace(p, settings.Checkpoints(), ev)
	if ev.Type == agent.SessionEnd && settings.Checkpoints().Paced() {
		_ = durable.Remove(pacePath(p, ev.SessionID)) // a next session would count on from it
	}
	f.FeedEvent(ctx, id, ev)
	return nil
}
