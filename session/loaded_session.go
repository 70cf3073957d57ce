package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"entire/session/internal/layout"
	"entire/session/internal/queue"
)

// ErrNotAtEnd is returned for an addition to a session that was resumed at a message before its
// last. Fork the session there instead.
var ErrNotAtEnd = errors.New("the session goes on after the message it was resumed at")

// LoadContext is [Store.Load] with a context.
func (s *Store) LoadContext(ctx context.Context, sessionID string) (*Session, error) {
	return s.ResumeContext(ctx, sessionID, "")
}

// Resume loads a session up to and including the message resumeAt, or all of it if that is "".
// A session resumed before its last message can be read and forked, but not added to: see
// ErrNotAtEnd.
func (s *Store) Resume(sessionID, resumeAt string) (*Session, error) {
	return s.ResumeContext(layout.WithoutContext(), sessionID, resumeAt)
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
	out.hasLaterMessages = resumeAt != "" && (len(list) < meta.MessageCount || meta.Rewinds > 0 && lastUUID(list) != meta.LastMessage)
	return out, nil
}

func lastUUID(list []Message) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1].UUID
}

// LoadLatestContext is [Store.LoadLatest] with a context.
func (s *Store) LoadLatestContext(ctx context.Context, cwd string) (*Session, error) {
	all, err := s.ListContext(ctx)
	if err != nil {
		return nil, err
	}
	inCWD := sameFolder(cwd)
	for _, meta := range all {
		if inCWD(meta.CWD) {
			return s.LoadContext(ctx, meta.ID)
		}
	}
	return nil, fmt.Errorf("no session in %s: %w", cwd, ErrNotFound)
}

// sameFolder returns a function that reports whether a name is one of the names of dir, which
// may have several: through links, or in different case.
func sameFolder(dir string) func(string) bool {
	clean := filepath.Clean(dir)
	stat, err := os.Stat(dir)
	known := map[string]bool{}
	return func(name string) bool {
		if filepath.Clean(name) == clean {
			return true
		}
		if err != nil || !filepath.IsAbs(name) {
			return false
		}
		same, looked := known[name]
		if !looked {
			other, err := os.Stat(name)
			same = err == nil && os.SameFile(stat, other)
			known[name] = same
		}
		return same
	}
}

// Save stores the messages that were added to s, and its metadata. It changes neither stored
// messages nor the counts, which the store makes.
func (s *Session) Save() error {
	if s.store == nil {
		return nil
	}
	if s.hasLaterMessages {
		return fmt.Errorf("save session %s: %w", s.Metadata.ID, ErrNotAtEnd)
	}
	earlier, err := s.appendNew()
	if err != nil {
		return err
	}
	mine := s.Metadata
	err = s.store.UpdateMetadata(mine.ID, func(meta *SessionMetadata) { mergeMetadata(meta, mine) })
	if err != nil && !errors.Is(err, ErrAccepted) {
		return err
	}
	return s.flushAndReload(queue.Combine(earlier, err))
}

// appendNew appends the messages that were added to s. The error is that of a message which the
// store refused; earlier is the error of an earlier write.
func (s *Session) appendNew() (earlier, _ error) {
	for s.saved < len(s.Messages) {
		err := s.store.AppendMessage(s.Metadata.ID, s.Messages[s.saved])
		if err != nil && !errors.Is(err, ErrAccepted) {
			return nil, err
		}
		s.saved++
		earlier = queue.Combine(earlier, err)
	}
	return earlier, nil
}

// mergeMetadata copies from mine the fields that the holder of a session knows better than the
// store.
func mergeMetadata(meta *SessionMetadata, mine SessionMetadata) {
	counted := *meta
	*meta = mine
	meta.UpdatedAt = counted.UpdatedAt
	if mine.UpdatedAt.After(counted.UpdatedAt) {
		meta.UpdatedAt = mine.UpdatedAt
	}
	if mine.TotalTokens < counted.TotalTokens {
		meta.TotalTokens, meta.Usage = counted.TotalTokens, counted.Usage
	}
	if mine.Title == "" || counted.TitleBy == TitledByUser && mine.TitleBy != TitledByUser {
		meta.Title, meta.TitleBy = counted.Title, counted.TitleBy
	}
	if mine.Tags == nil {
		meta.Tags = counted.Tags
	}
	if mine.Branches == nil {
		meta.Branches = counted.Branches
	}
	meta.Touched = counted.Touched
	if mine.Model == "" {
		meta.Model = counted.Model
	}
}

// AppendAndSave adds a message to s and stores it, after those that were only added. On error s
// is unchanged, unless the error is ErrAccepted: then s has the message, and the store will
// have it.
func (s *Session) AppendAndSave(msg Message) error {
	if s.hasLaterMessages {
		return fmt.Errorf("append to session %s: %w", s.Metadata.ID, ErrNotAtEnd)
	}
	if s.store == nil {
		s.Messages = append(s.Messages, msg)
		return nil
	}
	s.Messages = append(s.Messages, msg)
	earlier, err := s.appendNew()
	if err != nil {
		s.Messages = s.Messages[:len(s.Messages)-1]
		return err
	}
	return s.flushAndReload(earlier)
}

// flushAndReload waits until a session is stored and loads its metadata again. The result includes the
// error earlier.
func (s *Session) flushAndReload(earlier error) error {
	store, ok := s.store.(*Store)
	if !ok {
		return earlier
	}
	ctx := layout.WithoutContext()
	err := store.Flush(ctx)
	if err == nil {
		var meta SessionMetadata
		if meta, err = store.Metadata(ctx, s.Metadata.ID); err == nil {
			s.Metadata = meta
		}
	}
	return queue.Accepted(queue.Combine(earlier, err))
}
