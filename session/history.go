package session

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"entire/agent"
	"entire/id"
	"entire/session/internal/conversation"
	"entire/session/internal/log"
)

// This file reads the logs of conversations that were rewound. A rewind removes nothing from a
// log: it appends a record that says from which line the conversation continues.

// ErrNoRewind is returned if a conversation cannot be rewound to a message.
var ErrNoRewind = errors.New("the conversation cannot be taken back to there")

// An Entry is a message of everything in a session's log.
type Entry struct {
	Message
	// Rewound says that a rewind has taken the message out of the conversation.
	Rewound bool
}

// History streams every message in the log, including those that a rewind has taken out and the
// records of rewinds. It yields damaged lines as Messages does.
func (s *Store) History(ctx context.Context, sessionID string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		list, v, err := s.openView(ctx, sessionID)
		if err != nil {
			yield(Entry{}, fmt.Errorf("read session %.100s: %w", sessionID, err))
			return
		}
		for m, err := range conversation.EachMessage(ctx, list, 0) {
			if err != nil {
				err = fmt.Errorf("read session %s: %w", sessionID, err)
			}
			if !yield(Entry{m.Message, m.Rewind == nil && !v.Contains(m.Part, m.End)}, err) {
				return
			}
		}
	}
}

// openView is openLog for the messages, with the view of the conversation.
func (s *Store) openView(ctx context.Context, sessionID string) ([]log.Part, *conversation.View, error) {
	list, err := s.openLog(ctx, sessionID, log.MessageStream)
	if err != nil {
		return nil, nil, err
	}
	meta, err := conversation.Metadata(ctx, s.queue.Base, sessionID)
	if err != nil {
		return nil, nil, err
	}
	v, err := conversation.MessageView(ctx, list, meta.Rewinds, -1)
	return list, v, err
}

// Rewind records that the conversation continues from after the message to, or from its
// beginning if that is "". A message that an earlier rewind took out is a valid target: it
// restores the conversation in which that message was the last. why is a text for people.
// [Store.Messages] reads the conversation that remains; [Store.History] reads everything. The
// error is ErrNoRewind if there is no such message.
func (s *Store) Rewind(ctx context.Context, sessionID, to, why string) error {
	m, err := s.RewindRecord(to, why)
	if err == nil && to != "" {
		var list []log.Part
		if list, err = s.openLog(ctx, sessionID, log.MessageStream); err == nil {
			if _, err = conversation.EndOfMessage(ctx, list, to); errors.Is(err, ErrNoMessage) {
				err = fmt.Errorf("%w: %w", ErrNoRewind, err)
			}
		}
	}
	if err == nil {
		err = s.AppendBatch(ctx, sessionID, Batch{Messages: []Message{m}})
	}
	if err != nil {
		return fmt.Errorf("rewind session %.100s: %w", sessionID, err)
	}
	return nil
}

// RewindRecord returns the message that Rewind appends.
func (s *Store) RewindRecord(to, why string) (Message, error) {
	name, err := id.Generate()
	if err != nil {
		return Message{}, err
	}
	if why == "" {
		why = "The conversation was taken back."
	}
	return Message{UUID: "rewind-" + name.String(), ParentUUID: to, Timestamp: s.queue.Now().UTC(), Role: agent.RoleSystem, Content: why,
		Injected: true, Rewind: &agent.Rewind{To: to}}, nil
}
