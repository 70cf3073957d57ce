package session

// NoOpSessionStore keeps nothing: its methods touch no file, and reading returns nothing. It is
// used when conversations are not to be kept.
type NoOpSessionStore struct{}

// Create implements [SessionStore].
func (NoOpSessionStore) Create(SessionMetadata) error { return nil }

// Load implements [SessionStore]: a session without messages.
func (NoOpSessionStore) Load(sessionID string) (*Session, error) {
	return &Session{Metadata: SessionMetadata{ID: sessionID}}, nil
}

// LoadLatest implements [SessionStore]: a session without ID or messages.
func (NoOpSessionStore) LoadLatest(cwd string) (*Session, error) {
	return &Session{Metadata: SessionMetadata{CWD: cwd}}, nil
}

// Delete implements [SessionStore].
func (NoOpSessionStore) Delete(string) error { return nil }

// List implements [SessionStore].
func (NoOpSessionStore) List() ([]SessionMetadata, error) { return nil, nil }

// Fork implements [SessionStore]: a session without messages.
func (NoOpSessionStore) Fork(sourceID, newID string) (*Session, error) {
	return &Session{Metadata: SessionMetadata{ID: newID, ParentID: sourceID}}, nil
}

// AppendMessage implements [SessionStore].
func (NoOpSessionStore) AppendMessage(string, Message) error { return nil }

// AppendSDKMessage implements [SessionStore].
func (NoOpSessionStore) AppendSDKMessage(string, SDKMessage) error { return nil }

// LoadMessages implements [SessionStore].
func (NoOpSessionStore) LoadMessages(string) ([]Message, error) { return nil, nil }

// LoadMessagesUpTo implements [SessionStore].
func (NoOpSessionStore) LoadMessagesUpTo(_, _ string) ([]Message, error) { return nil, nil }

// UpdateMetadata implements [SessionStore]; fn is not called.
func (NoOpSessionStore) UpdateMetadata(string, func(*SessionMetadata)) error { return nil }

// CreateCheckpoint implements [SessionStore].
func (NoOpSessionStore) CreateCheckpoint(_, _ string, _ []string) error { return nil }

// RewindFiles implements [SessionStore]: no files can be rewound.
func (NoOpSessionStore) RewindFiles(_, _ string, _ bool) (*RewindFilesResult, error) {
	return &RewindFilesResult{Error: "files are not kept"}, nil
}

// Close implements [SessionStore].
func (NoOpSessionStore) Close() error { return nil }
