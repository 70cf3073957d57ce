package intake

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"entire/agent"
	"entire/internal/project"
	"entire/session"
)

// Stores are the session stores of all projects of a user.
type Stores struct {
	Data string // the data directory
	Now  func() time.Time
	// Sessions has each stored session, with the project's key; Folders the project's key for each folder in
	// which a stored session was held; Deleted each session in a trash.
	Sessions map[string]Stored
	Folders  map[string]string
	Deleted  map[string]bool
	// Unread are the projects whose stores could not be read.
	Unread []error
	open   map[string]*session.Store
}

// A Stored is a session in a store.
type Stored struct {
	Project  string
	Agent    agent.AgentType
	Updated  time.Time
	Messages int
}

func storedAs(key string, m session.SessionMetadata) Stored {
	return Stored{key, m.AgentType, m.UpdatedAt, m.MessageCount}
}

// OpenStores reads which sessions the stores have.
func OpenStores(ctx context.Context, data string, now func() time.Time) (*Stores, error) {
	s := &Stores{Data: data, Now: now, Sessions: map[string]Stored{}, Folders: map[string]string{}, Deleted: map[string]bool{}, open: map[string]*session.Store{}}
	entries, err := os.ReadDir(filepath.Join(data, "projects"))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.IsDir() || !project.ValidKey(e.Name()) {
			continue
		}
		if err := s.list(ctx, e.Name()); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			s.Unread = append(s.Unread, fmt.Errorf("project %s: %w", e.Name(), err))
		}
	}
	return s, nil
}

func (s *Stores) list(ctx context.Context, key string) error {
	store := s.Of(key)
	stored, err := store.ListContext(ctx)
	if err != nil {
		return err
	}
	for _, m := range stored {
		if was, twice := s.Sessions[m.ID]; !twice || was.Updated.Before(m.UpdatedAt) {
			s.Sessions[m.ID] = storedAs(key, m)
		}
		if m.CWD != "" {
			s.Folders[m.CWD] = key
		}
	}
	trash, err := store.Trash(ctx)
	if err != nil {
		return err
	}
	for _, t := range trash {
		s.Deleted[t.Metadata.ID] = true
	}
	return nil
}

// Of returns the store of the project with a key.
func (s *Stores) Of(key string) *session.Store {
	if s.open[key] == nil {
		s.open[key] = session.OpenStore(session.BaseIn(filepath.Join(s.Data, "projects", key)), session.WithClock(s.Now), session.WithSync(false))
	}
	return s.open[key]
}

// Close closes the stores.
func (s *Stores) Close() error {
	var errs []error
	for _, store := range s.open {
		errs = append(errs, store.Close())
	}
	return errors.Join(errs...)
}
