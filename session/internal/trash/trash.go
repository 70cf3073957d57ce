package trash

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
	"time"

	"entire/id"
	"entire/internal/durable"
	"entire/internal/retention"
	"entire/session/internal/conversation"
	"entire/session/internal/layout"
	"entire/session/internal/queue"
)

// A Candidate is a session that a clean-up may move to the trash.
type Candidate struct {
	Metadata conversation.SessionMetadata
	retention.Session
}

// TrashedName is the longest session ID in the name of a folder in the trash. A longer ID is
// cut there and ends with "_"; metadata.json has the whole ID.
const TrashedName = 200

// Trashed is a deleted session. Its folder is named {session-id}.{unix-nanos}.
type Trashed struct {
	Metadata  conversation.SessionMetadata
	DeletedAt time.Time
	folder    string
}

// Delete moves a session to the trash.
func Delete(ctx context.Context, q *queue.Queue, sessionID string) error {
	err := q.AwaitWrites(ctx)
	if err == nil {
		err = discard(ctx, q.Base, sessionID, nil)
	}
	if err != nil {
		return fmt.Errorf("delete session %.100s: %w", sessionID, err)
	}
	return nil
}

// DeleteIf moves a session to the trash if check, under the session's lock, returns nil. It
// returns an error of check unchanged.
func DeleteIf(ctx context.Context, q *queue.Queue, sessionID string, check func(conversation.SessionMetadata) error) error {
	err := q.AwaitWrites(ctx)
	if err == nil {
		err = discard(ctx, q.Base, sessionID, check)
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

// checkDelete calls check with the present metadata.
func checkDelete(ctx context.Context, dir string, sid id.SessionID, check func(conversation.SessionMetadata) error) error {
	if check == nil {
		return nil
	}
	meta, _, err := conversation.ReadMetadata(dir, sid)
	if err == nil {
		err = conversation.UpdateCounts(ctx, dir, &meta, nil)
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
func discard(ctx context.Context, b *layout.Base, sessionID string, check func(conversation.SessionMetadata) error) error {
	trash := b.Trash()
	if err := os.MkdirAll(trash, 0o750); err != nil {
		return err
	}
	sid, dir, release, err := b.LockAll(ctx, sessionID)
	if err != nil {
		return err
	}
	defer release()
	if err := checkDelete(ctx, dir, sid, check); err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // Windows cannot move a folder with an open file
		release()
	}
	for at := b.Now().UnixNano(); ; at++ {
		to := filepath.Join(trash, trashedID(sid)+"."+strconv.FormatInt(at, 10))
		_, err := os.Lstat(to)
		if err == nil {
			continue
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := move(b, dir, to); err != nil {
			return err
		}
		b.UnmarkBehind(sid)
		os.Remove(b.RestoredPath(sid))
		return nil
	}
}

func trashedID(sid id.SessionID) string {
	name := sid.String()
	if len(name) > TrashedName {
		name = name[:TrashedName-1] + "_"
	}
	return name
}

// fullID returns the whole ID of a session in the trash. name is the ID from its folder's name,
// which may be cut.
func fullID(folder string, name id.SessionID) id.SessionID {
	if len(name.String()) != TrashedName {
		return name
	}
	var meta conversation.SessionMetadata
	data, err := layout.ReadRegular(filepath.Join(folder, layout.MetadataName))
	if err != nil || json.Unmarshal(data, &meta) != nil {
		return name
	}
	if sid, err := id.ParseSessionID(meta.ID); err == nil && trashedID(sid) == name.String() {
		return sid
	}
	return name
}

func move(b *layout.Base, from, to string) error {
	err := os.Rename(from, to)
	if err != nil || b.NoSync {
		return err
	}
	return errors.Join(durable.SyncDir(filepath.Dir(from)), durable.SyncDir(filepath.Dir(to)))
}

// List returns the deleted sessions, the last deleted first.
func List(ctx context.Context, q *queue.Queue) ([]Trashed, error) {
	if err := q.AwaitWrites(ctx); err != nil {
		return nil, fmt.Errorf("list deleted sessions: %w", err)
	}
	trash := q.Trash()
	entries, err := os.ReadDir(trash)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list deleted sessions: %w", err)
	}
	var list []Trashed
	for _, e := range entries {
		sid, at, ok := layout.ParseTrashed(e.Name())
		if !ok || !e.IsDir() {
			continue
		}
		folder := filepath.Join(trash, e.Name())
		sid = fullID(folder, sid)
		meta, _, err := conversation.ReadMetadata(folder, sid)
		if err == nil {
			err = conversation.UpdateCounts(ctx, folder, &meta, nil)
		}
		if err != nil {
			meta = conversation.SessionMetadata{ID: sid.String()}
		}
		list = append(list, Trashed{meta, at, folder})
	}
	slices.SortFunc(list, func(a, b Trashed) int {
		return cmp.Or(b.DeletedAt.Compare(a.DeletedAt), cmp.Compare(a.folder, b.folder))
	})
	return list, nil
}

// Undelete restores the session of an ID that was deleted last.
func Undelete(ctx context.Context, q *queue.Queue, sessionID string) error {
	err := tryUndelete(ctx, q, sessionID)
	if err != nil {
		return fmt.Errorf("undelete session %.100s: %w", sessionID, err)
	}
	return nil
}

func tryUndelete(ctx context.Context, q *queue.Queue, sessionID string) error {
	sid, err := id.ParseSessionID(sessionID)
	if err != nil {
		return err
	}
	list, err := List(ctx, q)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(t Trashed) bool { return t.Metadata.ID == sid.String() })
	if i < 0 {
		return fmt.Errorf("in the trash: %w", layout.ErrNotFound)
	}
	target := filepath.Join(q.Path, sid.String())
	switch exists, err := layout.IsSession(target); {
	case err != nil:
		return err
	case exists:
		return layout.ErrExists
	}
	if err := q.MarkBehind(sid); err != nil { // its metadata may count fewer messages than there are
		return err
	}
	if err := q.Appear(list[i].folder, target); err != nil {
		return err
	}
	return q.NoteRestored(sid)
}
