package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// ErrGoesOn is returned where something is to be added to a session that was
// resumed at a message which is not its last. Fork it there.
var ErrGoesOn = errors.New("the session goes on after the message it was resumed at")

// LoadContext is [Store.Load] with a context.
func (s *Store) LoadContext(ctx context.Context, sessionID string) (*Session, error) {
	return s.ResumeContext(ctx, sessionID, "")
}

// Resume loads a session, up to and including the message resumeAt if that is
// not "". What is resumed before its last message can be read and forked, not
// gone on with: see ErrGoesOn.
func (s *Store) Resume(sessionID, resumeAt string) (*Session, error) {
	return s.ResumeContext(withoutContext(), sessionID, resumeAt)
}

// ResumeContext is Resume with a context.
func (s *Store) ResumeContext(ctx context.Context, sessionID, resumeAt string) (*Session, error) {
	in := s.Messages(ctx, sessionID)
	if resumeAt != "" {
		in = s.MessagesUpTo(ctx, sessionID, resumeAt)
	}
	list, bad, err := collect(in)
	if err != nil {
		return nil, err
	}
	meta, err := s.Metadata(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	out := &Session{Metadata: meta, Messages: list, BadLines: bad, store: s, saved: len(list)}
	out.goesOn = resumeAt != "" && len(list) < meta.MessageCount
	return out, nil
}

// LoadLatestContext is [Store.LoadLatest] with a context.
func (s *Store) LoadLatestContext(ctx context.Context, cwd string) (*Session, error) {
	all, err := s.ListContext(ctx)
	if err != nil {
		return nil, err
	}
	for _, meta := range all {
		if filepath.Clean(meta.CWD) == filepath.Clean(cwd) {
			return s.LoadContext(ctx, meta.ID)
		}
	}
	return nil, fmt.Errorf("no session in %s: %w", cwd, ErrNotFound)
}

// Save stores the messages that were added to s, and its metadata. Messages that
// are stored already do not change, nor do the counts, which are the store's.
func (s *Session) Save() error {
	if s.store == nil {
		return nil
	}
	if s.goesOn {
		return fmt.Errorf("save session %s: %w", s.Metadata.ID, ErrGoesOn)
	}
	for s.saved < len(s.Messages) {
		if err := s.store.AppendMessage(s.Metadata.ID, s.Messages[s.saved]); err != nil {
			return err
		}
		s.saved++
	}
	mine := s.Metadata
	if err := s.store.UpdateMetadata(mine.ID, func(meta *SessionMetadata) { overwrite(meta, mine) }); err != nil {
		return err
	}
	return s.flushed()
}

// overwrite takes what whoever holds a session knows better than the store.
func overwrite(meta *SessionMetadata, mine SessionMetadata) {
	counted := *meta
	*meta = mine
	meta.UpdatedAt = counted.UpdatedAt
	if mine.UpdatedAt.After(counted.UpdatedAt) {
		meta.UpdatedAt = mine.UpdatedAt
	}
	if mine.TotalTokens < counted.TotalTokens {
		meta.TotalTokens, meta.Usage = counted.TotalTokens, counted.Usage
	}
	if mine.Title == "" {
		meta.Title = counted.Title
	}
	if mine.Model == "" {
		meta.Model = counted.Model
	}
}

// AppendAndSave adds a message to s and stores it. On error s is as it was.
func (s *Session) AppendAndSave(msg Message) error {
	if s.goesOn {
		return fmt.Errorf("append to session %s: %w", s.Metadata.ID, ErrGoesOn)
	}
	if s.store == nil {
		s.Messages = append(s.Messages, msg)
		return nil
	}
	if err := s.store.AppendMessage(s.Metadata.ID, msg); err != nil {
		return err
	}
	s.Messages = append(s.Messages, msg)
	s.saved = len(s.Messages)
	return s.flushed()
}

// flushed waits until a session is stored and learns what the store counted.
func (s *Session) flushed() error {
	store, ok := s.store.(*Store)
	if !ok {
		return nil
	}
	ctx := withoutContext()
	if err := store.Flush(ctx); err != nil {
		return err
	}
	meta, err := store.Metadata(ctx, s.Metadata.ID)
	if err == nil {
		s.Metadata = meta
	}
	return err
}
