package main

import (
	"context"
	"errors"
	"fmt"

	"entire/internal/term"
)

// consent asks before something is deleted. Where nobody can be asked it returns an error, so
// such a command needs --force there.
func (w *world) consent(ctx context.Context, what, question, detail string) error {
	yes, err := w.terminal().Confirm(ctx, question, detail)
	switch {
	case errors.Is(err, term.ErrNotInteractive):
		if _, pretend := w.testTTY(); pretend {
			return nil
		}
		return failf("add --force to skip the question", "%s needs confirmation on a terminal", what)
	case errors.Is(err, term.ErrCancelled), err == nil && !yes:
		fmt.Fprintln(w.err, "Nothing was changed.")
		return errTold
	}
	return err
}
