package maintain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"entire/internal/durable"
	"entire/strategy/condense"
	"entire/strategy/sessionstate"
)

// examineRewindLog finds a log of rewinds that cannot be read, which prevents new rewinds. The
// log's steps have their own refs.
func examineRewindLog(s *sessionstate.Env) []Finding {
	_, err := condense.ReadRewindLog(s)
	if err == nil {
		return nil
	}
	return []Finding{{Kind: "not-readable", Subject: "log of rewinds", Why: err.Error(),
		Hint: "`git for-each-ref refs/entire/undo` lists the steps it speaks of, for `entire rewind`",
		Fix:  "move what cannot be read to " + filepath.Base(logAside(s)), Mend: func(ctx context.Context) (string, error) { return salvageRewindLog(ctx, s) }}}
}

func logAside(s *sessionstate.Env) string { return condense.RewindLogPath(s) + ".unreadable" }

// salvageRewindLog keeps the entries that can be read and moves the others to another file.
func salvageRewindLog(ctx context.Context, s *sessionstate.Env) (string, error) {
	lock, err := condense.LockRewindLog(ctx, s)
	if err != nil {
		return "", err
	}
	defer lock.Release()
	data, err := durable.ReadOwn(condense.RewindLogPath(s))
	if err != nil {
		return "", err
	}
	log, bad := condense.SplitRewindLog(data)
	aside, err := durable.ReadOwn(logAside(s))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, b := range bad {
		aside = append(append(aside, bytes.TrimRight(b.Text, "\r\n")...), '\n')
	}
	if err := durable.WriteFile(logAside(s), aside, 0o600); err != nil {
		return "", err
	}
	kept, err := condense.EncodeRewindLog(log)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("lines kept: %d; moved to %s: %d", len(log), logAside(s), len(bad)), durable.WriteFile(condense.RewindLogPath(s), kept, 0o600)
}
