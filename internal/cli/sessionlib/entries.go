package sessionlib

import (
	"context"
	"errors"
	"fmt"

	"entire/checkpoint/records"
	"entire/internal/cli/cliui"
	"entire/session"
)

// EachEntry passes a session's messages to do; with all, also those that rewinds removed. It
// warns about messages that cannot be read.
func (l *Library) EachEntry(ctx context.Context, s ListedSession, all bool, do func(SaidEntry) error) error {
	for m, err := range l.Entries(ctx, s, all) {
		if bad := BadLine(err); bad != nil {
			fmt.Fprintf(l.Env.Err, "warning: %s\n", cliui.ShownLine(bad.Error()))
			continue
		}
		if errors.Is(err, session.ErrNotFound) {
			return NotKept(s)
		}
		if err != nil {
			return err
		}
		if err := do(m); err != nil {
			return err
		}
	}
	return nil
}

// BadLine returns err if it concerns one unreadable message among readable ones, else nil.
func BadLine(err error) error {
	var bad *session.BadLineError
	var badInGit *records.BadMessageError
	if errors.As(err, &bad) || errors.As(err, &badInGit) {
		return err
	}
	return nil
}
