package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"entire/internal/durable"
)

// sealedName is the file in a store's folder which says that the project encrypts what is stored of
// conversations, so that none may be added here in clear.
const sealedName = ".sealed"

// ErrSealed is returned by what would add a conversation to the store of a project that encrypts.
var ErrSealed = errors.New("the project encrypts what is stored of conversations, and the session store holds them in clear")

// refused returns ErrSealed if no conversation may be added.
func (s *Store) refused() error {
	if _, err := os.Lstat(filepath.Join(s.queue.Path, sealedName)); err == nil {
		return ErrSealed
	}
	return nil
}

// Sealed says whether conversations may no longer be added to the store below base, or may again. What the
// store has stays.
func Sealed(base string, sealed bool) error {
	path := filepath.Join(base, sealedName)
	_, err := os.Lstat(path)
	switch {
	case sealed && errors.Is(err, fs.ErrNotExist):
		err = durable.WriteFile(path, nil, 0o600)
	case !sealed && err == nil:
		err = os.Remove(path)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err != nil {
		return fmt.Errorf("mark the session store of a project that encrypts: %w", err)
	}
	return nil
}
