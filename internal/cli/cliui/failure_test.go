package cliui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

// TestTold checks that what goes wrong for one reason is told once, with what to do.
func TestTold(t *testing.T) {
	t.Parallel()
	denied := func(what string) error { return &fs.PathError{Op: what, Path: "/data/x", Err: syscall.EACCES} }
	for _, c := range []struct {
		err        error
		told, hint string
	}{
		{errors.New("no"), "no", ""},
		{errors.Join(fmt.Errorf("flush: %w", denied("write")), fmt.Errorf("close: %w", denied("open"))),
			"flush: write /data/x: permission denied", "check its owner and permissions"},
		{errors.Join(denied("write"), errors.New("close: it is damaged")),
			"write /data/x: permission denied; close: it is damaged", "check its owner and permissions"},
		{fmt.Errorf("save: %w", syscall.ENOSPC), "save: no space left on device", "the disk is full: make room, then try again"},
		{fmt.Errorf("save: %w", syscall.EROFS), "save: read-only file system", "the file system cannot be written"},
		{Failf("do that", "save: %w", syscall.ENOSPC), "save: no space left on device", "do that"},
		{fmt.Errorf("list sessions: %w", context.Canceled), "interrupted: list sessions", ""},
		{fmt.Errorf("rewind: %w; nothing was changed", context.Canceled), "interrupted: rewind; nothing was changed", ""},
		{context.Canceled, "interrupted", ""},
		{ToCorrect("read settings: %w", errors.New("not JSON")), "read settings: not JSON", "correct the file or move it away"},
		{ToCorrect("read settings: %w", denied("open")), "read settings: open /data/x: permission denied", "check its owner and permissions"},
		{ToCorrect("%w", fmt.Errorf("write: %w", syscall.ENOSPC)), "write: no space left on device", "the disk is full: make room, then try again"},
		{Failf("", "save: %w", syscall.ENOSPC), "save: no space left on device", "the disk is full: make room, then try again"},
	} {
		if told, hint := toldOf(c.err), HintOf(c.err); told != c.told || hint != c.hint {
			t.Errorf("told %q, hint %q; want %q, %q", told, hint, c.told, c.hint)
		}
	}
}
