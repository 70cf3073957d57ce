package workplace

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"time"

	"entire/agent"
	"entire/agent/agents"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/feed"
	"entire/internal/project"
	"entire/internal/redact"
	"entire/session"
)

// feedLimit bounds how long one event feeds the session store; the next event feeds the rest.
const feedLimit = 10 * time.Second

// A StoreFeed feeds the session store at one hook event.
type StoreFeed struct {
	*feed.Feed
	data string // the user's data directory
	Log  *slog.Logger
}

// DataDir returns the folder that holds the conversations; "" if the environment names no home.
func DataDir(env *cliui.Env) string { return project.DataDir(env.Environ, env.Home(), runtime.GOOS) }

func NewStoreFeed(env *cliui.Env, log *slog.Logger) *StoreFeed {
	memo := feed.NewMemo(redact.Line)
	return &StoreFeed{&feed.Feed{Redact: memo.Redact, Now: env.Now}, DataDir(env), log}
}

// FeedEvent feeds one event of a session in the project id.
func (f *StoreFeed) FeedEvent(ctx context.Context, id project.Identity, ev agent.Event) {
	ctx, cancel := context.WithTimeout(ctx, feedLimit)
	defer cancel()
	err := f.tryEvent(ctx, id, ev)
	switch {
	case errors.Is(err, feed.ErrBusy):
		f.Log.Debug("session store is being fed by another hook", "session_id", ev.SessionID.String())
	case err != nil:
		f.Log.Warn("conversation not kept in the session store", "session_id", ev.SessionID.String(), "err", err)
	}
}

func (f *StoreFeed) tryEvent(ctx context.Context, id project.Identity, ev agent.Event) error {
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

// conversationMoved returns a function that updates the session store after a rewind or redo has changed
// a transcript. It only logs errors: the agent's next hook repairs the store.
func conversationMoved(env *cliui.Env, wp *Workplace) func(context.Context, id.SessionID, agent.AgentType, string) {
	return func(ctx context.Context, sid id.SessionID, kind agent.AgentType, path string) {
		if !wp.Settings.SessionStore() || !wp.Place.SetUp {
			return
		}
		f := NewStoreFeed(env, wp.Log)
		f.FeedEvent(ctx, wp.identity(ctx), agent.Event{
			AgentType: kind, Agent: agents.For(kind).Name(), SessionID: sid, TranscriptPath: path, Time: env.Now(),
		})
	}
}
