package otelexport

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"entire/internal/cli/cliui"
	"entire/internal/durable"
	"entire/internal/otlp"
)

const bookmarkMax = 256 << 20

// A bookmark says what one collector was sent of the sessions.
type bookmark struct {
	URL      string           `json:"url"`
	Sessions map[string]*mark `json:"sessions"` // by project and ID

	path string
	lock *durable.Lock
}

// A mark says how far a session was sent.
type mark struct {
	End    int64     `json:"end"`              // of the last line that was sent
	Turn   otlp.Turn `json:"turn,omitzero"`    // the turn of that line
	Events []string  `json:"events,omitempty"` // the checkpoints and rewinds that were sent
}

// openBookmark locks and reads the bookmark of a collector.
func openBookmark(data, url string) (*bookmark, error) {
	if data == "" {
		return nil, cliui.Failf("set HOME", "note what is sent: the home directory is not known")
	}
	sum := sha256.Sum256([]byte(url))
	b := &bookmark{path: filepath.Join(data, "otel", hex.EncodeToString(sum[:8])+".json")}
	lock, err := durable.AcquireWithin(b.path+".lock", 0)
	if errors.Is(err, durable.ErrHeld) {
		return nil, cliui.Failf("wait until it ends", "another `entire export otel` sends to %s", cliui.ShownLine(url))
	}
	if err != nil {
		return nil, err
	}
	b.lock = lock
	text, err := durable.Read(b.path, bookmarkMax)
	if err == nil {
		err = json.Unmarshal(text, b)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(cliui.Failf("remove it; everything is sent again then, with the same IDs", "read what was sent, %s: %w", cliui.ShownName(b.path), err), lock.Release())
	}
	b.URL = url
	if b.Sessions == nil {
		b.Sessions = map[string]*mark{}
	}
	return b, nil
}

// of returns a copy of a session's mark.
func (b *bookmark) of(key string) mark {
	if m := b.Sessions[key]; m != nil {
		out := *m
		out.Events = slices.Clone(m.Events)
		return out
	}
	return mark{}
}

func (b *bookmark) save() error {
	text, err := json.Marshal(b)
	if err == nil {
		err = durable.WriteFile(b.path, text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("note what was sent: %w", err)
	}
	return nil
}
