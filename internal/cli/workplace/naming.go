package workplace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/git"
	"entire/strategy/resume"
	"entire/strategy/step"
)

// A Meaning is what a name means: one session, one stored checkpoint, or one commit, which may be
// a step. Every command accepts any of them.
type Meaning struct {
	Kind       meaningKind
	Session    string
	Checkpoint id.CheckpointID
	Commit     git.Commit
}

type meaningKind string

const (
	MeansSession    meaningKind = "session"
	MeansCheckpoint meaningKind = "checkpoint"
	meansCommit     meaningKind = "commit"
)

// ErrNoMeaning is returned for a name that means nothing here.
var ErrNoMeaning = errors.New("no session, checkpoint or commit here has this name")

// Shown returns the ID as the screen shows it.
func (m Meaning) Shown() string {
	switch m.Kind {
	case MeansSession:
		return cliui.ShownSession(m.Session)
	case MeansCheckpoint:
		return m.Checkpoint.String()
	}
	return m.Commit.OID.Short()
}

// MeaningOf returns what a name means: an ID, the beginning of one, a checkpoint's own ref, or any name that git has
// for a commit. It returns an error for a name with several meanings.
func (wp *Workplace) MeaningOf(ctx context.Context, name string) (Meaning, error) {
	if name == "" || strings.HasPrefix(name, "-") {
		return Meaning{}, fmt.Errorf("%w: %s", ErrNoMeaning, name)
	}
	if cp, own := metadata.ParseCheckpointRef("refs/" + strings.TrimPrefix(name, "refs/")); own {
		return Meaning{Kind: MeansCheckpoint, Checkpoint: cp}, nil
	}
	sessions, err := wp.sessionIDs(ctx, name)
	if err != nil {
		return Meaning{}, err
	}
	checkpoints, err := records.NewReader(wp.Repo).FindByPrefix(ctx, name)
	if err != nil {
		return Meaning{}, err
	}
	var found []Meaning
	for _, sid := range sessions {
		found = append(found, Meaning{Kind: MeansSession, Session: sid})
	}
	for _, cp := range checkpoints {
		found = append(found, Meaning{Kind: MeansCheckpoint, Checkpoint: cp})
	}
	if commit, ok, err := wp.Repo.Reader(ctx).CommitOf(name); err == nil && ok {
		found = append(found, Meaning{Kind: meansCommit, Commit: commit})
	}
	return oneOf(found, name)
}

// oneOf returns the meaning with exactly that name, or the only one.
func oneOf(found []Meaning, name string) (Meaning, error) {
	for _, m := range found {
		if m.Session == name || m.Kind == MeansCheckpoint && strings.EqualFold(m.Checkpoint.String(), name) || m.Kind == meansCommit && m.Commit.OID.String() == name {
			return m, nil
		}
	}
	switch len(found) {
	case 0:
		return Meaning{}, fmt.Errorf("%w: %s", ErrNoMeaning, name)
	case 1:
		return found[0], nil
	}
	var words []string
	for _, m := range found {
		words = append(words, string(m.Kind)+" "+m.Shown())
	}
	return Meaning{}, cliui.Failf("give more of the ID", "%q may be %s", name, strings.Join(words, " or "))
}

