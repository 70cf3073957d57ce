package sessionlib

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"entire/agent"
	"entire/session"
)

// A NumberedEntry is a message of a conversation with its number, from 1.
type NumberedEntry struct {
	SaidEntry
	Number int
}

// A PartReader reads parts of conversations. It remembers the places of the log that it read last, so that only the
// messages of the next part are decoded. Several goroutines may use it.
type PartReader struct {
	mu     sync.Mutex
	of     string
	places Places
}

// Part returns at most n messages of a session, those that rewinds removed among them: around the one with that number,
// or the last ones for 0. It returns the number of all messages, too.
func (r *PartReader) Part(ctx context.Context, l *Library, of ListedSession, around, n int) (part []NumberedEntry, total int, err error) {
	store, ok := l.Source(ctx, of).(*session.Store)
	if !ok {
		return walkedPart(ctx, l, of, around, n)
	}
	places, err := r.follow(ctx, store, of)
	if errors.Is(err, session.ErrNotFound) {
		return nil, 0, NotKept(of)
	}
	if err != nil {
		return nil, 0, err
	}
	from := max(places.Total-n, 0) + 1
	if around > 0 {
		from = max(min(from, around-n/2), 1)
	}
	for line, err := range places.From(ctx, store, of.ID, from) {
		if err != nil {
			return nil, 0, err
		}
		if len(part) == n {
			break
		}
		e := NumberedEntry{Number: line.Number}
		if json.Unmarshal(line.Data, &e.Message) != nil {
			e.Message = session.Message{Role: agent.RoleSystem, Content: "(this message is damaged)"}
		}
		e.Rewound = line.Rewound
		part = append(part, e)
	}
	return part, places.Total, nil
}

// follow returns the places of a session's log, brought up to date.
func (r *PartReader) follow(ctx context.Context, store *session.Store, of ListedSession) (Places, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if key := of.Project + " " + of.ID; key != r.of {
		r.of, r.places = key, Places{}
	}
	stale, err := r.places.Stale(ctx, store, of.ID)
	if err != nil {
		return Places{}, err
	}
	next := r.places
	if stale {
		next = Places{}
	}
	if err := next.Follow(ctx, store, of.ID, func(NumberedLine) {}); err != nil {
		return Places{}, err
	}
	r.places = next
	return next, nil
}

// walkedPart reads a part of a conversation that the store does not have, from its beginning.
func walkedPart(ctx context.Context, l *Library, of ListedSession, around, n int) (part []NumberedEntry, total int, err error) {
	err = l.EachEntry(ctx, of, true, func(m SaidEntry) error {
		if total++; total%placeEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if around > 0 && total > max(around+n/2, n) {
			return nil
		}
		if part = append(part, NumberedEntry{m, total}); len(part) >= 2*n {
			part = append(part[:0], part[len(part)-n:]...)
		}
		return nil
	})
	return part[max(len(part)-n, 0):], total, err
}
