package logcmd

import (
	"context"
	"fmt"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/term"
)

const (
	sessionPoints = 20   // of a session that are shown
	sessionScan   = 5000 // points among which they are searched
)

// A sessionView is a session, and its JSON form.
type sessionView struct {
	Kind string `json:"kind"` // "session"
	sessionlib.ListedSession
	Points  []row  `json:"points"` // the newest, at most sessionPoints
	Command string `json:"resume_command"`
}

func (s shower) sessionFound(ctx context.Context, found sessionlib.ListedSession) error {
	v := sessionView{Kind: "session", ListedSession: found, Points: []row{}, Command: "entire resume " + cliui.ShellWord(found.ID)}
	s.tl.ReadOnly(found.CheckpointIDs())
	past := stream{tl: s.tl, limit: sessionPoints + 1, scan: sessionScan, filter: filter{session: found.ID}}
	if err := past.windows(ctx, (*rowList)(&v.Points), func() error { return nil }); err != nil {
		return err
	}
	more := len(v.Points) > sessionPoints
	v.Points = v.Points[:min(len(v.Points), sessionPoints)]
	if s.o.json {
		return s.env.PrintJSON(v)
	}
	var b strings.Builder
	t := s.env.Screen()
	b.WriteString(sessionlib.Text(found, t))
	if len(v.Points) > 0 {
		fmt.Fprintf(&b, "\n%s\n", t.Styled(term.Strong, "Points, newest first:"))
		rows := newTextRows(&b, t, s.env.Width(), logOptions{oneline: true})
		for _, r := range v.Points {
			if err := rows.row(r); err != nil {
				return err
			}
		}
	}
	if short := cliui.ShownSession(found.ID); more {
		fmt.Fprintf(&b, "\nAll points:         entire log --session %s\n", short)
	} else {
		b.WriteString("\n")
	}
	short := cliui.ShownSession(found.ID)
	fmt.Fprintf(&b, "What was said:      entire sessions show %s --messages\nTo continue it:     %s\n", short, "entire resume "+short)
	return s.env.Show(ctx, b.String(), s.o.noPage)
}

// A rowList is a sink that keeps the rows.
type rowList []row

func (*rowList) begin(bool) error { return nil }
func (l *rowList) row(r row) error {
	*l = append(*l, r)
	return nil
}
func (*rowList) end(int) error { return nil }
