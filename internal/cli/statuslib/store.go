package statuslib

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/project"
	"entire/internal/retention"
	"entire/session"
)

// storeLook bounds how long status measures the disk use of conversations.
const storeLook = 40 * time.Millisecond

// A Store is the disk use of the project's conversations.
type Store struct {
	Sessions int   `json:"sessions"`
	Bytes    int64 `json:"bytes"`
	Plain    int64 `json:"uncompressed_bytes"` // if nothing were compressed
	AtLeast  bool  `json:"at_least,omitempty"` // not all was measured in time
	Trash    int   `json:"trash"`
	InTrash  int64 `json:"trash_bytes"`
}

// readStore measures the disk use. It ignores errors: nothing depends on the figures.
func (v *Status) readStore(ctx context.Context, env *cliui.Env, id project.Identity) {
	data := workplace.DataDir(env)
	if data == "" || !cliui.IsDir(filepath.Dir(session.BaseIn(id.Dir(data)))) {
		return
	}
	store := session.OpenStore(session.BaseIn(id.Dir(data)))
	defer store.Close()
	use, err := store.DiskUse(ctx, storeLook)
	if err != nil || use.Sessions+use.Trash == 0 {
		return
	}
	v.Store = &Store{use.Sessions, use.Bytes, use.Plain, use.Partial, use.Trash, use.TrashBytes}
}

func (v *Status) writeStore(b *strings.Builder) {
	s := v.Store
	if s == nil {
		return
	}
	fmt.Fprintf(b, "\nConversations: %d kept", s.Sessions)
	switch {
	case s.AtLeast && s.Bytes == 0: // none was measured in time
	case s.AtLeast:
		fmt.Fprintf(b, ", at least %s", retention.Bytes(s.Bytes))
	default:
		fmt.Fprintf(b, ", %s", retention.Bytes(s.Bytes))
	}
	if s.Plain > s.Bytes {
		fmt.Fprintf(b, " (%s uncompressed)", retention.Bytes(s.Plain))
	}
	if s.Trash > 0 {
		fmt.Fprintf(b, "; %d in the trash, %s", s.Trash, retention.Bytes(s.InTrash))
	}
	b.WriteString("\n")
}
