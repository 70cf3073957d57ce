package layout

import (
	"os"
	"path/filepath"
	"time"

	"entire/id"
	"entire/internal/durable"
)

// restoredName is the folder of files named after the sessions that were restored from the
// trash. Each holds the time, from which a clean-up counts a session's age.
const restoredName = ".restored"

// RestoredPath returns the path of a session's mark.
func (b *Base) RestoredPath(sid id.SessionID) string {
	return filepath.Join(b.Path, restoredName, sid.String())
}

// NoteRestored records that a session was restored from the trash now.
func (b *Base) NoteRestored(sid id.SessionID) error {
	return durable.WriteCache(b.RestoredPath(sid), []byte(b.Now().UTC().Format(time.RFC3339Nano)+"\n"), 0o600)
}

// Restored returns, by ID, when each session was restored from the trash, if it was and still
// exists.
func (b *Base) Restored() map[string]time.Time {
	entries, _ := os.ReadDir(filepath.Join(b.Path, restoredName))
	when := map[string]time.Time{}
	for _, e := range entries {
		sid, err := id.ParseSessionID(e.Name())
		if err != nil {
			continue
		}
		data, err := ReadRegular(b.RestoredPath(sid))
		if err != nil || len(data) == 0 {
			continue
		}
		if at, err := time.Parse(time.RFC3339Nano, string(data[:len(data)-1])); err == nil {
			when[sid.String()] = at
		}
	}
	return when
}
