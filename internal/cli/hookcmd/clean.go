package hookcmd

import (
	"os"
	"path/filepath"
	"time"

	"entire/agent"
	"entire/checkpoint/pack"
	"entire/checkpoint/sealing"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/durable"
)

// cleanedName is a file in the data directory; its time is that of the last automatic clean-up.
const cleanedName = "cleaned"

// cleanEvery is the least time between two automatic clean-ups.
const cleanEvery = 24 * time.Hour

// cleanLater starts a clean-up in another process when a session ends, once a day, if the user's
// own settings ask for it; a repository's settings cannot. It moves conversations to the trash
// and never empties the trash.
func (h *hookRun) cleanLater(ev agent.Event) {
	data := workplace.DataDir(h.Env)
	if ev.Type != agent.SessionEnd || data == "" {
		return
	}
	limits, err := config.UserRetention(data)
	if err != nil {
		h.log().Warn("conversations are not cleaned up", "err", err)
	}
	if err != nil || !limits.Automatic {
		return
	}
	stamp := filepath.Join(data, cleanedName)
	if info, err := os.Lstat(stamp); err == nil && h.Now().Sub(info.ModTime()).Abs() < cleanEvery {
		return
	}
	if err := durable.WriteCache(stamp, nil, 0o600); err != nil {
		h.log().Warn("conversations are not cleaned up", "err", err)
		return
	}
	h.startLater("conversations are not cleaned up", "sessions", "clean", "--automatic", "--all-projects")
}

// packLater starts a process that packs what commits have stored, if that is worth while. The commit does not
// wait for it.
func (h *hookRun) packLater() {
	if !pack.Due(h.wp.Repo, h.Now()) {
		return
	}
	h.startLater("what is stored is not packed", "checkpoints", "pack", "--by-itself")
}

// sealLater starts a process that seals past months, if the settings say so and none did for a while. The commit does not
// wait for it.
func (h *hookRun) sealLater() {
	if h.wp.Settings.SealOver() == 0 || !sealing.Due(h.wp.Repo, h.Now()) {
		return
	}
	h.startLater("past months are not sealed", "share", "seal", "--by-itself")
}
