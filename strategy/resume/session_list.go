package resume

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/agent"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/condense"
	"entire/strategy/evidence"
	"entire/strategy/sessionstate"
	"entire/strategy/turn"
)

// addStoredSessions adds the sessions on the metadata branch.
func addStoredSessions(ctx context.Context, s *sessionstate.Env, byID map[string]*Session) error {
	reader := records.NewReader(s.Repo)
	ids, err := reader.ListIDs(ctx)
	if err != nil || len(ids) == 0 {
		return err
	}
	stored, err := reader.ReadMany(ctx, ids)
	if err != nil {
		return err
	}
	prompts, err := reader.Prompts(ctx, ids)
	if err != nil {
		return err
	}
	subjects, err := subjectsOf(ctx, s)
	if err != nil {
		return err
	}
	for _, c := range stored {
		for i, one := range c.Sessions {
			if one.Err != nil || one.Metadata.SessionID == "" {
				continue
			}
			text := ""
			if p := prompts[c.Summary.CheckpointID]; i < len(p) {
				text = p[i]
			}
			addCheckpoint(byID, one.Metadata, subjects[c.Summary.CheckpointID], metadata.SplitPrompts(text))
		}
	}
	return nil
}

// intentRunes is the length to which the intent of a summary is shortened.
const intentRunes = 160

// addCheckpoint adds a session's record in a checkpoint to that session.
func addCheckpoint(byID map[string]*Session, m metadata.CommittedMetadata, subject string, prompts []string) {
	one := byID[m.SessionID]
	if one == nil {
		one = &Session{ID: m.SessionID, StartTime: m.CreatedAt}
		byID[m.SessionID] = one
	}
	if m.CreatedAt.Before(one.StartTime) {
		one.StartTime = m.CreatedAt
	}
	if len(one.Checkpoints) == 0 || !m.CreatedAt.Before(one.Checkpoints[len(one.Checkpoints)-1].Timestamp) {
		one.Strategy = m.Strategy
	}
	if one.Description == "" && len(prompts) > 0 {
		one.Description = agent.ShortPrompt(prompts[0], turn.FirstPromptRunes)
	}
	if m.Summary != nil && m.Summary.Intent != "" && (one.Intent == "" || m.CreatedAt.Before(one.intended)) {
		one.Intent, one.intended = agent.ShortPrompt(m.Summary.Intent, intentRunes), m.CreatedAt
	}
	one.Checkpoints = append(one.Checkpoints, Checkpoint{
		CheckpointID: m.CheckpointID, Message: cmp.Or(subject, agent.ShortPrompt(sessionstate.LastString(prompts), turn.FirstPromptRunes)),
		Timestamp: m.CreatedAt, IsTaskCheckpoint: m.IsTask, ToolUseID: m.ToolUseID,
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
