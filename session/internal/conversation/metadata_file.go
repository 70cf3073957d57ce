package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"entire/id"
	"entire/internal/durable"
	"entire/session/internal/layout"
	"entire/session/internal/log"
)

// DamagedName is the file that keeps metadata which could not be read.
const DamagedName = "metadata.damaged.json"

// ReadMetadata returns the content of metadata.json. If the file is lost or damaged, the
// metadata has only the session's ID and its messages must be counted; damaged is the content
// of a damaged file.
func ReadMetadata(dir string, sid id.SessionID) (meta SessionMetadata, damaged []byte, err error) {
	data, err := layout.ReadRegular(filepath.Join(dir, layout.MetadataName))
	if errors.Is(err, layout.ErrNotFound) {
		return SessionMetadata{ID: sid.String(), Counted: uncounted}, nil, nil
	}
	if err != nil {
		return SessionMetadata{}, nil, err
	}
	if json.Unmarshal(data, &meta) != nil {
		return SessionMetadata{ID: sid.String(), Counted: uncounted}, data, nil
	}
	if meta.ID == "" {
		meta.ID = sid.String()
	}
	if meta.ID != sid.String() {
		return SessionMetadata{}, nil, fmt.Errorf("%s is that of session %.60q", layout.MetadataName, meta.ID)
	}
	return meta, nil, nil
}

// EncodeMetadata returns the content of metadata.json: indented, HTML escaped, with a newline
// at the end.
func EncodeMetadata(meta SessionMetadata) ([]byte, error) {
	return layout.EncodeJSON(meta)
}

// WriteMetadata replaces metadata.json. The caller holds the session's lock.
func WriteMetadata(dir string, meta SessionMetadata, sync bool) error {
	data, err := EncodeMetadata(meta)
	if err != nil {
		return err
	}
	if sync {
		return durable.WriteFile(filepath.Join(dir, layout.MetadataName), data, 0o600)
	}
	return durable.WriteCache(filepath.Join(dir, layout.MetadataName), data, 0o600)
}

// A WrittenRange is a range of messages.jsonl that this process wrote, and the tally of its messages.
type WrittenRange struct {
	From, To int64
	Tally
}

// UpdateCounts adds to meta the messages of messages.jsonl that it does not count. If own covers
// exactly those, UpdateCounts does not open the file.
func UpdateCounts(ctx context.Context, dir string, meta *SessionMetadata, own *WrittenRange) error {
	size, changed, err := log.StatLog(filepath.Join(dir, layout.MessagesName))
	if errors.Is(err, fs.ErrNotExist) && meta.Counted == 0 {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		changed = changed.UTC()
	}
	switch {
	case meta.Counted == size:
		return nil
	case own != nil && own.rewinds == 0 && meta.Counted == own.From && size == own.To:
		addTally(meta, own.Tally, changed)
		meta.Counted = size
		return nil
	case meta.Counted < 0 || meta.Counted > size:
		return recount(ctx, dir, meta, changed)
	}
	list := []log.Part{{Path: filepath.Join(dir, layout.MessagesName), Bytes: size, Own: true}}
	t, end, err := tallyLines(ctx, list, nil, meta.Counted)
	if err != nil {
		return err
	}
	if t.rewinds > 0 {
		return recount(ctx, dir, meta, changed)
	}
	addTally(meta, t, changed)
	meta.Counted = max(end, meta.Counted)
	return nil
}

// recount counts a session's messages again from the first.
func recount(ctx context.Context, dir string, meta *SessionMetadata, changed time.Time) error {
	list, err := log.Parts(dir, log.MessageStream)
	if err != nil {
		return err
	}
	v, err := ViewOf(ctx, list, -1, true, MessageRecord)
	if err != nil {
		return err
	}
	t, end, err := tallyLines(ctx, list, v, 0)
	if err != nil {
		return err
	}
	meta.MessageCount, meta.LastMessage, meta.Rewinds = 0, "", 0
	if t.HasUsage {
		meta.TotalTokens, meta.Usage = 0, nil
	}
	if meta.CreatedAt.IsZero() {
		meta.CreatedAt = t.Begun
	}
	addTally(meta, t, changed)
	meta.Counted = end
	return nil
}

func addTally(meta *SessionMetadata, t Tally, changed time.Time) {
	if t.Updated.IsZero() {
		t.Updated = changed
	}
	t.AddTo(meta)
}

// tallyLines tallies the messages of parts. Of a message outside the view it counts only the
// tokens. end is where the last line of the session's own file ends.
func tallyLines(ctx context.Context, list []log.Part, v *View, from int64) (t Tally, end int64, err error) {
	for m, err := range EachMessage(ctx, list, from) {
		switch {
		case err == nil && m.Rewind == nil && !v.Contains(m.Part, m.End):
			t.addRewound(&m.Message)
		case err == nil:
			t.Add(&m.Message)
		case !IsBadLine(err):
			return Tally{}, 0, err
		}
		if list[m.Part].Own {
			end = m.End
		}
	}
	return t, end, nil
}

// Metadata reads a session's metadata and counts the messages that it does not count yet.
func Metadata(ctx context.Context, b *layout.Base, sessionID string) (SessionMetadata, error) {
	sid, dir, err := b.Existing(sessionID)
	if err != nil {
		return SessionMetadata{}, err
	}
	meta, _, err := ReadMetadata(dir, sid)
	if err == nil {
		err = UpdateCounts(ctx, dir, &meta, nil)
	}
	return meta, err
}
