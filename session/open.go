package session

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"entire/internal/project"
)

// NewStore returns the store of a project: of the repository or folder that
// projectDir lies in, wherever the user's data is kept. An error is reported by
// the first call. Outside git the project's key is written to its folder, see
// internal/project; nothing else is created before something is stored.
func NewStore(projectDir string) *Store {
	base, err := defaultBase(projectDir)
	s := OpenStore(base)
	if err != nil {
		s.broken = fmt.Errorf("open session store: %w", err)
	}
	return s
}

// Open is NewStore with options. It looks whether the store can be used; with
// WithPersist(false) it looks at nothing.
func Open(projectDir string, opts ...Option) (SessionStore, error) {
	o := options{persist: true}
	for _, set := range opts {
		set(&o)
	}
	if !o.persist {
		return NoOpSessionStore{}, nil
	}
	base, err := defaultBase(projectDir)
	if err != nil {
		return nil, fmt.Errorf("open session store: %w", err)
	}
	return OpenStore(base, opts...), nil
}

// defaultBase is where a project's sessions are kept.
func defaultBase(projectDir string) (string, error) {
	home, _ := os.UserHomeDir() // "" is said below
	environ := os.Environ()
	data := project.DataDir(environ, home, runtime.GOOS)
	if data == "" {
		return "", errors.New("neither XDG_DATA_HOME nor the home directory is known")
	}
	ctx := withoutContext()
	whose, err := project.Key(ctx, projectDir, environ)
	if err != nil {
		return "", err
	}
	if err := project.Settle(ctx, data, whose, time.Now()); err != nil {
		return "", err
	}
	return BaseIn(whose.Dir(data)), nil
}
