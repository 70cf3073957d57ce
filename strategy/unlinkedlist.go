package strategy

import (
	"context"
	"slices"

	"entire/internal/git"
	"entire/session"
)

// unlinkedSessions bounds the sessions that are asked for such commits.
const unlinkedSessions = 100

// UnlinkedCommits are the commits that took an agent's work without a trailer, as
// far as the newest sessions of this worktree remember: not every line that came with
// them is a person's.
func (s *ManualCommitStrategy) UnlinkedCommits(ctx context.Context) ([]git.OID, error) {
	sums, err := s.here(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(sums, func(a, b session.Summary) int { return b.LastInteraction.Compare(a.LastInteraction) })
	var out []git.OID
	for _, sum := range sums[:min(len(sums), unlinkedSessions)] {
		o := &open{id: sum.ID}
		if err := s.readSession(ctx, o); err != nil {
			continue
		}
		for _, u := range o.side.Unlinked {
			out = append(out, u.Commit)
		}
	}
	return out, nil
}
