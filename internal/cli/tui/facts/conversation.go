package facts

import (
	"context"

	"entire/agent"
	"entire/internal/cli/sessionlib"
)

// An Entry is a message of a conversation with its number, from 1.
type Entry = sessionlib.NumberedEntry

// A Conversation is a part of a conversation.
type Conversation struct {
	Entries []Entry
	Total   int // messages of the whole
}

// conversationMax bounds the messages that are held at once.
const conversationMax = 300

// Conversation returns messages of a session: those around the one with that number, or the last ones for 0.
func (s *Source) Conversation(ctx context.Context, id string, around int) (Conversation, error) {
	return s.ConversationNear(ctx, id, around, conversationMax)
}

// ConversationNear is Conversation with at most n messages.
func (s *Source) ConversationNear(ctx context.Context, id string, around, n int) (conversation Conversation, err error) {
	err = s.library(ctx, func(l *sessionlib.Library) error {
		found, err := l.FindByID(ctx, id)
		if err == nil {
			conversation.Entries, conversation.Total, err = s.reader.Part(ctx, l, found, around, n)
		}
		return err
	})
	for i, e := range conversation.Entries {
		if e.Role == agent.RoleTool && !e.IsError {
			conversation.Entries[i].Content = "" // only what failed is shown, and a result may be long
		}
	}
	return conversation, err
}
