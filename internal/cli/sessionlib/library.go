package sessionlib

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/feed"
	"entire/internal/git"
	"entire/internal/project"
	"entire/session"
	"entire/strategy/resume"
)

// A Library finds every session that the current directory gives access to, in a repository or
// not. Opening it changes one thing: it moves what was stored under a project's former key to the
// present one.
type Library struct {
	Env    *cliui.Env
	Dir    string // the current directory
	Wp     *workplace.Workplace
	Ident  project.Identity
	Data   string // the data directory, "" if the home directory is not known
	Store  *session.Store
	git    *resume.StoredSessions    // nil outside a repository
	others map[string]*session.Store // stores of other projects, by key
}

// Abs returns the absolute path of a path that was given in the current directory.
func (l *Library) Abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(l.Dir, path)
}

func openLibrary(ctx context.Context, env *cliui.Env) (*Library, error) {
	dir, err := env.Here()
	if err != nil {
		return nil, err
	}
	l := &Library{Env: env, Dir: dir, Data: workplace.DataDir(env), others: map[string]*session.Store{}}
	wp, settingsErr, err := workplace.OpenAt(ctx, env, dir)
	switch {
	case err == nil:
		wp.UseIdentities(env)
		l.Wp, l.git = wp, resume.OpenStoredSessions(wp.Engine)
		if settingsErr != nil {
			wp.Log.Warn("settings not understood", "err", settingsErr)
		}
	case !errors.Is(err, git.ErrNotRepository):
		return nil, err
	}
	if l.Ident, err = project.Find(ctx, dir, env.Environ); err != nil {
		l.close()
		return nil, err
	}
	if l.Data == "" {
		l.close()
		return nil, cliui.Failf("set HOME or XDG_DATA_HOME", "the home directory is unknown")
	}
	if err := project.Settle(ctx, l.Data, l.Ident, env.Now()); err != nil {
		fmt.Fprintf(env.Err, "warning: %s\n", cliui.ShownLine(err.Error()))
	}
	l.Store = session.OpenStore(session.BaseIn(l.Ident.Dir(l.Data)), session.WithClock(env.Now))
	return l, nil
}

func (l *Library) close() error {
	var errs []error
	if l.Store != nil {
		errs = append(errs, l.Store.Close())
	}
	for _, store := range l.others {
		errs = append(errs, store.Close())
	}
	if l.Wp != nil {
		l.Wp.Close()
	}
	return errors.Join(errs...)
}

// WithLibrary opens the library for a command. An error of closing the store becomes the
// command's error.
func WithLibrary(ctx context.Context, env *cliui.Env, do func(*Library) error) error {
	l, err := openLibrary(ctx, env)
	if err != nil {
		return err
	}
	err = do(l)
	return errors.Join(err, l.close())
}

// Here returns the sessions of this project.
func (l *Library) Here(ctx context.Context) ([]ListedSession, error) {
	k, err := l.known(ctx)
	if err != nil {
		return nil, err
	}
	return k.Merge(), nil
}

// TellUnfetched says so, after an answer without a session, if the sessions behind the last commits were never fetched.
func (l *Library) TellUnfetched(ctx context.Context) {
	if l.Wp == nil {
		return
	}
	if fetch := resume.Unfetched(ctx, l.Wp.Engine); fetch != "" {
		fmt.Fprintf(l.Env.Err, "warning: the sessions behind the last commits are not in this clone; `%s` gets those that were pushed\n", cliui.ShownLine(fetch))
	}
}

func (l *Library) known(ctx context.Context) (k Known, err error) {
	k.Project = l.Ident.Key
	if k.Stored, err = l.Store.ListContext(ctx); err != nil {
		return k, fmt.Errorf("list the stored sessions: %w", err)
	}
	if l.Wp == nil {
		k.inTurn = l.inTurn(k.Stored)
		return k, nil
	}
	if k.ingit, err = l.git.List(ctx); err != nil {
		return k, err
	}
	err = l.git.Hold(func() (err error) { // of the same state
		k.linked, err = l.git.Sessions(ctx)
		return err
	})
	if err != nil {
		return k, err
	}
	k.states, _, err = l.Wp.Store.List(ctx)
	return k, err
}

// liveFor is how long after its last message a session may still be in a turn.
const liveFor = 24 * time.Hour

// inTurn returns the sessions in the middle of a turn, as the feeds say; it is used where there
// are no session states.
func (l *Library) inTurn(stored []session.SessionMetadata) map[string]bool {
	in := map[string]bool{}
	for _, m := range stored {
		if m.EndedAt == nil && l.Env.Now().Sub(m.UpdatedAt) < liveFor && feed.InTurn(l.Store.Dir(m.ID)) {
			in[m.ID] = true
		}
	}
	return in
}

