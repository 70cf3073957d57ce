package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

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
	saidEntry
}

// showAround shows a message, by its number or UUID, with the messages before and after it.
func (l *library) showAround(ctx context.Context, s listedSession, o showOptions) error {
	list, at, err := l.around(ctx, s, o.around)
	if err != nil {
		return err
	}
	if o.json {
		enc := l.w.jsonLines()
		for _, m := range list {
			if err := enc.Encode(m); err != nil {
				return err
			}
		}
		return nil
	}
	screen := l.w.screen()
	return screen.Paged(ctx, l.w.pager(o.noPager), l.w.environ, func(out io.Writer) error {
		writer := newTalkWriter(out, screen, l.w.width(), s.Folder)
		for i, m := range list {
			style, sign := term.Faint, "  "
			if i == at {
				style, sign = term.Match, "▶ "
			}
			if _, err := fmt.Fprintln(out, screen.Styled(style, fmt.Sprintf("%s#%d", sign, m.Number))); err != nil {
				return err
			}
			writer.last = ""
			if err := writer.addEntry(m.saidEntry); err != nil {
				return err
			}
		}
		return nil
	})
}

// around returns a message with those before and after it, and its index among them.
func (l *library) around(ctx context.Context, s listedSession, which string) (list []numberedEntry, at int, err error) {
	number, notNumber := strconv.Atoi(which)
	n, at := 0, -1
	for m, err := range l.entries(ctx, s, true) {
		n++
		if bad := badLine(err); bad != nil {
			fmt.Fprintf(l.w.err, "warning: %s\n", shownLine(bad.Error()))
			continue
		}
		if errors.Is(err, session.ErrNotFound) {
			return nil, 0, notKept(s)
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
		return nil, 0, failf(fmt.Sprintf("it has %s", count(n, "message")), "session %s has no message %s", s.ID, shownLine(which))
	}
	return list, at, nil
}
