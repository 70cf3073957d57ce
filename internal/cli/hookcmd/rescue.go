package hookcmd

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/internal/cli/cliui"
	"entire/internal/cli/rescuelib"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
)

// rescueVerb is the hidden command that imports what agents keep of the project.
const rescueVerb = "__rescue-daily"

const (
	rescueEvery = 24 * time.Hour
	rescueLimit = 10 * time.Minute // of one run; the next one goes on from there
)

// rescueLater starts that command in another process when a session starts, once a day, if the person asked
// for it.
func (h *hookRun) rescueLater(ev agent.Event) {
	if ev.Type != agent.SessionStart || !h.wp.Settings.RescueDaily || !h.wp.Settings.SessionStore() {
		return
	}
	stamp := filepath.Join(h.wp.Engine.LocalDir(), "rescued")
	if fi, err := os.Lstat(stamp); err == nil && h.Now().Sub(fi.ModTime()).Abs() < rescueEvery {
		return
	}
	if durable.WriteCache(stamp, nil, 0o600) == nil {
		h.startLater("conversations that agents keep were not imported", rescueVerb)
	}
}

// rescueCommand returns the command that the hook starts: it prints nothing, and logs.
func rescueCommand(env *cliui.Env) *cobra.Command {
	return laterCommand(env, rescueVerb, func(ctx context.Context, wp *workplace.Workplace) {
		ctx, cancel := context.WithTimeout(ctx, rescueLimit)
		defer cancel()
		n, err := rescuelib.ImportHere(ctx, env, wp.Repo.Top)
		if err != nil {
			wp.Log.Warn("conversations that agents keep were not imported", "imported", n, "err", err)
		} else if n > 0 {
			wp.Log.Info("imported conversations that agents keep", "conversations", n)
		}
	})
}
