package mcpserver

import (
	"context"
	"fmt"

	"entire/internal/cli/workplace"
	"entire/internal/timeline"
)

type changesIn struct {
	File  string `json:"file,omitempty" jsonschema:"only what changed this file"`
	Since string `json:"since,omitempty" jsonschema:"only what is newer than this point: ID of a turn, commit or checkpoint, or git's name for a commit"`
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
		last := -1
		if in.Since != "" {
			id, err := meant(ctx, wp, tl, in.Since)
			if err != nil {
				return fmt.Errorf("find the point %s: %w", named(in.Since, 20), err)
			}
			since, err := tl.Find(ctx, id)
			if err != nil {
				return fmt.Errorf("find the point %s: %w", named(in.Since, 20), err)
			}
			last = since.Index
		}
		text = pointsText(points, last, more, in.limit())
		return nil
	})
	return text, err
}

// pointsText writes the points that are newer than the one with the index last, or all for -1, as many as
// there is room for.
func pointsText(points []timeline.Point, last int, more bool, limit int) string {
	var p page
	shown, oldest := 0, ""
	for _, pt := range points {
		if last >= 0 && pt.Index >= last {
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
	case shown == 0 && last >= 0:
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
