package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/resume"
	"entire/strategy/step"
)

// A meaning is what a name means: one session, one stored checkpoint, or one commit, which may be
// a step. Every command accepts any of them.
type meaning struct {
	kind       meaningKind
	session    string
	checkpoint id.CheckpointID
	commit     git.Commit
}

type meaningKind string

const (
	meansSession    meaningKind = "session"
	meansCheckpoint meaningKind = "checkpoint"
	meansCommit     meaningKind = "commit"
)

// errNoMeaning is returned for a name that means nothing here.
var errNoMeaning = errors.New("no session, checkpoint or commit here has this name")

// shown returns the ID as the screen shows it.
func (m meaning) shown() string {
	switch m.kind {
	case meansSession:
		return shownSession(m.session)
	case meansCheckpoint:
		return m.checkpoint.String()
	}
	return m.commit.OID.Short()
}

// meaningOf returns what a name means: an ID, the beginning of one, or any name that git has for
// a commit. It returns an error for a name with several meanings.
func (wp *workplace) meaningOf(ctx context.Context, name string) (meaning, error) {
	if name == "" || strings.HasPrefix(name, "-") {
		return meaning{}, fmt.Errorf("%w: %s", errNoMeaning, name)
	}
	sessions, err := wp.sessionIDs(ctx, name)
	if err != nil {
		return meaning{}, err
	}
	checkpoints, err := records.NewReader(wp.repo).FindByPrefix(ctx, strings.ToLower(name))
	if err != nil {
		return meaning{}, err
	}
	var found []meaning
	for _, sid := range sessions {
		found = append(found, meaning{kind: meansSession, session: sid})
	}
	for _, cp := range checkpoints {
		found = append(found, meaning{kind: meansCheckpoint, checkpoint: cp})
	}
	if commit, ok, err := wp.repo.Reader(ctx).CommitOf(name); err == nil && ok {
		found = append(found, meaning{kind: meansCommit, commit: commit})
	}
	return oneOf(found, name)
}

// oneOf returns the meaning with exactly that name, or the only one.
func oneOf(found []meaning, name string) (meaning, error) {
	for _, m := range found {
		if m.session == name || m.kind == meansCheckpoint && m.checkpoint.String() == name || m.kind == meansCommit && m.commit.OID.String() == name {
			return m, nil
		}
	}
	switch len(found) {
	case 0:
		return meaning{}, fmt.Errorf("%w: %s", errNoMeaning, name)
	case 1:
		return found[0], nil
	}
	var words []string
	for _, m := range found {
		words = append(words, string(m.kind)+" "+m.shown())
	}
	return meaning{}, failf("give more of the ID", "%q may be %s", name, strings.Join(words, " or "))
}

// sessionIDs returns the IDs that begin with name of sessions in this repository.
func (wp *workplace) sessionIDs(ctx context.Context, name string) ([]string, error) {
	sums, err := wp.store.Summaries(ctx)
	if err != nil {
		return nil, err
	}
	linked, err := resume.Sessions(ctx, wp.engine)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, sum := range sums {
		found = append(found, sum.ID.String())
	}
	for _, s := range linked {
		found = append(found, s.ID)
	}
	found = slices.DeleteFunc(found, func(sid string) bool { return !strings.HasPrefix(sid, name) })
	slices.Sort(found)
	return slices.Compact(found), nil
}

// checkpointsOf returns the stored checkpoints of a meaning, newest first.
func (wp *workplace) checkpointsOf(ctx context.Context, m meaning) ([]id.CheckpointID, error) {
	switch m.kind {
	case meansCheckpoint:
		return []id.CheckpointID{m.checkpoint}, nil
	case meansCommit:
		return trailer.ParseCheckpointTrailers(m.commit.Message), nil
	}
	linked, err := resume.Sessions(ctx, wp.engine)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(linked, func(s resume.Session) bool { return s.ID == m.session })
	if i < 0 {
		return nil, nil
	}
	points := slices.Clone(linked[i].Checkpoints)
	slices.SortStableFunc(points, func(a, b resume.Checkpoint) int { return b.Timestamp.Compare(a.Timestamp) })
	var ids []id.CheckpointID
	for _, p := range points {
		if !p.CheckpointID.IsZero() {
			ids = append(ids, p.CheckpointID)
		}
	}
	return ids, nil
}

