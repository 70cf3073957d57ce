package teleportcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
)

// A Send is what `entire share ID --format parcel` asks for.
type Send struct {
	File, Shown              string // the path, and as a person wrote it
	Life                     time.Duration
	Force, Yes, DryRun, JSON bool
}

// SendFile seals a session in a file, without the files of the worktree. It first shows what goes in, and asks.
func SendFile(ctx context.Context, l *sessionlib.Library, session string, s Send) error {
	if err := inClear(l); err != nil {
		return err
	}
	if _, err := os.Lstat(s.File); err == nil && !s.Force {
		return cliui.Failf("--force replaces it, --output names another", "%s exists", cliui.ShownName(s.Shown))
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !s.Yes && !s.DryRun && !l.Env.Terminal().Interactive {
		return cliui.Failf("--yes writes it; --dry-run only shows what would go in", "nobody is here to agree to what goes in")
	}
	o := sendOptions{to: s.Shown, expires: s.Life, force: s.Force, yes: s.Yes, json: s.JSON, dryRun: s.DryRun, fromShare: true}
	return sendTheSession(ctx, l, []string{session}, target{name: s.Shown, file: s.File}, o)
}

// tellPlanned says what would be sent.
func tellPlanned(l *sessionlib.Library, s sessionlib.ListedSession, bytes int64, to target, o sendOptions) error {
	v := plannedView{To: to.name, Expires: l.Env.Now().Add(o.expires).UTC().Truncate(time.Second), Session: s.ID, Messages: s.Messages, Bytes: bytes}
	if o.json {
		return l.Env.PrintJSON(v)
	}
	_, err := fmt.Fprintf(l.Env.Out, "Nothing was written; it would be %s, %s, and expire on %s.\n", cliui.ShownName(to.name), cliui.ByteCount(bytes), v.Expires.Format("2006-01-02 15:04 MST"))
	return err
}

// A plannedView is what would be sent, as --json prints it.
type plannedView struct {
	To       string    `json:"to"`
	Expires  time.Time `json:"expires_at"`
	Session  string    `json:"session_id"`
	Messages int       `json:"messages"`
	Bytes    int64     `json:"bytes"` // before it is compressed and sealed, without objects of git
	Written  bool      `json:"written"`
}
