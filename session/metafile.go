package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"entire/id"
	"entire/internal/durable"
)

// damagedName is the file that keeps metadata which could not be read.
const damagedName = "metadata.damaged.json"

// readMetadata returns the content of metadata.json. If the file is lost or damaged, the
// metadata has only the session's ID and its messages must be counted; damaged is the content
// of a damaged file.
func readMetadata(dir string, sid id.SessionID) (meta SessionMetadata, damaged []byte, err error) {
	data, err := readRegular(filepath.Join(dir, metadataName))
	if errors.Is(err, ErrNotFound) {
		return SessionMetadata{ID: sid.String(), counted: uncounted}, nil, nil
	}
	if err != nil {
		return SessionMetadata{}, nil, err
	}
	if json.Unmarshal(data, &meta) != nil {
		return SessionMetadata{ID: sid.String(), counted: uncounted}, data, nil
	}
	if meta.ID == "" {
		meta.ID = sid.String()
	}
	if meta.ID != sid.String() {
		return SessionMetadata{}, nil, fmt.Errorf("%s is that of session %.60q", metadataName, meta.ID)
	}
	return meta, nil, nil
}

// encodeMetadata returns the content of metadata.json: indented, HTML escaped, with a newline
// at the end.
func encodeMetadata(meta SessionMetadata) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	err := enc.Encode(meta)
	return out.Bytes(), err
}

// writeMetadata replaces metadata.json. The caller holds the session's lock.
func writeMetadata(dir string, meta SessionMetadata, sync bool) error {
	data, err := encodeMetadata(meta)
	if err != nil {
		return err
	}
	if sync {
		return durable.WriteFile(filepath.Join(dir, metadataName), data, 0o600)
	}
	return durable.WriteCache(filepath.Join(dir, metadataName), data, 0o600)
}

// A run is a range of messages.jsonl that this process wrote, and the tally of its messages.
type run struct {
	from, to int64
	tally
}

// catchUp adds to meta the messages of messages.jsonl that it does not count. If own covers
// exactly those, catchUp does not open the file.
func catchUp(ctx context.Context, dir string, meta *SessionMetadata, own *run) error {
	size, changed, err := StatLog(filepath.Join(dir, messagesName))
	if errors.Is(err, fs.ErrNotExist) && meta.counted == 0 {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		changed = changed.UTC()
	}
	switch {
	case meta.counted == size:
		return nil
	case own != nil && own.rewinds == 0 && meta.counted == own.from && size == own.to:
		add(meta, own.tally, changed)
		meta.counted = size
		return nil
	case meta.counted < 0 || meta.counted > size:
		return recount(ctx, dir, meta, changed)
	}
	list := []part{{path: filepath.Join(dir, messagesName), bytes: size, own: true}}
	t, end, err := tallyLines(ctx, list, nil, meta.counted)
	if err != nil {
		return err
	}
	if t.rewinds > 0 {
		return recount(ctx, dir, meta, changed)
	}
	add(meta, t, changed)
	meta.counted = max(end, meta.counted)
	return nil
}

// recount counts a session's messages again from the first.
func recount(ctx context.Context, dir string, meta *SessionMetadata, changed time.Time) error {
	list, err := parts(dir, messageStream)
	if err != nil {
		return err
	}
	v, err := viewOf(ctx, list, -1, true, messageRecord)
	if err != nil {
		return err
	}
	t, end, err := tallyLines(ctx, list, v, 0)
	if err != nil {
		return err
	}
	meta.MessageCount, meta.LastMessage, meta.Rewinds = 0, "", 0
	if t.used {
		meta.TotalTokens, meta.Usage = 0, nil
	}
	if meta.CreatedAt.IsZero() {
		meta.CreatedAt = t.begun
	}
	add(meta, t, changed)
	meta.counted = end
	return nil
}

func add(meta *SessionMetadata, t tally, changed time.Time) {
	if t.updated.IsZero() {
		t.updated = changed
	}
	t.into(meta)
}

// tallyLines tallies the messages of parts. Of a message outside the view it counts only the
// tokens. end is where the last line of the session's own file ends.
func tallyLines(ctx context.Context, list []part, v *view, from int64) (t tally, end int64, err error) {
	for m, err := range eachSaid(ctx, list, from) {
		switch {
		case err == nil && m.Rewind == nil && !v.has(m.part, m.end):
			t.addRewound(&m.Message)
		case err == nil:
			t.add(&m.Message)
		case !isBad(err):
			return tally{}, 0, err
		}
		if list[m.part].own {
			end = m.end
		}
	}
	return t, end, nil
}