// sessionsOf returns the sessions of a meaning.
func (wp *workplace) sessionsOf(ctx context.Context, m meaning) ([]string, error) {
	if m.kind == meansSession {
		return []string{m.session}, nil
	}
	if m.kind == meansCommit {
		if info := shadow.ParseStep(m.commit.Message); !info.Session.IsZero() {
			return []string{info.Session.String()}, nil
		}
	}
	ids, err := wp.checkpointsOf(ctx, m)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	stored, err := records.NewReader(wp.repo).ReadMany(ctx, ids)
	var found []string
	for _, cp := range stored {
		for _, s := range cp.Sessions {
			if sid := s.Metadata.SessionID; sid != "" && !slices.Contains(found, sid) {
				found = append(found, sid)
			}
		}
	}
	return found, err
}

// sessionNamed returns the one session that a name means.
func (wp *workplace) sessionNamed(ctx context.Context, name string) (string, error) {
	m, err := wp.meaningOf(ctx, name)
	if err != nil {
		return "", err
	}
	found, err := wp.sessionsOf(ctx, m)
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", fmt.Errorf("%w: no session worked on %s", errNoMeaning, m.shown())
	case len(found) > 1:
		return "", failf("name one of them", "%s has several sessions: %s", m.shown(), shownSessions(found))
	}
	return found[0], nil
}

// commitMeant returns the commit of a meaning: for a checkpoint, the newest commit that names it;
// for a session, that of its newest checkpoint.
func (wp *workplace) commitMeant(ctx context.Context, m meaning) (git.Commit, error) {
	if m.kind == meansCommit {
		return m.commit, nil
	}
	ids, err := wp.checkpointsOf(ctx, m)
	if err != nil {
		return git.Commit{}, err
	}
	for _, cp := range ids {
		for _, everywhere := range []bool{false, true} {
			commits, err := commitsOf(ctx, wp.repo, cp, everywhere)
			if err != nil {
				return git.Commit{}, err
			}
			if len(commits) > 0 {
				c, _, err := wp.repo.Reader(ctx).CommitOf(commits[0].ID)
				return c, err
			}
		}
	}
	return git.Commit{}, fmt.Errorf("%w: no commit names %s", errNoMeaning, m.shown())
}

// pointNamed returns the point that a name means: for a session its newest, for a checkpoint that
// of its commit.
func (wp *workplace) pointNamed(ctx context.Context, name string) (step.RewindPoint, error) {
	none, err := step.FindPoint(ctx, wp.engine, name)
	if !errors.Is(err, step.ErrPointNotFound) || wp.repo == nil {
		return none, err
	}
	m, other := wp.meaningOf(ctx, name)
	if other != nil {
		if !errors.Is(other, errNoMeaning) {
			err = other
		}
		return none, err
	}
	if m.kind == meansSession {
		points, err := step.Points(ctx, wp.engine, 0)
		if i := slices.IndexFunc(points, func(p step.RewindPoint) bool { return p.SessionID == m.session }); i >= 0 {
			return points[i], nil
		}
		return none, cmp.Or(err, fmt.Errorf("%w: session %s has none here", step.ErrPointNotFound, m.shown()))
	}
	commit, other := wp.commitMeant(ctx, m)
	if other != nil {
		return none, fmt.Errorf("%w: %s: %w", step.ErrPointNotFound, name, other)
	}
	point, err := step.FindPoint(ctx, wp.engine, commit.OID.String())
	if errors.Is(err, step.ErrPointNotFound) { // a commit without an agent's work still has files
		return step.RewindPoint{ID: commit.OID.String(), Message: commit.Subject(), Date: commit.Author.When, IsLogsOnly: true,
			Why: shadow.WhyCommit, Head: commit.OID.String()}, nil
	}
	return point, err
}

func shownSessions(ids []string) string {
	var short []string
	for _, sid := range ids {
		short = append(short, shownSession(sid))
	}
	return strings.Join(short, ", ")
}
