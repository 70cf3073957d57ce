package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"entire/internal/durable"
	"entire/internal/git"
)

// fetched opens the mirror, brought up to date.
func (s *Source) fetched(ctx context.Context) (*git.Mirror, error) {
	if s.Local {
		repo, err := git.Discover(ctx, s.Folder, s.Environ)
		if err != nil {
			return nil, err
		}
		return &git.Mirror{Repo: repo}, nil
	}
	m, err := s.fetch(ctx)
	if err != nil {
		return nil, err
	}
	clean, err := s.clean(ctx, m)
	if err == nil && clean {
		return m, nil
	}
	m.Repo.Close()
	if err != nil {
		return nil, err
	}
	if err := git.RemoveMirror(s.Folder); err != nil {
		return nil, err
	}
	if m, err = s.fetch(ctx); err != nil {
		return nil, err
	}
	if _, err := s.clean(ctx, m); err != nil {
		m.Repo.Close()
		return nil, err
	}
	return m, nil
}

// fetch opens the mirror and brings it up to date. Whoever is killed may leave a lock of git behind, or a broken file:
// where the server answers and fetching fails all the same, the mirror is made anew.
func (s *Source) fetch(ctx context.Context) (*git.Mirror, error) {
	m, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	if err = s.update(ctx, m); err != nil && ctx.Err() == nil && m.Reachable(ctx) {
		m.Repo.Close()
		if err := git.RemoveMirror(s.Folder); err != nil {
			return nil, err
		}
		if m, err = s.open(ctx); err != nil {
			return nil, err
		}
		err = s.update(ctx, m)
	}
	if err != nil {
		m.Repo.Close()
		return nil, err
	}
	return m, nil
}

func (s *Source) open(ctx context.Context) (*git.Mirror, error) {
	repo, err := git.OpenMirror(ctx, filepath.Clean(s.Folder), s.Environ)
	if err != nil {
		return nil, err
	}
	return &git.Mirror{Repo: repo, URL: s.URL, User: s.User, Password: s.Password}, nil
}

func (s *Source) update(ctx context.Context, m *git.Mirror) error {
	if err := m.Fetch(ctx, refs...); err != nil {
		return err
	}
	return bringLists(ctx, m)
}

// clean reports whether the mirror has never had a checkpoint that is forgotten now: git keeps objects that no ref
// reaches any more, so a mirror that had one is made anew. It notes in the mirror what was forgotten when it was made.
func (s *Source) clean(ctx context.Context, m *git.Mirror) (bool, error) {
	found, err := tombstones(ctx, m.Repo)
	if err != nil {
		return false, err
	}
	var ids []string
	for cp := range found {
		ids = append(ids, cp.String())
	}
	slices.Sort(ids)
	sum := sha256.New()
	for _, cp := range ids {
		sum.Write([]byte(cp + "\n"))
	}
	now := hex.EncodeToString(sum.Sum(nil))
	note := filepath.Join(m.Repo.GitDir, "entire-forgotten")
	switch was, err := durable.Read(note, 1024); {
	case errors.Is(err, fs.ErrNotExist):
		return true, durable.WriteFile(note, []byte(now), 0o600)
	case err != nil:
		return false, err
	default:
		return string(was) == now, nil
	}
}
