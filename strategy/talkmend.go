package strategy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/id"
	"entire/internal/durable"
	"entire/session"
)

// This file handles an agent that was running while a rewind cut its conversation. The agent
// continues with the conversation in its memory; its new lines are joined to the whole one.

// talkCut describes a replaced transcript while the agent has not yet shown whether it has read
// the new one.
type talkCut struct {
	Size int64  `json:"size"` // of the new transcript
	Kept string `json:"kept"` // path of the replaced one
	Was  int64  `json:"was"`  // size of the replaced one
}

// movedTalk calls move, which replaces a transcript, and records the replaced file in the
// session.
func (s *ManualCommitStrategy) movedTalk(ctx context.Context, o *open, move func() error) error {
	path := o.state.TranscriptPath
	before, _ := os.Stat(path)
	if err := move(); err != nil {
		return err
	}
	o.side.Cut = nil
	after, err := os.Stat(path)
	if before == nil || err != nil || os.SameFile(before, after) {
		return nil
	}
	names, err := withKept(path)
	if err != nil {
		return err
	}
	for _, name := range names[1:] {
		if fi, err := os.Stat(name); err == nil && os.SameFile(before, fi) {
			o.side.Cut = &talkCut{Size: after.Size(), Kept: pathText(name), Was: fi.Size()}
		}
	}
	if s.TalkMoved != nil {
		s.TalkMoved(ctx, o.id, o.state.AgentType, path)
	}
	return nil
}

// mendTalk restores the whole transcript, with the agent's new lines, if the agent has continued
// the part that was cut off.
func (s *ManualCommitStrategy) mendTalk(o *open) {
	cut := o.side.Cut
	if cut == nil {
		return
	}
	path, kept := o.state.TranscriptPath, textPath(cut.Kept)
	was, err := os.Stat(kept)
	if err != nil {
		o.side.Cut = nil // restored meanwhile, or deleted
		return
	}
	if was.Size() > cut.Was { // the agent has the replaced file open
		err = putBack(path, kept)
	} else {
		var on, over bool
		if on, over, err = cut.wentOn(path, kept); err == nil && !on {
			if over {
				o.side.Cut = nil
			}
			return
		}
		if err == nil {
			err = cut.join(path, kept)
		}
	}
	if err != nil {
		s.Log.Warn("what the agent wrote after a rewind is not joined to what it had", "session_id", o.id.String(), "err", err)
		return
	}
	o.side.Cut = nil
	s.Log.Info("the agent went on from before the rewind: its conversation is whole again", "session_id", o.id.String())
}

// wentOn reports whether the agent has written a line that follows the part that was cut off.
// over is true if it has written any other message, so that the question is decided.
func (cut *talkCut) wentOn(path, kept string) (on, over bool, err error) {
	parent := ""
	err = linesFrom(path, cut.Size, wholeLog, func(line []byte) error {
		p := gjson.GetBytes(line, "parentUuid")
		if p.Type == gjson.String {
			parent = p.Str
			return io.EOF
		}
		over = over || gjson.GetBytes(line, "role").Exists() || gjson.GetBytes(line, "id").Exists()
		return nil
	})
	if parent == "" || err != nil {
		return false, over, err
	}
	inNew, err := hasRecord(path, cut.Size, parent)
	if err != nil || inNew {
		return false, true, err
	}
	on, err = hasRecord(kept, cut.Was, parent)
	return on, true, err
}

// hasRecord reports whether the first size bytes of a transcript have a record with this UUID.
func hasRecord(path string, size int64, uuid string) (found bool, err error) {
	err = linesFrom(path, 0, size, func(line []byte) error {
		if bytes.Contains(line, []byte(uuid)) && gjson.GetBytes(line, "uuid").Str == uuid {
			found = true
			return io.EOF
		}
		return nil
	})
	return found, err
}

// wholeLog is more than the size of any file.
const wholeLog = 1 << 62

// join replaces the transcript by the whole one followed by the lines written since, including
// those written while join runs.
func (cut *talkCut) join(path, kept string) error {
	live, err := durable.Open(path)
	if err != nil {
		return err
	}
	defer live.Close()
	whole, err := durable.Open(kept)
	if err != nil {
		return err
	}
	defer whole.Close()
	if _, err := live.Seek(cut.Size, io.SeekStart); err != nil {
		return err
	}
	if err := replaceTalk(path, io.MultiReader(io.LimitReader(whole, cut.Was), live)); err != nil {
		return err
	}
	late, err := io.ReadAll(live)
	if err != nil || len(late) == 0 {
		return err
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = out.Write(late)
	return errors.Join(err, out.Close())
}

// linesFrom calls fn with each complete line of a part of a file, until fn returns io.EOF.
func linesFrom(path string, from, size int64, fn func([]byte) error) error {
	f, err := durable.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = agent.Lines(io.NewSectionReader(f, from, size), fn)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}

// warnOfTurns adds a warning for each session of this worktree with an open turn.
func (s *ManualCommitStrategy) warnOfTurns(ctx context.Context, plan *RewindPlan) error {
	sums, err := s.store.Summaries(ctx)
	if err != nil {
		return err
	}
	for _, sum := range sums {
		if sum.Phase != session.PhaseActive || !s.mine(sum.WorktreePath, sum.WorktreeID) {
			continue
		}
		plan.Warnings = append(plan.Warnings, turnWarning(sum.ID, sum.ID == plan.sid && !plan.Scope.SkipTalk))
	}
	return nil
}

func turnWarning(sid id.SessionID, its bool) string {
	text := fmt.Sprintf("session %s is in the middle of a turn; its agent may go on changing files", sid)
	if its {
		text += ", and goes on with the conversation that it has in memory until it is started again"
	}
	return text
}
