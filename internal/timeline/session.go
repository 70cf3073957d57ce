package timeline

import (
	"context"
	"time"
)

const (
	pointsSearched = 20_000 // for one of a session
	outlined       = 500    // of them at once
)

// PointOf returns the ID of the point of a session at which what was said at that time had been done: its first
// step that ended later or, where only commits are left of it, such a commit. For a zero time it is the session's
// newest point. It is "" for a session that has none in this worktree.
func (t *Timeline) PointOf(ctx context.Context, session string, at time.Time) (string, error) {
	id, err := t.stepOf(ctx, session, at)
	if id != "" || err != nil {
		return id, err
	}
	for from := 0; from < pointsSearched; from += outlined {
		w, err := t.Outline(ctx, from, outlined)
		if err != nil {
			return "", err
		}
		for _, p := range w.Points {
			if p.Session != session {
				continue
			}
			if id != "" && p.When.Before(at) {
				return id, nil
			}
			if id = p.ID; at.IsZero() {
				return id, nil
			}
		}
		if !w.More && from+outlined >= w.Known {
			break
		}
	}
	return id, nil
}

// stepOf is PointOf among the steps, which the list knows without reading them again.
func (t *Timeline) stepOf(ctx context.Context, session string, at time.Time) (id string, err error) {
	t.lock(ctx)
	defer t.mu.Unlock()
	for i := range pointsSearched {
		l, err := t.opened(ctx, i+1)
		if err != nil || i >= len(l.entries) {
			return id, err
		}
		e := l.entries[i]
		if e.session < 0 || l.sessions[e.session] != session || e.Kind() == Rewind {
			continue
		}
		if id != "" && e.time().Before(at.Truncate(time.Second)) {
			break
		}
		if id = e.oid.String(); at.IsZero() {
			break
		}
	}
	return id, nil
}
