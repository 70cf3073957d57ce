package strategy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
)

// addStoredSessions adds the sessions on the metadata branch.
func (s *ManualCommitStrategy) addStoredSessions(ctx context.Context, byID map[string]*Session) error {
	records := checkpoint.NewRecords(s.repo)
	ids, err := records.ListIDs(ctx)
	if err != nil || len(ids) == 0 {
		return err
	}
	stored, err := records.ReadMany(ctx, ids)
	if err != nil {
		return err
	}
	prompts, err := records.Prompts(ctx, ids)
	if err != nil {
		return err
	}
	subjects, err := s.subjectsOf(ctx)
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
			addCheckpoint(byID, one.Metadata, subjects[c.Summary.CheckpointID], checkpoint.SplitPrompts(text))
		}
	}
	return nil
}

// addCheckpoint adds a session's record in a checkpoint to that session.
func addCheckpoint(byID map[string]*Session, m checkpoint.CommittedMetadata, subject string, prompts []string) {
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
		one.Description = agent.ShortPrompt(prompts[0], firstPromptRunes)
	}
	one.Checkpoints = append(one.Checkpoints, Checkpoint{
		CheckpointID: m.CheckpointID, Message: cmp.Or(subject, agent.ShortPrompt(lastOf(prompts), firstPromptRunes)),
		Timestamp: m.CreatedAt, IsTaskCheckpoint: m.IsTask, ToolUseID: m.ToolUseID,
	})
}

// subjectsMax bounds the number of linked commits whose subjects are read.
const subjectsMax = 20000

// subjectsOf returns the subject of the commit that names each checkpoint, on any branch. If
// several commits name a checkpoint, the latest counts.
func (s *ManualCommitStrategy) subjectsOf(ctx context.Context) (map[id.CheckpointID]string, error) {
	out, err := s.repo.Run(ctx, "log", "-z", "-n", fmt.Sprint(subjectsMax), "--no-show-signature", "--format=%B", "-F", "--grep="+checkpoint.TrailerCheckpoint,
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
		for _, cp := range checkpoint.ParseCheckpointTrailers(msg) {
			if _, newer := subjects[cp]; !newer {
				subjects[cp] = subject
			}
		}
	}
	return subjects, s.addUnnamed(ctx, subjects)
}

// addUnnamed adds the subjects of commits that are linked without a trailer.
func (s *ManualCommitStrategy) addUnnamed(ctx context.Context, subjects map[id.CheckpointID]string) error {
	links, err := checkpoint.NewRecords(s.repo).Links(ctx)
	if err != nil || len(links) == 0 {
		return err
	}
	var specs []string
	for oid := range links {
		specs = append(specs, oid.String())
	}
	commits, err := s.commitsOf(ctx, specs)
	for _, c := range commits {
		for _, cp := range links[c.OID] {
			if _, newer := subjects[cp]; !newer {
				subjects[cp] = c.Subject()
			}
		}
	}
	return err
}

// GetAdditionalSessions implements [SessionSource]. It lists the sessions that have a state in
// this clone.
func (s *ManualCommitStrategy) GetAdditionalSessions() ([]*Session, error) {
	return s.additional(context.Background())
}

func (s *ManualCommitStrategy) additional(ctx context.Context) ([]*Session, error) {
	states, _, err := s.store.List(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]*Session, 0, len(states))
	for _, st := range states {
		out = append(out, &Session{ID: st.SessionID.String(), Description: agent.CleanPrompt(st.FirstPrompt), Strategy: s.name(), StartTime: st.StartedAt})
	}
	return out, nil
}
