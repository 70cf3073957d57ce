package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"entire/agent"
	"entire/internal/config"
	"entire/internal/durable"
	"entire/internal/feed"
	"entire/internal/project"
	"entire/internal/redact"
	"entire/session"
)

// feedLimit bounds how long one event feeds the session store; the next event feeds the rest.
const feedLimit = 10 * time.Second

// promoteLimit bounds the search for the project key that all clones of a repository share. Each
// session start tries it until it is found.
const promoteLimit = 300 * time.Millisecond

// A storeFeed feeds the session store at one hook event.
type storeFeed struct {
	*feed.Feed
	data string // the user's data directory
	log  *slog.Logger
}

// dataDir returns the folder that holds the conversations; "" if the environment names no home.
func (w *world) dataDir() string { return project.DataDir(w.environ, w.home(), runtime.GOOS) }

// feedFor prepares the feed before anything is read, so that text that the engine redacts is not
// redacted again. It returns nil if conversations are not kept.
func (h *hookRun) feedFor() *storeFeed {
	if !h.wp.settings.SessionStore() {
		return nil
	}
	f := h.newFeed(h.wp.log)
	h.wp.redact = f.Redact
	return f
}

func (w *world) newFeed(log *slog.Logger) *storeFeed {
	memo := feed.NewMemo(redact.Line)
	return &storeFeed{&feed.Feed{Redact: memo.Redact, Now: w.now}, w.dataDir(), log}
}

// feed writes the agent's new records to the session store. It logs an error as one line: the
// hook has done its work.
func (h *hookRun) feed(ctx context.Context, f *storeFeed, ev agent.Event) {
	if f == nil {
		return
	}
	repo := h.wp.repo
	id := project.InRepo(ctx, repo)
	if ev.Type == agent.SessionStart && !id.Lasting() {
		promoted, err := project.Promote(ctx, repo, promoteLimit)
		if err != nil {
			f.log.Warn("project keeps its provisional key", "err", err)
		}
		id = promoted
	}
	f.Circumstances = h.around(ctx, ev)
	if ev.TranscriptPath == "" {
		f.OwnTranscript = h.wp.engine.OwnTranscript(ev.SessionID)
	}
	f.Branch = headBranch(repo.GitDir)
	f.event(ctx, id, ev)
}

// headBranch returns the branch of a worktree, "" for none. It reads the file HEAD, because a
// process would take a hook too long.
func headBranch(gitDir string) string {
	data, err := os.ReadFile(filepath.Join(gitDir, "HEAD"))
	if err != nil {
		return ""
	}
	name, _ := strings.CutPrefix(strings.TrimSpace(string(data)), "ref: refs/heads/")
	if strings.Contains(name, " ") || !strings.HasPrefix(string(data), "ref: ") {
		return ""
	}
	return name
}

// event feeds one event of a session in the project id.
func (f *storeFeed) event(ctx context.Context, id project.Identity, ev agent.Event) {
	ctx, cancel := context.WithTimeout(ctx, feedLimit)
	defer cancel()
	err := f.tryEvent(ctx, id, ev)
	switch {
	case errors.Is(err, feed.ErrBusy):
		f.log.Debug("session store is being fed by another hook", "session_id", ev.SessionID.String())
	case err != nil:
		f.log.Warn("conversation not kept in the session store", "session_id", ev.SessionID.String(), "err", err)
	}
}

func (f *storeFeed) tryEvent(ctx context.Context, id project.Identity, ev agent.Event) error {
	if f.data == "" {
		return errors.New("no data directory: neither HOME nor XDG_DATA_HOME is set")
	}
	settled := project.Settle(ctx, f.data, id, ev.Time)
	if ev.Dir == "" {
		ev.Dir = id.Top
	}
	f.Base, f.Project = session.BaseIn(id.Dir(f.data)), id.Key
	return errors.Join(settled, f.Event(ctx, ev))
}

// inFolder runs a hook in a folder outside git, where the conversation and the folder's files are
// kept.
func (h *hookRun) inFolder(ctx context.Context, ev agent.Event, dir string) error {
	p := findPlace(dir)
	settings, settingsErr := config.Load(p.settings)
	log, done := newLog(p.logPath(""), h.logLevel(settings))
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
	id, err := project.Key(ctx, dir, h.environ)
	if err != nil {
		log.Warn("conversation not kept in the session store", "session_id", ev.SessionID.String(), "err", err)
		return nil
	}
	f := h.newFeed(log)
	f.Turns = true
	if wp := h.handleInFolder(ctx, ev, p.top, f); wp != nil {
		defer wp.close()
	}
	h.beginPace(p, settings.Checkpoints(), ev)
	if ev.Type == agent.SessionEnd && settings.Checkpoints().Paced() {
		_ = durable.Remove(pacePath(p, ev.SessionID)) // a next session would count on from it
	}
	f.event(ctx, id, ev)
	return nil
}
