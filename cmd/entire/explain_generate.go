package main

import (
	"context"
	"fmt"
	"strings"

	"entire/checkpoint/records"
	"entire/id"
)

// explainGenerate makes a summary of one session in a checkpoint and shows it; slot -1 means the
// last session.
func (w *world) explainGenerate(ctx context.Context, wp *workplace, cp id.CheckpointID, slot int, o explainOptions) error {
	stored, err := records.NewReader(wp.repo).Read(ctx, cp)
	if err != nil {
		return err
	}
	if slot, err = chooseSession(stored, slot, o.session); err != nil {
		return err
	}
	if _, err := w.generate(ctx, wp, cp, stored.Sessions[slot].Metadata.SessionID, o.force); err != nil {
		return err
	}
	if !o.json {
		fmt.Fprint(w.out, "✓ Summary generated and saved\n\n")
	}
	view, err := readCheckpoint(ctx, wp, cp, slot, o)
	if err != nil {
		return err
	}
	return w.showCheckpoints(ctx, []checkpointView{view}, o)
}

// chooseSession returns the index of the named session: by its number, by the beginning of its
// ID, or else the last one.
func chooseSession(c records.StoredCheckpoint, slot int, session string) (int, error) {
	cp := c.Summary.CheckpointID
	switch {
	case slot >= 0 && session != "":
		return 0, failf("use one of them", "cannot specify both --session and a session's number")
	case slot >= len(c.Sessions):
		return 0, fmt.Errorf("checkpoint %s has %s, numbered from 0", cp, count(len(c.Sessions), "session"))
	case slot < 0 && session == "":
		slot = len(c.Sessions) - 1
	case slot < 0:
		for i, s := range c.Sessions {
			if s.Err != nil || !strings.HasPrefix(s.Metadata.SessionID, session) {
				continue
			}
			if slot >= 0 {
				return 0, failf("give more of the ID", "ambiguous session %q in checkpoint %s", session, cp)
			}
			slot = i
		}
		if slot < 0 {
			return 0, failf(fmt.Sprintf("`entire explain -c %s --short` names its sessions", cp), "session %s is not in checkpoint %s", session, cp)
		}
	}
	if slot < 0 {
		return 0, fmt.Errorf("checkpoint %s has no session", cp)
	}
	return slot, c.Sessions[slot].Err
}
