package explaincmd

import (
	"context"
	"fmt"
	"strings"

	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
)

// explainGenerate makes a summary of one session in a checkpoint and shows it; slot -1 means the
// last session.
func explainGenerate(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, cp id.CheckpointID, slot int, o explainOptions) error {
	stored, err := records.NewReader(wp.Repo).Read(ctx, cp)
	if err != nil {
		return err
	}
	if slot, err = chooseSession(stored, slot, o.session); err != nil {
		return err
	}
	if err := workplace.MaySummarize(ctx, env, wp, o.yes); err != nil {
		return err
	}
	if _, err := workplace.Generate(ctx, env, wp, cp, stored.Sessions[slot].Metadata.SessionID, o.force); err != nil {
		return err
	}
	if !o.json {
		fmt.Fprint(env.Out, "✓ Summary generated and saved\n\n")
	}
	view, err := readCheckpoint(ctx, wp, cp, slot, o)
	if err != nil {
		return err
	}
	return showCheckpoints(ctx, env, []checkpointView{view}, o)
}

// chooseSession returns the index of the named session: by its number, by the beginning of its
// ID, or else the last one.
func chooseSession(c records.StoredCheckpoint, slot int, session string) (int, error) {
	cp := c.Summary.CheckpointID
	switch {
	case slot >= 0 && session != "":
		return 0, cliui.Failf("use one of them", "cannot specify both --session and a session's number")
	case slot >= len(c.Sessions):
		return 0, fmt.Errorf("checkpoint %s has %s, numbered from 0", cp, cliui.Count(len(c.Sessions), "session"))
	case slot < 0 && session == "":
		slot = len(c.Sessions) - 1
	case slot < 0:
		for i, s := range c.Sessions {
			if s.Err != nil || !strings.HasPrefix(s.Metadata.SessionID, session) {
				continue
			}
			if slot >= 0 {
				return 0, cliui.Failf("give more of the ID", "ambiguous session %q in checkpoint %s", session, cp)
			}
			slot = i
		}
		if slot < 0 {
			return 0, cliui.Failf(fmt.Sprintf("`entire explain -c %s --short` names its sessions", cp), "session %s is not in checkpoint %s", session, cp)
		}
	}
	if slot < 0 {
		return 0, fmt.Errorf("checkpoint %s has no session", cp)
	}
	return slot, c.Sessions[slot].Err
}
