package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/pointlib"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/timeline"
)

type openIn struct {
	ID string `json:"id" jsonschema:"SESSION, SESSION#MESSAGE, or the ID of a turn, commit or checkpoint"`
	size
}

// around is how many messages of a session are shown at once.
const around = 9

// open shows a part of a session or, if no session has this name, a point.
func (t *tools) open(ctx context.Context, in openIn) (text string, err error) {
	name, number, isMessage := strings.Cut(strings.TrimSpace(in.ID), "#")
	if name == "" {
		return "", cliui.Failf("recall finds IDs", "no ID was given")
	}
	at := 0
	if isMessage {
		if at, err = strconv.Atoi(number); err != nil || at < 1 {
			return "", cliui.Failf("as in 3f2a#12", "%s: after # stands the number of a message, from 1", cliui.ShownLine(in.ID))
		}
	}
	if !isMessage && t.inRepository() {
		text, err := t.point(ctx, name, in.limit())
		if !errors.Is(err, timeline.ErrNoPoint) {
			return text, err
		}
	}
	return t.session(ctx, name, at, in.limit())
}

// session shows a part of a session: around a message, or the last ones for 0.
func (t *tools) session(ctx context.Context, name string, at, limit int) (text string, err error) {
	err = sessionlib.WithLibrary(ctx, t.env, func(l *sessionlib.Library) error {
		s, err := l.Find(ctx, name)
		if err != nil {
			return err
		}
		part, total, err := t.part.Part(ctx, l, s, at, around)
		if err != nil {
			return err
		}
		if at > total {
			return cliui.Failf(fmt.Sprintf("open %s#%d shows the last", name, total), "session %s has %d messages", cliui.ShownSession(s.ID), total)
		}
		text = partText(s, shortName(s, name), part, total, at, limit)
		return nil
	})
	return text, err
}

// shortName returns what a caller names a session by, or the beginning of its ID if that is shorter.
func shortName(s sessionlib.ListedSession, name string) string {
	if short := cliui.ShownSession(s.ID); !strings.HasPrefix(s.ID, name) || len(name) > len(short) {
		return short
	}
	return name
}

// partText writes messages; the one that was asked for gets half of the room, and those beside it more
// than the others.
func partText(s sessionlib.ListedSession, id string, part []sessionlib.NumberedEntry, total, at, limit int) string {
	var p page
	p.say(fmt.Sprintf("session %s, %s, %d messages, updated %s, titled %s\n", s.ID, cliui.AgentOr(s.Agent), total, s.Updated.UTC().Format("2006-01-02 15:04"),
		named(sessionlib.TitleOf(s), 30)))
	const lineCost = 20
	left := limit - tokens(p.String()) - tokens(dataNote) - 60 - lineCost*len(part)
	for _, e := range part {
		room := left / (2 * max(len(part)-1, 1))
		switch {
		case at == 0:
			room = left / max(len(part), 1)
		case e.Number == at:
			room = left / 2
		}
		p.say(fmt.Sprintf("%s#%d %s%s\n", id, e.Number, e.Role, aboutEntry(e)))
		p.quote(entryText(e), max(room, least))
	}
	if len(part) > 0 {
		first, last := part[0].Number, part[len(part)-1].Number
		if first > 1 {
			p.say(fmt.Sprintf("before: %s#%d\n", id, max(first-around/2-1, 1)))
		}
		if last < total {
			p.say(fmt.Sprintf("after: %s#%d\n", id, min(last+around/2+1, total)))
		}
	}
	return p.String()
}

func aboutEntry(e sessionlib.NumberedEntry) string {
	about := ""
	if !e.Timestamp.IsZero() {
		about = e.Timestamp.UTC().Format(" 2006-01-02 15:04")
	}
	if e.IsError {
		about += " failed"
	}
	if e.Rewound {
		about += " rewound"
	}
	return about
}

func entryText(e sessionlib.NumberedEntry) string {
	lines := []string{strings.TrimSpace(e.Content)}
	for _, call := range e.ToolCalls {
		lines = append(lines, sessionlib.CallLine(call))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// point shows a turn, a commit or a checkpoint.
func (t *tools) point(ctx context.Context, name string, limit int) (text string, err error) {
	err = t.inPast(ctx, func(_ *workplace.Workplace, tl *timeline.Timeline) error {
		found, err := tl.Find(ctx, name)
		if err != nil {
			return err
		}
		d, err := tl.Details(ctx, found.ID)
		if err == nil {
			text = detailsText(d, limit)
		}
		return err
	})
	return text, err
}

func detailsText(d timeline.Details, limit int) string {
	var p page
	sayPoint(&p, d.Point, limit/4)
	for i, prompt := range d.Prompts {
		p.say("prompt\n")
		p.quote(prompt, limit/4/(i+1))
	}
	if d.Answer != "" {
		p.say("the agent's last words\n")
		p.quote(d.Answer, limit/4)
	}
	if len(d.Changes) > 0 {
		p.say("files\n")
	}
	const most = 40
	for _, c := range d.Changes[:min(len(d.Changes), most)] {
		p.quote(fmt.Sprintf("%s %s +%d -%d", c.Action, c.Path, c.Insertions, c.Deletions), limit/8)
	}
	if more := len(d.Changes) - most; more > 0 {
		p.say(fmt.Sprintf("and %d more files\n", more))
	}
	return p.String()
}

// sayPoint writes a point in two lines: its ID, when and what it is, and its title.
func sayPoint(p *page, pt timeline.Point, limit int) {
	p.say(fmt.Sprintf("%.12s  %s  %s", pt.ID, pt.When.UTC().Format("2006-01-02 15:04"), pt.Kind))
	if note := pointlib.Note(pt); note != "" {
		p.say(", " + note)
	}
	if changed := pointlib.Changed(pt); changed != "" {
		p.say(", " + changed)
	}
	p.say("\n")
	p.quote(pointlib.Title(pt), limit)
}
