package session

import "errors"

// CreateCheckpoint implements [SessionStore].
func (s *Store) CreateCheckpoint(sessionID, checkpointID string, files []string) error {
	return errors.New("files are not kept yet")
}

// RewindFiles implements [SessionStore].
func (s *Store) RewindFiles(sessionID, checkpointID string, dryRun bool) (*RewindFilesResult, error) {
	return nil, errors.New("files are not kept yet")
}
