package notes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"entire/internal/durable"
	"entire/internal/formats/authorship"
	"entire/internal/git"
)

// acceptance is the file that remembers which notes a person has accepted.
type acceptance struct {
	Version int    `json:"version"`
	Ref     string `json:"ref"`
	Commit  string `json:"commit"` // of the ref
	At      string `json:"at"`
}

func acceptedPath(repo *git.Repo) string {
	return filepath.Join(repo.CommonDir, "entire", "notes.json")
}

// Accept remembers that the notes at a commit of ref are evidence.
func Accept(repo *git.Repo, ref string, tip git.OID, now time.Time) error {
	data, err := json.MarshalIndent(acceptance{1, ref, tip.String(), now.UTC().Format(time.RFC3339)}, "", "  ")
	if err != nil {
		return err
	}
	path := acceptedPath(repo)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("remember the notes: %w", err)
	}
	if err := durable.WriteFile(path, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("remember the notes: %w", err)
	}
	return nil
}

// Forget makes notes no evidence any more. It reports whether any were.
func Forget(repo *git.Repo) (bool, error) {
	switch err := os.Remove(acceptedPath(repo)); {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("forget the notes: %w", err)
	}
	return true, nil
}

// Accepted returns the notes that a person has accepted; nil if there are none.
func Accepted(ctx context.Context, repo *git.Repo) (*Book, error) {
	data, err := durable.Read(acceptedPath(repo), 64<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var a acceptance
	if err == nil {
		err = json.Unmarshal(data, &a)
	}
	var tip git.OID
	if err == nil {
		tip, err = git.ParseOID(a.Commit)
	}
	if err != nil {
		return nil, fmt.Errorf("read which notes are accepted: %w", err)
	}
	return Open(ctx, repo, tip)
}

// Of returns what the note of a commit says; nil if there is no note, and problems for what could not be read.
func (b *Book) Of(ctx context.Context, commit git.OID) (n *authorship.Note, problems []string, err error) {
	text, err := b.Note(ctx, commit)
	if err != nil || text == nil {
		return nil, nil, err
	}
	return authorship.Read(text, lengthsIn(ctx, b.repo, commit))
}
