package hookcmd

import (
	"context"
	"strings"

	"entire/agent"
	"entire/session"
)

// around returns the circumstances of a session without running a process: branch, commit, and
// the variables that the user chose.
func (h *hookRun) around(ctx context.Context, ev agent.Event) session.Circumstances {
	c := session.Circumstances{Branch: h.wp.Repo.Branch(ctx), Environment: h.ChosenVariables(h.wp.Settings.Environment)}
	if st, err := h.wp.Store.Load(ctx, ev.SessionID); err == nil && strings.Trim(st.BaseCommit, "0") != "" {
		c.Commit = st.BaseCommit
	}
	return c
}
