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

// This file is for an agent that was running while its conversation was taken back,
// and knows nothing of it: it goes on with what it has in memory. What it writes is
// not lost, and the conversation is then what it says that it is.

// talkCut is a transcript that was replaced and that its agent has not been seen to
// read since.
type talkCut struct {
	Size int64  `json:"size"` // of the new one
	Kept string `json:"kept"` // where the old one is
	Was  int64  `json:"was"`  // its size
}

// movedTalk does what moves a transcript, and remembers what was replaced by it.
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

// mendTalk looks whether the agent went on from what was taken back. Then the whole
// is its transcript again, with what it has written since.
func (s *ManualCommitStrategy) mendTalk(o *open) {
	cut := o.side.Cut
	if cut == nil {
		return
	}
	path, kept := o.state.TranscriptPath, textPath(cut.Kept)
	was, err := os.Stat(kept)
	if err != nil {
		o.side.Cut = nil // brought back meanwhile, or gone
		return
	}
	if was.Size() > cut.Was { // it has that file open
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

// wentOn reports whether the agent has written something that follows what was cut
// off. Once it has written anything else it is over.
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
	here, err := hasRecord(path, cut.Size, parent)
	if err != nil || here {
		return false, true, err
	}
	on, err = hasRecord(kept, cut.Was, parent)
	return on, true, err
}

// hasRecord looks for a record in the first bytes of a transcript.
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

// wholeLog is as many bytes as there are.
const wholeLog = 1 << 62

// join puts the whole back, and what was written since after it. What comes while
// it does is added.
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

// linesFrom calls fn with the complete lines of a stretch of a file, until it returns
// io.EOF.
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

// warnOfTurns tells of agents that are at work in this moment.
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
