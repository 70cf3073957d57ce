package resume

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/agent"
	"entire/checkpoint/records"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/condense"
	"entire/strategy/evidence"
	"entire/strategy/sessionstate"
)

// addStoredSessions adds the sessions in checkpoints.
func (c *StoredSessions) addStoredSessions(ctx context.Context, byID map[string]*Session) error {
	parts, err := c.Parts(ctx)
	if err != nil || len(parts) == 0 {
		return err
	}
	subjects, err := subjectsOf(ctx, c.s)
	if err != nil {
		return err
	}
	for i := range parts {
		addPart(byID, &parts[i], subjects[parts[i].Checkpoint])
	}
	return nil
}

// intentRunes is the length to which the intent of a summary is shortened.
const intentRunes = 160

// addPart adds a session's part of a checkpoint to that session.
func addPart(byID map[string]*Session, p *Part, subject string) {
	one := byID[p.SessionID]
	if one == nil {
		one = &Session{ID: p.SessionID, StartTime: p.CreatedAt}
		byID[p.SessionID] = one
	}
	if p.CreatedAt.Before(one.StartTime) {
		one.StartTime = p.CreatedAt
	}
	if len(one.Checkpoints) == 0 || !p.CreatedAt.Before(one.Checkpoints[len(one.Checkpoints)-1].Timestamp) {
		one.Strategy = p.Strategy
	}
	one.Description = cmp.Or(one.Description, p.first)
	if p.Summary != nil && p.Summary.Intent != "" && (one.Intent == "" || p.CreatedAt.Before(one.intended)) {
		one.Intent, one.intended = agent.ShortPrompt(p.Summary.Intent, intentRunes), p.CreatedAt
	}
	named, _ := id.NewCheckpointID(p.named)
	one.Checkpoints = append(one.Checkpoints, Checkpoint{
		CheckpointID: named, Message: cmp.Or(subject, p.last),
		Timestamp: p.CreatedAt, IsTaskCheckpoint: p.IsTask, ToolUseID: p.ToolUseID,
	})
}

// subjectsMax bounds the number of linked commits whose subjects are read.
const subjectsMax = 20000

// subjectsOf returns the subject of the commit that names each checkpoint, on any branch. If
// several commits name a checkpoint, the latest counts.
func subjectsOf(ctx context.Context, s *sessionstate.Env) (map[id.CheckpointID]string, error) {
	out, err := s.Repo.Run(ctx, "log", "-z", "-n", fmt.Sprint(subjectsMax), "--no-show-signature", "--format=%B", "-F", "--grep="+trailer.Checkpoint,
		"--exclude=refs/heads/entire/*", "--branches", "--exclude=refs/remotes/*/entire/*", "--remotes", "HEAD", "--")
	var exit *git.ExitError
	if errors.As(err, &exit) { // HEAD has no commit
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	subjects := map[id.CheckpointID]string{}
	for _, msg := range strings.Split(string(out), "\x00") {
		subject, _, _ := strings.Cut(msg, "\n")
		for _, cp := range trailer.ParseCheckpointTrailers(msg) {
			if _, newer := subjects[cp]; !newer {
				subjects[cp] = subject
			}
		}
	}
	return subjects, addSubjectsWithoutTrailer(ctx, s, subjects)
}

// addSubjectsWithoutTrailer adds the subjects of commits that are linked without a trailer.
func addSubjectsWithoutTrailer(ctx context.Context, s *sessionstate.Env, subjects map[id.CheckpointID]string) error {
	links, err := records.NewReader(s.Repo).Links(ctx)
	if err != nil || len(links) == 0 {
		return err
	}
	var specs []string
	for oid := range links {
		specs = append(specs, oid.String())
	}
	commits, err := evidence.CommitsOf(ctx, s, specs)
	for _, c := range commits {
		for _, cp := range links[c.OID] {
			if _, newer := subjects[cp]; !newer {
				subjects[cp] = c.Subject()
			}
		}
	}
	return err
}

// LocalSessions returns the sessions that have a state on this machine, without their checkpoints.
func LocalSessions(ctx context.Context, s *sessionstate.Env) ([]*Session, error) {
	states, _, err := s.Store.List(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]*Session, 0, len(states))
	for _, st := range states {
		out = append(out, &Session{ID: st.SessionID.String(), Description: agent.CleanPrompt(st.FirstPrompt), Strategy: condense.StrategyName(s), StartTime: st.StartedAt})
	}
	return out, nil
}
