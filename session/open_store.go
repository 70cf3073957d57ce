package session

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"entire/internal/project"
	"entire/session/internal/layout"
)

// NewStore returns the store of a project: of the repository or folder that contains
// projectDir, in the user's data directory. The first call reports an error. Outside git
// NewStore writes the project's key to its folder, see internal/project; it creates nothing
// else before something is stored.
func NewStore(projectDir string) *Store {
	base, err := defaultBase(projectDir)
	s := OpenStore(base)
	if err != nil {
		s.queue.Broken = fmt.Errorf("open session store: %w", err)
	}
	return s
}

// Open is NewStore with options. It reports a store that cannot be used; with
// WithPersist(false) it checks nothing.
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

// defaultBase returns the folder of a project's sessions.
func defaultBase(projectDir string) (string, error) {
	home, _ := os.UserHomeDir() // "" is reported below
	environ := os.Environ()
	data := project.DataDir(environ, home, runtime.GOOS)
	if data == "" {
		return "", errors.New("neither XDG_DATA_HOME nor the home directory is known")
	}
	ctx := layout.WithoutContext()
	whose, err := project.Key(ctx, projectDir, environ)
	if err != nil {
		return "", err
	}
	if err := project.Settle(ctx, data, whose, time.Now()); err != nil {
		return "", err
	}
	return layout.BaseIn(whose.Dir(data)), nil
}
