package main

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

	"entire/internal/feed"
	"entire/internal/git"
	"entire/internal/project"
	"entire/session"
	"entire/strategy/resume"
)

// A library finds every session that the current directory gives access to, in a repository or
// not. Opening it changes one thing: it moves what was stored under a project's former key to the
// present one.
type library struct {
	w      *world
	dir    string // the current directory
	wp     *workplace
	ident  project.Identity
	data   string // the data directory, "" if the home directory is not known
	store  *session.Store
	git    *resume.StoredSessions    // nil outside a repository
	others map[string]*session.Store // stores of other projects, by key
}

// abs returns the absolute path of a path that was given in the current directory.
func (l *library) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(l.dir, path)
}

func (w *world) openLibrary(ctx context.Context) (*library, error) {
	dir, err := w.getwd()
	if err != nil {
		return nil, fmt.Errorf("find the current directory: %w", err)
	}
	l := &library{w: w, dir: dir, data: w.dataDir(), others: map[string]*session.Store{}}
	wp, settingsErr, err := w.openAt(ctx, dir)
	switch {
	case err == nil:
		l.wp, l.git = wp, resume.OpenStoredSessions(wp.engine)
		if settingsErr != nil {
			wp.log.Warn("settings not understood", "err", settingsErr)
		}
	case !errors.Is(err, git.ErrNotRepository):
		return nil, err
	}
	if l.ident, err = project.Find(ctx, dir, w.environ); err != nil {
		l.close()
		return nil, err
	}
	if l.data == "" {
		l.close()
		return nil, failf("set HOME or XDG_DATA_HOME", "the home directory is unknown")
	}
	if err := project.Settle(ctx, l.data, l.ident, w.now()); err != nil {
		fmt.Fprintf(w.err, "warning: %s\n", shownLine(err.Error()))
	}
	l.store = session.OpenStore(session.BaseIn(l.ident.Dir(l.data)), session.WithClock(w.now))
	return l, nil
}

func (l *library) close() error {
	var errs []error
	if l.store != nil {
		errs = append(errs, l.store.Close())
	}
	for _, store := range l.others {
		errs = append(errs, store.Close())
	}
	if l.wp != nil {
		l.wp.close()
	}
	return errors.Join(errs...)
}

// withLibrary opens the library for a command. An error of closing the store becomes the
// command's error.
func (w *world) withLibrary(ctx context.Context, do func(*library) error) error {
	l, err := w.openLibrary(ctx)
	if err != nil {
		return err
	}
	err = do(l)
	return errors.Join(err, l.close())
}

// here returns the sessions of this project.
func (l *library) here(ctx context.Context) ([]listedSession, error) {
	k, err := l.known(ctx)
	if err != nil {
		return nil, err
	}
	return k.merge(), nil
}

func (l *library) known(ctx context.Context) (k known, err error) {
	k.project = l.ident.Key
	if k.stored, err = l.store.ListContext(ctx); err != nil {
		return k, fmt.Errorf("list the stored sessions: %w", err)
	}
	if l.wp == nil {
		k.inTurn = l.inTurn(k.stored)
		return k, nil
	}
	if k.ingit, err = l.git.List(ctx); err != nil {
		return k, err
	}
	if k.linked, err = resume.Sessions(ctx, l.wp.engine); err != nil {
		return k, err
	}
	k.states, _, err = l.wp.store.List(ctx)
	return k, err
}

// liveFor is how long after its last message a session may still be in a turn.
const liveFor = 24 * time.Hour

// inTurn returns the sessions in the middle of a turn, as the feeds say; it is used where there
// are no session states.
func (l *library) inTurn(stored []session.SessionMetadata) map[string]bool {
	in := map[string]bool{}
	for _, m := range stored {
		if m.EndedAt == nil && l.w.now().Sub(m.UpdatedAt) < liveFor && feed.InTurn(l.store.Dir(m.ID)) {
			in[m.ID] = true
		}
	}
	return in
}

// elsewhere returns the stored sessions of all other projects. It warns about a project that
// cannot be read, and leaves it out.
func (l *library) elsewhere(ctx context.Context) ([]listedSession, error) {
	entries, err := os.ReadDir(filepath.Join(l.data, "projects"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []listedSession
	for _, e := range entries {
		if key := e.Name(); e.IsDir() && key != l.ident.Key {
			stored, err := l.storeOf(key).ListContext(ctx)
			if err != nil {
				fmt.Fprintf(l.w.err, "warning: project %s: %v\n", key, err)
				continue
			}
			of := known{project: key, stored: stored}.merge()
			for i := range of {
				of[i].here = false
			}
			all = append(all, of...)
		}
	}
	return all, nil
}

// storeOf returns the store of the project with that key.
func (l *library) storeOf(key string) *session.Store {
	if key == l.ident.Key || key == "" {
		return l.store
	}
	store := l.others[key]
	if store == nil {
		store = session.OpenStore(session.BaseIn(filepath.Join(l.data, "projects", key)), session.WithClock(l.w.now))
		l.others[key] = store
	}
	return store
}

// find returns the session that a name means: its ID or the beginning of it, in this project or
// else in any; or else a checkpoint or commit of one session.
func (l *library) find(ctx context.Context, name string) (listedSession, error) {
	found, err := l.findByID(ctx, name)
	if l.wp == nil || !errors.Is(err, resume.ErrNoSession) {
		return found, err
	}
	sid, other := l.wp.sessionNamed(ctx, name)
	if errors.Is(other, errNoMeaning) {
		return found, err
	}
	if other != nil {
		return found, other
	}
	return l.findByID(ctx, sid)
}

// findByID returns the session whose ID is prefix, or the only one whose ID begins with it: in
// this project, or else in any.
func (l *library) findByID(ctx context.Context, prefix string) (listedSession, error) {
	all, err := l.here(ctx)
	if err != nil {
		return listedSession{}, err
	}
	found, err := pick(all, prefix)
	if !errors.Is(err, resume.ErrNoSession) {
		return found, err
	}
	if all, err = l.elsewhere(ctx); err != nil {
		return listedSession{}, err
	}
	return pick(all, prefix)
}

// pick returns the session with that ID, or the only one whose ID begins with prefix.
func pick(all []listedSession, prefix string) (listedSession, error) {
	var found []listedSession
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
		return listedSession{}, failf("`entire sessions list --all` shows them", "%w: %s", resume.ErrNoSession, prefix)
	case 1:
		return found[0], nil
	}
	e := &resume.AmbiguousSessionError{Prefix: prefix}
	for _, s := range found {
		e.IDs = append(e.IDs, s.ID)
	}
	slices.Sort(e.IDs)
	return listedSession{}, failf("give more of the ID", "%w", e)
}

// stateOf returns this repository's state of a session, nil for none.
func (l *library) stateOf(ctx context.Context, s listedSession) *session.State {
	sid, err := parsedID(s)
	if l.wp == nil || err != nil {
		return nil
	}
	st, err := l.wp.store.Load(ctx, sid)
	if err != nil {
		return nil
	}
	return st
}
