package strategy

import (
	"bytes"
	"context"
	"fmt"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/redact"
)

// talkBack cuts the transcripts of a checkpoint's sessions to where they ended in the checkpoint,
// using the agent's own bytes. A copy of each whole transcript is kept next to it. It returns
// warnings for the person.
func (s *ManualCommitStrategy) talkBack(ctx context.Context, p RewindPoint) ([]string, error) {
	records := checkpoint.NewRecords(s.repo)
	rec, err := records.Read(ctx, p.CheckpointID)
	if err != nil {
		return nil, err
	}
	var warnings []string
	for i, sess := range rec.Sessions {
		sid, err := id.ParseSessionID(sess.Metadata.SessionID)
		if err != nil {
			continue
		}
		content, err := records.Session(ctx, p.CheckpointID, i)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("the conversation of session %s was not taken back: %v", sid.Short(), err))
			continue
		}
		if _, err := s.store.Load(ctx, sid); err != nil {
			continue // the session is from another machine
		}
		err = s.inSession(ctx, sid, func(o *open) error { return s.talkBackTo(o, content.Transcript) })
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("the conversation of session %s was not taken back: %v", sid.Short(), err))
		}
	}
	return warnings, nil
}

// talkBackTo cuts one session's transcript to the part that stored has, and updates the session's
// state.
func (s *ManualCommitStrategy) talkBackTo(o *open, stored []byte) error {
	cut := cutLines
	if o.state.AgentType == agent.AgentTypeGemini && agent.IsDocument(stored) {
		cut = cutMessages
	}
	if err := cut(o.state.TranscriptPath, stored); err != nil {
		return err
	}
	conversation := agent.Read(o.state.AgentType, stored)
	o.side.Capture.becomes(capture{})
	o.side.Capture.heard(conversation)
	o.side.Condensed, o.side.Turn = conversation.Mark(), turnMark{}
	o.state.CheckpointTranscriptStart, o.state.TurnCheckpointIDs = conversation.Items(), nil
	return nil
}

// cutLines cuts a transcript made of lines.
func cutLines(path string, stored []byte) error {
	live, err := durable.Read(path, agent.MaxTranscript)
	if err != nil {
		return err
	}
	head, ok := beginning(live, bytes.Count(stored, []byte("\n")))
	if !ok || !bytes.Equal(redact.Lines(head), redact.Lines(stored)) {
		return fmt.Errorf("%s does not begin with what is stored", path)
	}
	return cutTo(path, path, int64(len(head)))
}

// cutMessages cuts a transcript that is one JSON document.
func cutMessages(path string, stored []byte) error {
	ids, ok := agent.MessageIDs(stored)
	if !ok {
		return fmt.Errorf("%s does not begin with what is stored", path)
	}
	text, err := documentWith(path, checkpoint.TranscriptPosition{Offset: -1}, ids)
	if err != nil {
		return err
	}
	return replaceKept(path, text)
}

// beginning returns the first n lines of text, false if there are fewer.
func beginning(text []byte, n int) ([]byte, bool) {
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