// Elsewhere returns the stored sessions of all other projects. It warns about a project that
// cannot be read, and leaves it out.
func (l *Library) Elsewhere(ctx context.Context) ([]ListedSession, error) {
	keys, err := l.OtherProjects()
	if err != nil {
		return nil, err
	}
	var all []ListedSession
	for _, key := range keys {
		stored, err := l.StoreOf(key).ListContext(ctx)
		if err != nil {
			fmt.Fprintf(l.Env.Err, "warning: project %s: %v\n", key, err)
			continue
		}
		of := Known{Project: key, Stored: stored}.Merge()
		for i := range of {
			of[i].here = false
		}
		all = append(all, of...)
	}
	return all, nil
}

// OtherProjects returns the keys of all other projects that have a store.
func (l *Library) OtherProjects() (keys []string, err error) {
	entries, err := os.ReadDir(filepath.Join(l.Data, "projects"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if key := e.Name(); e.IsDir() && key != l.Ident.Key {
			keys = append(keys, key)
		}
	}
	return keys, err
}

// StoreOf returns the store of the project with that key.
func (l *Library) StoreOf(key string) *session.Store {
	if key == l.Ident.Key || key == "" {
		return l.Store
	}
	store := l.others[key]
	if store == nil {
		store = session.OpenStore(session.BaseIn(filepath.Join(l.Data, "projects", key)), session.WithClock(l.Env.Now))
		l.others[key] = store
	}
	return store
}

// Find returns the session that a name means: its ID or the beginning of it, in this project or
// else in any; or else a checkpoint or commit of one session.
func (l *Library) Find(ctx context.Context, name string) (ListedSession, error) {
	all, err := l.Here(ctx)
	if err != nil {
		return ListedSession{}, err
	}
	return l.FindAmong(ctx, all, name)
}

// FindAmong is Find where all is what Here returned.
func (l *Library) FindAmong(ctx context.Context, all []ListedSession, name string) (ListedSession, error) {
	found, err := l.pickAnywhere(ctx, all, name)
	if l.Wp == nil || !errors.Is(err, resume.ErrNoSession) {
		return found, err
	}
	sid, other := l.Wp.SessionNamed(ctx, name)
	if errors.Is(other, workplace.ErrNoMeaning) {
		return found, err
	}
	if other != nil {
		return found, other
	}
	return l.pickAnywhere(ctx, all, sid)
}

// FindByID returns the session whose ID is prefix, or the only one whose ID begins with it: in
// this project, or else in any.
func (l *Library) FindByID(ctx context.Context, prefix string) (ListedSession, error) {
	all, err := l.Here(ctx)
	if err != nil {
		return ListedSession{}, err
	}
	return l.pickAnywhere(ctx, all, prefix)
}

// pickAnywhere is Pick among all, the sessions of this project, or else among those of the others.
func (l *Library) pickAnywhere(ctx context.Context, all []ListedSession, prefix string) (ListedSession, error) {
	found, err := Pick(all, prefix)
	if !errors.Is(err, resume.ErrNoSession) {
		return found, err
	}
	if all, err = l.Elsewhere(ctx); err != nil {
		return ListedSession{}, err
	}
	return Pick(all, prefix)
}

// Pick returns the session with that ID, or the only one whose ID begins with prefix.
func Pick(all []ListedSession, prefix string) (ListedSession, error) {
	var found []ListedSession
	for _, s := range all {
		if s.ID == prefix {
			return s, nil
		}
		if prefix != "" && strings.HasPrefix(s.ID, prefix) {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 0:
		return ListedSession{}, cliui.Failf("`entire sessions list --all` shows them", "%w: %s", resume.ErrNoSession, prefix)
	case 1:
		return found[0], nil
	}
	e := &resume.AmbiguousSessionError{Prefix: prefix}
	for _, s := range found {
		e.IDs = append(e.IDs, s.ID)
	}
	slices.Sort(e.IDs)
	return ListedSession{}, cliui.Failf("give more of the ID", "%w", e)
}

// stateOf returns this repository's state of a session, nil for none.
func (l *Library) stateOf(ctx context.Context, s ListedSession) *session.State {
	sid, err := ParsedID(s)
	if l.Wp == nil || err != nil {
		return nil
	}
	st, err := l.Wp.Store.Load(ctx, sid)
	if err != nil {
		return nil
	}
	return st
}
