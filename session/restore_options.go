package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"entire/session/internal/conversation"
)

// RestoreOptions name the session to continue, and say how.
type RestoreOptions struct {
	Continue bool   // continue the last session of CWD, unless Resume names one
	Resume   string // the ID of the session to resume
	ResumeAt string // the UUID of the last message to restore; "" for all
	Fork     bool   // continue in a new session, NewID
	NewID    string // the ID of a fork, which is then made even without Fork
	CWD      string
}

// Restore loads the session that the options name, or forks it and loads the fork. It does not
// change the metadata of either.
func Restore(ctx context.Context, store SessionStore, o RestoreOptions) (*Session, error) {
	source := o.Resume
	switch {
	case o.Fork && o.NewID == "":
		return nil, errors.New("restore session: a fork needs an ID")
	case source == "" && !o.Continue:
		return nil, errors.New("restore session: neither one to resume nor the last one to continue is asked for")
	case source == "":
		latest, err := store.LoadLatest(o.CWD)
		if err != nil {
			return nil, fmt.Errorf("restore session: %w", err)
		}
		source = latest.Metadata.ID
		if o.NewID == "" && o.ResumeAt == "" {
			return latest, nil
		}
	}
	if o.NewID != "" {
		return forkAny(ctx, store, source, o.NewID, o.ResumeAt)
	}
	return resumeAny(ctx, store, source, o.ResumeAt)
}

// forkAny forks in any store; a store that cannot share copies the messages.
func forkAny(ctx context.Context, store SessionStore, source, newID, at string) (*Session, error) {
	if s, ok := store.(*Store); ok {
		return s.ForkAt(ctx, source, newID, at)
	}
	if at == "" {
		return store.Fork(source, newID)
	}
	loaded, err := resumeAny(ctx, store, source, at)
	if err != nil {
		return nil, err
	}
	meta := loaded.Metadata
	meta.ID, meta.ParentID, meta.ForkPoint = newID, source, at
	meta.CreatedAt, meta.UpdatedAt, meta.EndedAt, meta.ExitReason = time.Time{}, time.Time{}, nil, ""
	meta.TurnCount, meta.TotalTokens, meta.Usage, meta.TotalCostUSD = prompts(loaded.Messages), 0, nil, 0
	if err := store.Create(meta); err != nil {
		return nil, err
	}
	for _, m := range loaded.Messages {
		if err := store.AppendMessage(newID, m); err != nil {
			return nil, err
		}
	}
	return store.Load(newID)
}

func prompts(list []Message) int {
	var t conversation.Tally
	for i := range list {
		t.Add(&list[i])
	}
	return t.Prompts
}

func resumeAny(ctx context.Context, store SessionStore, source, at string) (*Session, error) {
	if s, ok := store.(*Store); ok {
		return s.ResumeContext(ctx, source, at)
	}
	loaded, err := store.Load(source)
	if err != nil || at == "" {
		return loaded, err
	}
	all := len(loaded.Messages)
	if loaded.Messages, err = store.LoadMessagesUpTo(source, at); err != nil {
		return nil, err
	}
	loaded.saved, loaded.hasLaterMessages = len(loaded.Messages), len(loaded.Messages) < all
	return loaded, nil
}
