package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire/id"
	"entire/internal/durable"
)

// trashedName is the longest session ID in the name of a folder in the trash. A longer ID is
// cut there and ends with "_"; metadata.json has the whole ID.
const trashedName = 200

// Trashed is a deleted session. Its folder is named {session-id}.{unix-nanos}.
type Trashed struct {
	Metadata  SessionMetadata
	DeletedAt time.Time
	folder    string
}

// DeleteContext is [Store.Delete] with a context.
func (s *Store) DeleteContext(ctx context.Context, sessionID string) error {
	return deleteSession(ctx, s.queue, sessionID)
}

// deleteSession moves a session to the trash.
func deleteSession(ctx context.Context, q *Queue, sessionID string) error {
	err := q.settle(ctx)
	if err == nil {
		err = q.discard(ctx, sessionID, nil)
	}
	if err != nil {
		return fmt.Errorf("delete session %.100s: %w", sessionID, err)
	}
	return nil
}

// DeleteIf is DeleteContext if check returns nil. check gets the present metadata and runs
// under the session's lock; it must not call the store. DeleteIf returns an error of check
// unchanged, and the session stays.
func (s *Store) DeleteIf(ctx context.Context, sessionID string, check func(SessionMetadata) error) error {
	return deleteIf(ctx, s.queue, sessionID, check)
}

// deleteIf moves a session to the trash if check, under the session's lock, returns nil. It
// returns an error of check unchanged.
func deleteIf(ctx context.Context, q *Queue, sessionID string, check func(SessionMetadata) error) error {
	err := q.settle(ctx)
	if err == nil {
		err = q.discard(ctx, sessionID, check)
	}
	var no *refusal
	switch {
	case errors.As(err, &no):
		return no.error
	case err != nil:
		return fmt.Errorf("delete session %.100s: %w", sessionID, err)
	}
	return nil
}

// A refusal is an error of the check function of DeleteIf.
type refusal struct{ error }

// mayGo calls check with the present metadata.
func mayGo(ctx context.Context, dir string, sid id.SessionID, check func(SessionMetadata) error) error {
	if check == nil {
		return nil
	}
	meta, _, err := readMetadata(dir, sid)
	if err == nil {
		err = catchUp(ctx, dir, &meta, nil)
	}
	if err != nil {
		return err
	}
	if err := check(meta); err != nil {
		return &refusal{err}
	}
	return nil
}

// discard moves a session's folder to the trash if check is nil or returns nil.
func (b *Base) discard(ctx context.Context, sessionID string, check func(SessionMetadata) error) error {
	trash := b.trash()
	if err := os.MkdirAll(trash, 0o750); err != nil {
		return err
	}
	sid, dir, l, err := b.lock(sessionID)
	if err != nil {
		return err
	}
	defer l.Release()
	files, err := lockFiles(ctx, dir)
	if err != nil {
		return err
	}
	defer files.Release()
	if err := mayGo(ctx, dir, sid, check); err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // Windows cannot move a folder with an open file
		files.Release()
		l.Release()
	}
	for at := b.now().UnixNano(); ; at++ {
		to := filepath.Join(trash, inTrash(sid)+"."+strconv.FormatInt(at, 10))
		_, err := os.Lstat(to)
		if err == nil {
			continue
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := b.move(dir, to); err != nil {
			return err
		}
		b.unmark(sid)
		os.Remove(b.restoredPath(sid))
		return nil
	}
}

func inTrash(sid id.SessionID) string {
	name := sid.String()
	if len(name) > trashedName {
		name = name[:trashedName-1] + "_"
	}
	return name
}

// whose returns the whole ID of a session in the trash. name is the ID from its folder's name,
// which may be cut.
func whose(folder string, name id.SessionID) id.SessionID {
	if len(name.String()) != trashedName {
		return name
	}
	var meta SessionMetadata
	data, err := readRegular(filepath.Join(folder, metadataName))
	if err != nil || json.Unmarshal(data, &meta) != nil {
		return name
	}
	if sid, err := id.ParseSessionID(meta.ID); err == nil && inTrash(sid) == name.String() {
		return sid
	}
	return name
}

func (b *Base) move(from, to string) error {
	err := os.Rename(from, to)
	if err != nil || b.noSync {
		return err
	}
	return errors.Join(durable.SyncDir(filepath.Dir(from)), durable.SyncDir(filepath.Dir(to)))
}

// Trash returns the deleted sessions, the last deleted first.
func (s *Store) Trash(ctx context.Context) ([]Trashed, error) { return listTrash(ctx, s.queue) }

// listTrash returns the deleted sessions, the last deleted first.
func listTrash(ctx context.Context, q *Queue) ([]Trashed, error) {
	if err := q.settle(ctx); err != nil {
		return nil, fmt.Errorf("list deleted sessions: %w", err)
	}
	trash := q.trash()
	entries, err := os.ReadDir(trash)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list deleted sessions: %w", err)
	}
	var list []Trashed
	for _, e := range entries {
		sid, at, ok := parseTrashed(e.Name())
		if !ok || !e.IsDir() {
			continue
		}
		folder := filepath.Join(trash, e.Name())
		sid = whose(folder, sid)
		meta, _, err := readMetadata(folder, sid)
		if err == nil {
			err = catchUp(ctx, folder, &meta, nil)
		}
		if err != nil {
			meta = SessionMetadata{ID: sid.String()}
		}
		list = append(list, Trashed{meta, at, folder})
	}
	slices.SortFunc(list, func(a, b Trashed) int {
		return cmp.Or(b.DeletedAt.Compare(a.DeletedAt), cmp.Compare(a.folder, b.folder))
	})
	return list, nil
}

// parseTrashed parses the name of a folder in the trash.
func parseTrashed(name string) (id.SessionID, time.Time, bool) {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return id.SessionID{}, time.Time{}, false
	}
	sid, err := id.ParseSessionID(name[:dot])
	if err != nil {
		return id.SessionID{}, time.Time{}, false
	}
	at, err := strconv.ParseInt(name[dot+1:], 10, 64)
	return sid, time.Unix(0, at).UTC(), err == nil
}

// Undelete restores a deleted session, the last deleted one if several had that ID. It returns
// ErrNotFound if the trash has none, and ErrExists if a session of that ID exists again.
func (s *Store) Undelete(ctx context.Context, sessionID string) error {
	return undelete(ctx, s.queue, sessionID)
}

// undelete restores the session of an ID that was deleted last.
func undelete(ctx context.Context, q *Queue, sessionID string) error {
	err := tryUndelete(ctx, q, sessionID)
	if err != nil {
		return fmt.Errorf("undelete session %.100s: %w", sessionID, err)
	}
	return nil
}

func tryUndelete(ctx context.Context, q *Queue, sessionID string) error {
	sid, err := id.ParseSessionID(sessionID)
	if err != nil {
		return err
	}
	list, err := listTrash(ctx, q)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(t Trashed) bool { return t.Metadata.ID == sid.String() })
	if i < 0 {
		return fmt.Errorf("in the trash: %w", ErrNotFound)
	}
	target := filepath.Join(q.base, sid.String())
	switch exists, err := isSession(target); {
	case err != nil:
		return err
	case exists:
		return ErrExists
	}
	if err := q.mark(sid); err != nil { // its metadata may count fewer messages than there are
		return err
	}
	if err := q.appear(list[i].folder, target); err != nil {
		return err
	}
	return q.noteRestored(sid)
}
