package workplace

import (
	"context"
	"errors"
	"slices"
	"strings"

	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/strategy/step"
)

// sessionOfPoints returns the full ID of the one session of these points whose ID is, or begins
// with, name.
func sessionOfPoints(points []step.RewindPoint, name string) (string, error) {
	var found []string
	for _, p := range points {
		if p.SessionID == name {
			return name, nil
		}
		if strings.HasPrefix(p.SessionID, name) && !slices.Contains(found, p.SessionID) {
			found = append(found, p.SessionID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", cliui.Failf("`entire log` shows them", "session %s has no checkpoint here", cliui.ShownLine(name))
	}
	return "", cliui.Failf("give more of the ID", "several sessions begin with %s: %s", cliui.ShownLine(name), cliui.ShownLine(strings.Join(found, ", ")))
}

// StonesOf returns the tombstones whose ID begins with prefix, in upper or lower case.
func StonesOf(tombstones map[id.CheckpointID]metadata.Tombstone, prefix string) (found []metadata.Tombstone) {
	for cp, t := range tombstones {
		if strings.HasPrefix(strings.ToLower(cp.String()), strings.ToLower(prefix)) {
			found = append(found, t)
		}
	}
	return found
}

// FindPoint returns the point that a name means.
func FindPoint(ctx context.Context, wp *Workplace, name string) (step.RewindPoint, error) {
	point, err := wp.PointNamed(ctx, name)
	if err != nil {
		return point, cliui.WithHint(err, "`entire log` shows the points")
	}
	return point, nil
}

// FirstIDs returns at most five of the IDs.
func FirstIDs(ids []id.CheckpointID) string {
	var names []string
	for i, cp := range ids {
		if i == 5 {
			return strings.Join(names, ", ") + ", …"
		}
		names = append(names, cp.String())
	}
	return strings.Join(names, ", ")
}

// FindSession returns the full ID of the session whose ID is, or begins with, name.
func FindSession(ctx context.Context, wp *Workplace, name string) (string, error) {
	sums, err := wp.Store.Summaries(ctx)
	if err != nil {
		return "", err
	}
	var found []string
	for _, sum := range sums {
		switch sid := sum.ID.String(); {
		case sid == name:
			return sid, nil
		case strings.HasPrefix(sid, name):
			found = append(found, sid)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", cliui.Failf("give more of the ID", "several sessions begin with %s: %s", cliui.ShownLine(name), strings.Join(found, ", "))
	}
	if known, err := wp.sessionIDs(ctx, name); err == nil && len(known) == 1 {
		return known[0], nil // as checkpoints have it; points take longer to read
	}
	if sid, err := id.ParseSessionID(name); err == nil {
		if points, err := step.Points(ctx, wp.Engine, 0); err == nil {
			if full, err := sessionOfPoints(points, sid.String()); err == nil {
				return full, nil
			}
		}
	}
	sid, err := wp.SessionNamed(ctx, name)
	if err == nil || !errors.Is(err, ErrNoMeaning) {
		return sid, err
	}
	return "", cliui.Failf("`entire log` names them", "session not found: %s", cliui.ShownLine(name))
}
