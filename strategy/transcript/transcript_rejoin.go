package transcript

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
	"entire/strategy/sessionstate"
)

// MoveTranscript calls move, which replaces a transcript, and records the replaced file in the
// session.
func MoveTranscript(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, move func() error) error {
	path := o.State.TranscriptPath
	before, _ := os.Stat(path)
	if err := move(); err != nil {
		return err
	}
	o.Engine.TranscriptCut = nil
	after, err := os.Stat(path)
	if before == nil || err != nil || os.SameFile(before, after) {
		return nil
	}
	names, err := TranscriptAndKept(path)
	if err != nil {
		return err
	}
	for _, name := range names[1:] {
		if fi, err := os.Stat(name); err == nil && os.SameFile(before, fi) {
			o.Engine.TranscriptCut = &sessionstate.TranscriptCut{Size: after.Size(), Kept: sessionstate.EncodePath(name), KeptSize: fi.Size()}
		}
	}
	if s.TranscriptMoved != nil {
		s.TranscriptMoved(ctx, o.ID, o.State.AgentType, path)
	}
	return nil
}

// RejoinTranscript restores the whole transcript, with the agent's new lines, if the agent has continued
// the part that was cut off.
func RejoinTranscript(s *sessionstate.Env, o *sessionstate.LockedSession) {
	cut := o.Engine.TranscriptCut
	if cut == nil {
		return
	}
	path, kept := o.State.TranscriptPath, sessionstate.DecodePath(cut.Kept)
	was, err := os.Stat(kept)
	if err != nil {
		o.Engine.TranscriptCut = nil // restored meanwhile, or deleted
		return
	}
	if was.Size() > cut.KeptSize { // the agent has the replaced file open
		err = restoreKept(path, kept)
	} else {
		var on, over bool
		if on, over, err = continued(cut, path, kept); err == nil && !on {
			if over {
				o.Engine.TranscriptCut = nil
			}
			return
		}
		if err == nil {
			err = join(cut, path, kept)
		}
	}
	if err != nil {
		s.Log.Warn("what the agent wrote after a rewind is not joined to what it had", "session_id", o.ID.String(), "err", err)
		return
	}
	o.Engine.TranscriptCut = nil
	s.Log.Info("the agent went on from before the rewind: its conversation is whole again", "session_id", o.ID.String())
}

// continued reports whether the agent has written a line that follows the part that was cut off.
// over is true if it has written any other message, so that the question is decided.
func continued(cut *sessionstate.TranscriptCut, path, kept string) (on, over bool, err error) {
	parent := ""
	err = linesFrom(path, cut.Size, wholeFile, func(line []byte) error {
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
	on, err = hasRecord(kept, cut.KeptSize, parent)
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

// wholeFile is more than the size of any file.
const wholeFile = 1 << 62

// join replaces the transcript by the whole one followed by the lines written since, including
// those written while join runs.
func join(cut *sessionstate.TranscriptCut, path, kept string) error {
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
	if err := replaceTranscript(path, io.MultiReader(io.LimitReader(whole, cut.KeptSize), live)); err != nil {
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

// ActiveSessionWarning says what may still happen to the files while a turn runs; its is true if the
// conversation is rewound, too.
func ActiveSessionWarning(sid id.SessionID, its bool) string {
	text := fmt.Sprintf("session %s is in the middle of a turn; its agent may go on changing files", sid)
	if its {
		text += ", and goes on with the conversation that it has in memory until it is started again"
	}
	return text
}