// sessionIDs returns the IDs that begin with name of sessions in this repository.
func (wp *Workplace) sessionIDs(ctx context.Context, name string) ([]string, error) {
	sums, err := wp.Store.Summaries(ctx)
	if err != nil {
		return nil, err
	}
	linked, err := resume.Sessions(ctx, wp.Engine)
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

// CheckpointsOf returns the stored checkpoints of a meaning, newest first.
func (wp *Workplace) CheckpointsOf(ctx context.Context, m Meaning) ([]id.CheckpointID, error) {
	switch m.Kind {
	case MeansCheckpoint:
		return []id.CheckpointID{m.Checkpoint}, nil
	case meansCommit:
		return trailer.ParseCheckpointTrailers(m.Commit.Message), nil
	}
	linked, err := resume.Sessions(ctx, wp.Engine)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(linked, func(s resume.Session) bool { return s.ID == m.Session })
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
func (wp *Workplace) sessionsOf(ctx context.Context, m Meaning) ([]string, error) {
	if m.Kind == MeansSession {
		return []string{m.Session}, nil
	}
	if m.Kind == meansCommit {
		if info := shadow.ParseStep(m.Commit.Message); !info.Session.IsZero() {
			return []string{info.Session.String()}, nil
		}
	}
	ids, err := wp.CheckpointsOf(ctx, m)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	stored, err := records.NewReader(wp.Repo).ReadMany(ctx, ids)
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

// SessionNamed returns the one session that a name means.
func (wp *Workplace) SessionNamed(ctx context.Context, name string) (string, error) {
	m, err := wp.MeaningOf(ctx, name)
	if err != nil {
		return "", err
	}
	found, err := wp.sessionsOf(ctx, m)
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", fmt.Errorf("%w: no session worked on %s", ErrNoMeaning, m.Shown())
	case len(found) > 1:
		return "", cliui.Failf("name one of them", "%s has several sessions: %s", m.Shown(), shownSessions(found))
	}
	return found[0], nil
}

// CommitMeant returns the commit of a meaning: for a checkpoint, the newest commit that names it;
// for a session, that of its newest checkpoint.
func (wp *Workplace) CommitMeant(ctx context.Context, m Meaning) (git.Commit, error) {
	if m.Kind == meansCommit {
		return m.Commit, nil
	}
	ids, err := wp.CheckpointsOf(ctx, m)
	if err != nil {
		return git.Commit{}, err
	}
	for _, cp := range ids {
		for _, everywhere := range []bool{false, true} {
			commits, err := CommitsOf(ctx, wp.Repo, cp, everywhere)
			if err != nil {
				return git.Commit{}, err
			}
			if len(commits) > 0 {
				c, _, err := wp.Repo.Reader(ctx).CommitOf(commits[0].ID)
				return c, err
			}
		}
	}
	return git.Commit{}, fmt.Errorf("%w: no commit names %s", ErrNoMeaning, m.Shown())
}

// PointNamed returns the point that a name means: for a session its newest, for a checkpoint that
// of its commit.
func (wp *Workplace) PointNamed(ctx context.Context, name string) (step.RewindPoint, error) {
	none, err := step.FindPoint(ctx, wp.Engine, name)
	if !errors.Is(err, step.ErrPointNotFound) || wp.Repo == nil {
		return none, err
	}
	m, other := wp.MeaningOf(ctx, name)
	if other != nil {
		if !errors.Is(other, ErrNoMeaning) {
			err = other
		}
		return none, err
	}
	if m.Kind == MeansSession {
		points, err := step.Points(ctx, wp.Engine, 0)
		if i := slices.IndexFunc(points, func(p step.RewindPoint) bool { return p.SessionID == m.Session }); i >= 0 {
			return points[i], nil
		}
		return none, cmp.Or(err, fmt.Errorf("%w: session %s has none here", step.ErrPointNotFound, m.Shown()))
	}
	commit, other := wp.CommitMeant(ctx, m)
	if other != nil {
		return none, fmt.Errorf("%w: %s: %w", step.ErrPointNotFound, name, other)
	}
	point, err := step.FindPoint(ctx, wp.Engine, commit.OID.String())
	if errors.Is(err, step.ErrPointNotFound) { // a commit without an agent's work still has files
		return step.RewindPoint{ID: commit.OID.String(), Message: commit.Subject(), Date: commit.Author.When, IsLogsOnly: true,
			Why: shadow.WhyCommit, Head: commit.OID.String()}, nil
	}
	return point, err
}

func shownSessions(ids []string) string {
	var short []string
	for _, sid := range ids {
		short = append(short, cliui.ShownSession(sid))
	}
	return strings.Join(short, ", ")
}
