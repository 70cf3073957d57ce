package facts

import (
	"context"

	"entire/agent"
	"entire/internal/cli/sessionlib"
)

// An Entry is a message of a conversation with its number, from 1.
type Entry = sessionlib.NumberedEntry

// A Talk is a part of a conversation.
type Talk struct {
	Entries []Entry
	Total   int // messages of the whole
}

// talkMax bounds the messages that are held at once.
const talkMax = 300

// Talk returns messages of a session: those around the one with that number, or the last ones for 0.
func (s *Source) Talk(ctx context.Context, id string, around int) (Talk, error) {
	return s.TalkNear(ctx, id, around, talkMax)
}

// TalkNear is Talk with at most n messages.
func (s *Source) TalkNear(ctx context.Context, id string, around, n int) (talk Talk, err error) {
	err = s.library(ctx, func(l *sessionlib.Library) error {
		found, err := l.FindByID(ctx, id)
		if err == nil {
			talk.Entries, talk.Total, err = s.reader.Part(ctx, l, found, around, n)
		}
		return err
	})
	for i, e := range talk.Entries {
		if e.Role == agent.RoleTool && !e.IsError {
			talk.Entries[i].Content = "" // only what failed is shown, and a result may be long
		}
	}
	return talk, err
}
