package cliui

import (
	"context"
	"errors"
	"fmt"

	"entire/internal/term"
)

// Consent asks before something is deleted. Where nobody can be asked it returns an error, so
// such a command needs its flag, --yes or --force, there.
func (env *Env) Consent(ctx context.Context, flag, what, question, detail string) error {
	yes, err := env.Terminal().Confirm(ctx, question, detail)
	switch {
	case errors.Is(err, term.ErrNotInteractive):
		if _, pretend := env.TestTTY(); pretend {
			return nil
		}
		return Failf("add "+flag+" to skip the question", "%s needs confirmation on a terminal", what)
	case errors.Is(err, term.ErrCancelled), err == nil && !yes:
		fmt.Fprintln(env.Err, "Nothing was changed.")
		return ErrTold
	}
	return err
}
