package metadata

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entire/id"
	"entire/internal/git"
	"entire/internal/redact"
)

// ErrSummaryExists is returned for a session that has a summary if Replace is not set.
var ErrSummaryExists = errors.New("already has a summary")

// SummaryUpdate is a model's summary of one session in a checkpoint.
type SummaryUpdate struct {
	ID      id.CheckpointID
	Session string // "" for the latest one
	Summary *Summary
	Replace bool // replace an existing summary

	Author  git.Signature
	Stating *Stating
}

// WriteSummary stores up, redacted, where the checkpoint is. If it returns
// [ErrCheckpointNotFound], [ErrSessionNotFound] or [ErrSummaryExists], it has changed nothing.
func WriteSummary(ctx context.Context, repo *git.Repo, up SummaryUpdate) error {
	up.Summary = RedactSummary(up.Summary)
	return updateCheckpoint(ctx, repo, up.ID, nil, func(at place) (git.OID, error) {
		return buildSummary(ctx, repo, at, up)
	})
}

// BuildSummary makes the commit that stores up, already redacted, on the metadata branch at tip.
func BuildSummary(ctx context.Context, repo *git.Repo, tip git.OID, up SummaryUpdate) (newTip git.OID, err error) {
	return buildSummary(ctx, repo, onBranch(tip), up)
}

func buildSummary(ctx context.Context, repo *git.Repo, at place, up SummaryUpdate) (newTip git.OID, err error) {
	b, s, err := startChange(ctx, repo, at, up.ID, up.Session, up.Author)
	if err == nil && s.Meta.Summary != nil && !up.Replace {
		err = ErrSummaryExists
	}
	if err == nil {
		s.Meta.Summary = up.Summary
		err = b.putDocument(s, s.Meta)
	}
	if err == nil {
		b.stating = up.Stating
		newTip, err = b.commit(ctx, fmt.Sprintf("Update summary for checkpoint %s (session: %s)", up.ID, s.Meta.SessionID))
	}
	if err != nil {
		return git.OID{}, fmt.Errorf("update summary of checkpoint %s: %w", up.ID, err)
	}
	return newTip, nil
}

// RedactSummary removes the secrets from a model's summary. An empty list stays empty and nil
// stays nil, because both reach disk.
func RedactSummary(s *Summary) *Summary {
	if s == nil {
		return nil
	}
	r := *s
	r.Intent, r.Outcome = redact.Text(s.Intent), redact.Text(s.Outcome)
	r.Friction, r.OpenItems = redactTexts(s.Friction), redactTexts(s.OpenItems)
	r.Learnings = LearningsSummary{Repo: redactTexts(s.Learnings.Repo), Workflow: redactTexts(s.Learnings.Workflow)}
	r.Learnings.Code = slices.Clone(s.Learnings.Code)
	for i := range r.Learnings.Code {
		c := &r.Learnings.Code[i]
		c.Path, c.Finding = redact.Text(c.Path), redact.Text(c.Finding)
	}
	return &r
}

func redactTexts(list []string) []string {
	out := slices.Clone(list)
	for i := range out {
		out[i] = redact.Text(out[i])
	}
	return out
}
