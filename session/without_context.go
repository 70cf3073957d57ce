package session

import (
	"entire/session/internal/layout"
)

// Create implements [SessionStore].
func (s *Store) Create(meta SessionMetadata) error {
	return s.CreateContext(layout.WithoutContext(), meta)
}

// Load implements [SessionStore].
func (s *Store) Load(sessionID string) (*Session, error) {
	return s.LoadContext(layout.WithoutContext(), sessionID)
}

// LoadLatest implements [SessionStore].
func (s *Store) LoadLatest(cwd string) (*Session, error) {
	return s.LoadLatestContext(layout.WithoutContext(), cwd)
}

// Delete implements [SessionStore].
func (s *Store) Delete(sessionID string) error {
	return s.DeleteContext(layout.WithoutContext(), sessionID)
}

// List implements [SessionStore].
func (s *Store) List() ([]SessionMetadata, error) { return s.ListContext(layout.WithoutContext()) }

// Fork implements [SessionStore].
func (s *Store) Fork(sourceID, newID string) (*Session, error) {
	return s.ForkContext(layout.WithoutContext(), sourceID, newID)
}

// AppendMessage implements [SessionStore].
func (s *Store) AppendMessage(sessionID string, msg Message) error {
	return s.AppendMessageContext(layout.WithoutContext(), sessionID, msg)
}

// AppendSDKMessage implements [SessionStore].
func (s *Store) AppendSDKMessage(sessionID string, msg SDKMessage) error {
	return s.AppendSDKMessageContext(layout.WithoutContext(), sessionID, msg)
}

// LoadMessages implements [SessionStore]. It skips damaged lines; Load and Messages report
// them.
func (s *Store) LoadMessages(sessionID string) ([]Message, error) {
	return s.LoadMessagesContext(layout.WithoutContext(), sessionID)
}

// LoadMessagesUpTo implements [SessionStore]; see MessagesUpTo. It skips damaged lines.
func (s *Store) LoadMessagesUpTo(sessionID, messageUUID string) ([]Message, error) {
	return s.LoadMessagesUpToContext(layout.WithoutContext(), sessionID, messageUUID)
}

// UpdateMetadata implements [SessionStore]. Changes that fn makes to the ID, the number of
// messages or the last message are ignored, because the store sets those.
func (s *Store) UpdateMetadata(sessionID string, fn func(*SessionMetadata)) error {
	return s.UpdateMetadataContext(layout.WithoutContext(), sessionID, fn)
}
