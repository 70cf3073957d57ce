package sessionlib

import (
	"context"
	"errors"
	"slices"
	"strings"

	"entire/session"
)

// Change changes the stored title and tags of a session, and returns the session as it is then. A session that only
// came with commits is copied into the store first. Change calls fn twice, the second time in the background.
func (l *Library) Change(ctx context.Context, name string, fn func(*session.SessionMetadata) error) (ListedSession, error) {
	s, err := l.Find(ctx, name)
	if err != nil {
		return s, err
	}
	if !slices.Contains(s.Sources, InStore) {
		if err := l.Bring(ctx, s); err != nil {
			return s, err
		}
		if s, err = l.Find(ctx, s.ID); err != nil {
			return s, err
		}
	}
	store := l.StoreOf(s.Project)
	before, err := store.Metadata(ctx, s.ID)
	if err != nil {
		return s, err
	}
	if err := fn(&before); err != nil { // refuse before anything is queued
		return s, err
	}
	var refused error
	err = store.UpdateMetadataContext(ctx, s.ID, func(m *session.SessionMetadata) {
		next := *m
		if refused = fn(&next); refused == nil {
			m.Title, m.TitleBy, m.Tags = next.Title, next.TitleBy, next.Tags
		}
	})
	if err == nil {
		err = store.Flush(ctx)
	}
	if err = errors.Join(err, refused); err != nil {
		return s, err
	}
	return l.Find(ctx, s.ID)
}

// Rename gives a session a title of a person's own; without a title, one from its first prompt.
func (l *Library) Rename(ctx context.Context, name, title string) (ListedSession, error) {
	made := ""
	if title = strings.TrimSpace(title); title == "" {
		var err error
		if made, err = l.madeTitle(ctx, name); err != nil {
			return ListedSession{}, err
		}
	}
	return l.Change(ctx, name, func(m *session.SessionMetadata) error { return m.Rename(title, made) })
}

// madeTitle returns the title derived from a session's first prompts.
func (l *Library) madeTitle(ctx context.Context, name string) (string, error) {
	s, err := l.Find(ctx, name)
	if err != nil {
		return "", err
	}
	var m session.SessionMetadata
	for entry, err := range l.Entries(ctx, s, false) {
		if BadLine(err) != nil {
			continue
		}
		if err != nil {
			return "", err
		}
		if entry.IsPrompt() {
			m.SuggestTitle(session.TitleOf(entry.Content))
		}
	}
	return m.Title, nil
}
