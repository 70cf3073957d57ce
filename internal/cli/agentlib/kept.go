package agentlib

import (
	"context"
	"errors"
	"sync"
	"time"

	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/project"
	"entire/session"
)

// shortName is how many digits of a session's ID some agents have in the names of their files.
const shortName = 8

// KeptUntil returns a function for Question.Kept that reads the session store of the repository at top.
// It opens the store when it is first called.
func KeptUntil(ctx context.Context, env *cliui.Env, top string) func(id.SessionID) time.Time {
	open := sync.OnceValue(func() *session.Store {
		data := workplace.DataDir(env)
		repo, err := git.Discover(ctx, top, env.Environ)
		if data == "" || err != nil {
			return nil
		}
		defer repo.Close()
		return session.OpenStore(session.BaseIn(project.InRepo(ctx, repo).Dir(data)))
	})
	return func(sid id.SessionID) time.Time {
		store := open()
		if store == nil {
			return time.Time{}
		}
		meta, err := store.Metadata(ctx, sid.String())
		if errors.Is(err, session.ErrNotFound) && len(sid.String()) == shortName {
			var whole string
			if whole, err = store.Find(ctx, sid.String()); err == nil {
				meta, err = store.Metadata(ctx, whole)
			}
		}
		if err != nil {
			return time.Time{}
		}
		return meta.UpdatedAt
	}
}
