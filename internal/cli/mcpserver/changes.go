package mcpserver

import (
	"context"
	"fmt"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/timeline"
)

type changesIn struct {
	File  string `json:"file,omitempty" jsonschema:"only what changed this file"`
	Since string `json:"since,omitempty" jsonschema:"only what is newer: ID of a turn, commit or checkpoint, git's name for a commit, a date, or 7d, 12h"`
	size
}

const (
	pointsSearched = 500 // of the past
	pointsShown    = 50
	titleCost      = 25
)

// changes lists points, newest first.
func (t *tools) changes(ctx context.Context, in changesIn) (text string, err error) {
	err = t.inPast(ctx, func(wp *workplace.Workplace, tl *timeline.Timeline) error {
		points, more, err := t.pointsOf(ctx, wp, tl, in.File)
		if err != nil {
			return err
		}
		newer, err := t.newerThan(ctx, wp, tl, in.Since)
		if err != nil {
			return err
		}
		text = pointsText(points, newer, more, in.limit())
		return nil
	})
	return text, err
}

// newerThan returns whether a point is newer than what since names, a time or a point; nil for "".
func (t *tools) newerThan(ctx context.Context, wp *workplace.Workplace, tl *timeline.Timeline, since string) (func(timeline.Point) bool, error) {
	if since == "" {
		return nil, nil
	}
	if at, err := cliui.Moment(since, t.env.Now(), false); err == nil {
		return func(pt timeline.Point) bool { return !pt.When.Before(at) }, nil
	}
	id, err := meant(ctx, wp, tl, since)
	if err != nil {
		return nil, fmt.Errorf("find the point %s: %w", named(since, 20), err)
	}
	from, err := tl.Find(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("find the point %s: %w", named(since, 20), err)
	}
	return func(pt timeline.Point) bool { return pt.Index < from.Index }, nil
}

// pointsText writes the points that are newer, or all for nil, as many as there is room for.
func pointsText(points []timeline.Point, newer func(timeline.Point) bool, more bool, limit int) string {
	var p page
	shown, oldest := 0, ""
	for _, pt := range points {
		if newer != nil && !newer(pt) {
			more = false
			break
		}
		if tokens(p.text.String()) > limit-150 || shown == pointsShown {
			more = true
			break
		}
		sayPoint(&p, pt, titleCost)
		shown, oldest = shown+1, pt.ID
	}
	switch {
	case shown == 0 && newer != nil:
		p.say("Nothing has changed since.\n")
	case shown == 0 && more:
		p.say(fmt.Sprintf("None of the newest %d points changed it; older ones were not searched.\n", pointsSearched))
	case shown == 0:
		p.say("Nothing is recorded of it yet.\n")
	case more:
		p.say(fmt.Sprintf("There may be older ones than %.12s: max_tokens shows more, and `entire log` all.\n", oldest))
	}
	return p.String()
}

// pointsOf returns the points that changed a file, or all for "".
func (t *tools) pointsOf(ctx context.Context, wp *workplace.Workplace, tl *timeline.Timeline, file string) (points []timeline.Point, more bool, err error) {
	if file == "" {
		w, err := tl.Window(ctx, 0, pointsSearched)
		return w.Points, w.More, err
	}
	paths, err := workplace.RepoPaths(t.env, wp, []string{file})
	if err != nil {
		return nil, false, err
	}
	states, more, err := tl.FileStates(ctx, paths[0], pointsSearched, pointsShown)
	for _, s := range states {
		points = append(points, s.Made)
	}
	return points, more, err
}
