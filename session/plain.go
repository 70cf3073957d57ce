package session

import "context"

// withoutContext is the context of the documented methods that take none.
func withoutContext() context.Context { return context.Background() }

// Create implements [SessionStore].
func (s *Store) Create(meta SessionMetadata) error { return s.CreateContext(withoutContext(), meta) }

// Load implements [SessionStore].
func (s *Store) Load(sessionID string) (*Session, error) {
	return s.LoadContext(withoutContext(), sessionID)
}

// LoadLatest implements [SessionStore].
func (s *Store) LoadLatest(cwd string) (*Session, error) {
	return s.LoadLatestContext(withoutContext(), cwd)
}

// Delete implements [SessionStore].
func (s *Store) Delete(sessionID string) error { return s.DeleteContext(withoutContext(), sessionID) }

// List implements [SessionStore].
func (s *Store) List() ([]SessionMetadata, error) { return s.ListContext(withoutContext()) }

// Fork implements [SessionStore].
func (s *Store) Fork(sourceID, newID string) (*Session, error) {
	return s.ForkContext(withoutContext(), sourceID, newID)
}

// AppendMessage implements [SessionStore].
func (s *Store) AppendMessage(sessionID string, msg Message) error {
	return s.AppendMessageContext(withoutContext(), sessionID, msg)
}

// AppendSDKMessage implements [SessionStore].
func (s *Store) AppendSDKMessage(sessionID string, msg SDKMessage) error {
	return s.AppendSDKMessageContext(withoutContext(), sessionID, msg)
}

// LoadMessages implements [SessionStore]. It skips damaged lines; Load and Messages report
// them.
func (s *Store) LoadMessages(sessionID string) ([]Message, error) {
	return s.LoadMessagesContext(withoutContext(), sessionID)
}

// LoadMessagesUpTo implements [SessionStore]; see MessagesUpTo. It skips damaged lines.
func (s *Store) LoadMessagesUpTo(sessionID, messageUUID string) ([]Message, error) {
	return s.LoadMessagesUpToContext(withoutContext(), sessionID, messageUUID)
}

// UpdateMetadata implements [SessionStore]. Changes that fn makes to the ID, the number of
// messages or the last message are ignored, because the store sets those.
func (s *Store) UpdateMetadata(sessionID string, fn func(*SessionMetadata)) error {
	return s.UpdateMetadataContext(withoutContext(), sessionID, fn)
}
