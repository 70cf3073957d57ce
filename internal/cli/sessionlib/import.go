package sessionlib

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"entire/internal/cli/cliui"
	"entire/internal/feed"
	"entire/internal/project"
	"entire/internal/redact"
	"entire/session"
	"entire/strategy/transcript"
)

var errNoHome = transcript.ErrNoHome

// IsFile returns an error unless file names a file.
func (l *Library) IsFile(file string) error {
	info, err := os.Stat(l.Abs(file))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return cliui.Failf("name a file that an agent wrote, or `entire sessions export`", "there is no file %s", file)
	case err == nil && info.IsDir():
		return cliui.Failf("name the files in it", "%s is a folder", file)
	}
	return err
}

// SettleIn gives the project a lasting key before it gets a store.
func (l *Library) SettleIn(ctx context.Context) error {
	ident, err := project.Key(ctx, l.Dir, l.Env.Environ)
	if err != nil || ident.Key == l.Ident.Key {
		return err
	}
	err = l.Store.Close()
	l.Ident, l.Store = ident, session.OpenStore(session.BaseIn(ident.Dir(l.Data)))
	return err
}

// FeedFile feeds a transcript to the store as an agent's hook does. A session that is new here is
// marked as ended.
func (l *Library) FeedFile(ctx context.Context, about aboutTranscript, path string, fresh bool) error {
	folder := about.folder
	if folder == "" {
		folder = l.Dir
	}
	if err := l.feed("").Import(ctx, about.ID, about.Agent, path, folder); err != nil || !fresh {
		return err
	}
	return feed.End(ctx, l.Store, about.ID, about.first)
}

// feed returns what stores conversations of the project with that key, "" for this one.
func (l *Library) feed(key string) *feed.Feed {
	return &feed.Feed{Base: l.StoreOf(key).Base(), Project: cmp.Or(key, l.Ident.Key), Redact: redact.Line, Now: l.Env.Now}
}

// Adopt records in the feed that the store already has all of a fork's transcript.
func (l *Library) Adopt(ctx context.Context, s ListedSession, path string) error {
	sid, err := ParsedID(s)
	if err != nil {
		return err
	}
	return l.feed(s.Project).Adopt(ctx, sid, s.Agent, path)
}

// Bring copies a session into the store if the store has none or less of it: from the metadata
// branch, or from its agent's transcript.
func (l *Library) Bring(ctx context.Context, s ListedSession) error {
	if !slices.Contains(s.Sources, InStore) {
		if err := l.SettleIn(ctx); err != nil {
			return err
		}
	}
	if s.AsGit {
		_, err := l.git.Bring(ctx, l.Store, s.ID, l.Homes(ctx, s).Top)
		return err
	}
	if slices.Contains(s.Sources, InStore) {
		return nil
	}
	path, live := l.Live(ctx, s)
	if live == nil {
		return fmt.Errorf("session %s is not in the store", s.ID)
	}
	sid, err := ParsedID(s)
	if err != nil {
		return err
	}
	return l.FeedFile(ctx, aboutTranscript{Agent: s.Agent, ID: sid, folder: s.Folder, first: s.Started}, path, false)
}
