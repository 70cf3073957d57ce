package autocommit

import (
	"bytes"
	"context"
	"fmt"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/redact"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
)

// RewindTranscripts cuts the transcripts of a checkpoint's sessions to where they ended in the checkpoint,
// using the agent's own bytes. A copy of each whole transcript is kept next to it. It returns
// warnings for the person.
func RewindTranscripts(ctx context.Context, s *sessionstate.Env, p step.RewindPoint) ([]string, error) {
	reader := records.NewReader(s.Repo)
	rec, err := reader.Read(ctx, p.CheckpointID)
	if err != nil {
		return nil, err
	}
	var warnings []string
	for i, sess := range rec.Sessions {
		sid, err := id.ParseSessionID(sess.Metadata.SessionID)
		if err != nil {
			continue
		}
		content, err := reader.Session(ctx, p.CheckpointID, i)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("the conversation of session %s was not taken back: %v", sid.Short(), err))
			continue
		}
		if _, err := s.Store.Load(ctx, sid); err != nil {
			continue // the session is from another machine
		}
		err = s.UpdateSession(ctx, sid, func(o *sessionstate.LockedSession) error { return rewindTranscript(o, content.Transcript) })
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("the conversation of session %s was not taken back: %v", sid.Short(), err))
		}
	}
	return warnings, nil
}

// rewindTranscript cuts one session's transcript to the part that stored has, and updates the session's
// state.
func rewindTranscript(o *sessionstate.LockedSession, stored []byte) error {
	cut := cutLines
	if agents.IsDocument(o.State.AgentType, stored) {
		cut = cutMessages
	}
	if err := cut(o.State.TranscriptPath, stored); err != nil {
		return err
	}
	conversation := conversation.Read(o.State.AgentType, stored)
	transcript.ReplaceWith(&o.Engine.Capture, sessionstate.TranscriptState{})
	transcript.SkipRead(&o.Engine.Capture.ActivityLog, conversation)
	o.Engine.CondensedMark, o.Engine.TurnStart = conversation.Mark(), sessionstate.TurnStart{}
	o.State.CheckpointTranscriptStart, o.State.TurnCheckpointIDs = conversation.Items(), nil
	return nil
}

// cutLines cuts a transcript made of lines.
func cutLines(path string, stored []byte) error {
	live, err := durable.Read(path, agent.MaxTranscript)
	if err != nil {
		return err
	}
	head, ok := firstLines(live, bytes.Count(stored, []byte("\n")))
	if !ok || !bytes.Equal(redact.Lines(head), redact.Lines(stored)) {
		return fmt.Errorf("%s does not begin with what is stored", path)
	}
	return transcript.ReplaceWithPrefix(path, path, int64(len(head)))
}

// cutMessages cuts a transcript that is one JSON document.
func cutMessages(path string, stored []byte) error {
	ids, ok := document.MessageIDs(stored)
	if !ok {
		return fmt.Errorf("%s does not begin with what is stored", path)
	}
	text, err := transcript.FindDocument(path, shadow.TranscriptPosition{Offset: -1}, ids)
	if err != nil {
		return err
	}
	return transcript.ReplaceIfDifferent(path, text)
}

// firstLines returns the first n lines of text, false if there are fewer.
func firstLines(text []byte, n int) ([]byte, bool) {
	at := 0
	for ; n > 0; n-- {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return nil, false
		}
		at += i + 1
	}
	return text[:at], true
}
