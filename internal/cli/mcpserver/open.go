package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/pointlib"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/timeline"
)

type openIn struct {
	ID string `json:"id" jsonschema:"SESSION, SESSION#MESSAGE, or the ID of a turn, commit or checkpoint, or git's name for a commit"`
	size
}

// around is how many messages of a session are shown at once at most.
const around = 61

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

// partText writes messages: the one that was asked for, or the last for 0, with up to half of the room, and
// from there on those beside it, the later ones first, as long as there is room.
func partText(s sessionlib.ListedSession, id string, part []sessionlib.NumberedEntry, total, at, limit int) string {
	var p page
	p.say(fmt.Sprintf("session %s, %s, %d messages, updated %s, titled %s\n", s.ID, cliui.AgentOr(s.Agent), total, s.Updated.UTC().Format("2006-01-02 15:04"),
		named(sessionlib.TitleOf(s), 30)))
	if len(part) == 0 {
		return p.String()
	}
	if at == 0 {
		at = part[len(part)-1].Number
	}
	const aroundCost = 60 // of the lines before and after
	from, to, rooms := chosen(part, at, limit-tokens(p.String())-tokens(dataNote)-tokens(cutNote)-aroundCost)
	for i := from; i <= to; i++ {
		p.say(fmt.Sprintf("%s#%d %s%s\n", id, part[i].Number, part[i].Role, aboutEntry(part[i])))
		p.quote(entryText(part[i]), rooms[i])
	}
	if first := part[from].Number; first > 1 {
		p.say(fmt.Sprintf("before: %s#%d\n", id, first-1))
	}
	if last := part[to].Number; last < total {
		p.say(fmt.Sprintf("after: %s#%d\n", id, last+1))
	}
	return p.String()
}

// chosen returns which messages are shown, and the room of each.
func chosen(part []sessionlib.NumberedEntry, at, left int) (from, to int, rooms []int) {
	rooms = make([]int, len(part))
	from = max(slices.IndexFunc(part, func(e sessionlib.NumberedEntry) bool { return e.Number == at }), 0)
	to = from
	take := func(i, room int) bool {
		if i < 0 || i >= len(part) || left < lineCost+least {
			return false
		}
		cost := quoteCost(entryText(part[i]))
		rooms[i] = max(min(room, cost, left-lineCost), least)
		left -= rooms[i] + lineCost
		return true
	}
	room := max(left/8, least)
	take(from, left/2)
	for later, earlier := true, true; later || earlier; {
		if later = later && take(to+1, room); later {
			to++
		}
		if earlier = earlier && take(from-1, room); earlier {
			from--
		}
	}
	return from, to, rooms
}

// lineCost is what the line above a message takes.
const lineCost = 35

// quoteCost returns what a text takes when it is quoted.
func quoteCost(text string) int { return tokens(text) + strings.Count(text, "\n") + 2 }

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
	err = t.inPast(ctx, func(wp *workplace.Workplace, tl *timeline.Timeline) error {
		id, err := meant(ctx, wp, tl, name)
		if err != nil {
			return err
		}
		d, err := tl.Details(ctx, id)
		if err == nil {
			text = detailsText(d, limit)
		}
		return err
	})
	return text, err
}

// meant returns the whole ID of the point that has an ID, or of the commit that git or a checkpoint names so. Of
// anything else, such as a session, it returns [timeline.ErrNoPoint].
func meant(ctx context.Context, wp *workplace.Workplace, tl *timeline.Timeline, name string) (string, error) {
	pt, err := tl.Find(ctx, name)
	if !errors.Is(err, timeline.ErrNoPoint) {
		return pt.ID, err
	}
	m, other := wp.MeaningOf(ctx, name)
	if other != nil || m.Kind == workplace.MeansSession {
		return "", err
	}
	c, other := wp.CommitMeant(ctx, m)
	if other != nil {
		return "", err
	}
	return c.OID.String(), nil
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
