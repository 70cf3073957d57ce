package sessioncmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/term"
	"entire/session"
)

// How many messages are shown before and after the requested one.
const (
	aroundBefore = 4
	aroundAfter  = 6
)

// A numberedEntry is a message with its number in the whole conversation.
type numberedEntry struct {
	Number int `json:"message"`
	sessionlib.SaidEntry
}

// showAround shows a message, by its number or UUID, with the messages before and after it.
func showAround(ctx context.Context, l *sessionlib.Library, s sessionlib.ListedSession, o showOptions) error {
	list, at, err := around(ctx, l, s, o.around)
	if err != nil {
		return err
	}
	if o.json {
		enc := l.Env.JsonLines()
		for _, m := range list {
			if err := enc.Encode(m); err != nil {
				return err
			}
		}
		return nil
	}
	screen := l.Env.Screen()
	return screen.Paged(ctx, l.Env.Pager(o.noPager), l.Env.Environ, func(out io.Writer) error {
		writer := sessionlib.NewConversationWriter(out, screen, l.Env.Width(), s.Folder)
		for i, m := range list {
			style, sign := term.Faint, "  "
			if i == at {
				style, sign = term.Match, "▶ "
			}
			if _, err := fmt.Fprintln(out, screen.Styled(style, fmt.Sprintf("%s#%d", sign, m.Number))); err != nil {
				return err
			}
			writer.Last = ""
			if err := writer.AddEntry(m.SaidEntry); err != nil {
				return err
			}
		}
		return nil
	})
}

// around returns a message with those before and after it, and its index among them.
func around(ctx context.Context, l *sessionlib.Library, s sessionlib.ListedSession, which string) (list []numberedEntry, at int, err error) {
	number, notNumber := strconv.Atoi(which)
	n, at := 0, -1
	for m, err := range l.Entries(ctx, s, true) {
		n++
		if bad := sessionlib.BadLine(err); bad != nil {
			fmt.Fprintf(l.Env.Err, "warning: %s\n", cliui.ShownLine(bad.Error()))
			continue
		}
		if errors.Is(err, session.ErrNotFound) {
			return nil, 0, sessionlib.NotKept(s)
		}
		if err != nil {
			return nil, 0, err
		}
		list = append(list, numberedEntry{n, m})
		switch {
		case at >= 0 && len(list) > at+aroundAfter:
			return list, at, nil
		case at < 0 && (notNumber == nil && n == number || m.UUID == which):
			at = len(list) - 1
		case at < 0 && len(list) > aroundBefore:
			list = list[1:]
		}
	}
	if at < 0 {
		return nil, 0, cliui.Failf(fmt.Sprintf("it has %s", cliui.Count(n, "message")), "session %s has no message %s", s.ID, cliui.ShownLine(which))
	}
	return list, at, nil
}
