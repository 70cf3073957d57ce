package strategy

import (
	"context"
	"slices"

	"entire/internal/attribution"
	"entire/internal/git"
	"entire/session"
)

// unlinkedSessions bounds the sessions whose unlinked commits are listed.
const unlinkedSessions = 100

// UnlinkedCommits returns the commits without a trailer that hold an agent's work, and agents'
// lines in other commits, so that these lines are not taken for a person's. It asks the newest
// sessions of this worktree, including for commits that they will only record at their next
// event.
func (s *ManualCommitStrategy) UnlinkedCommits(ctx context.Context) (out []git.OID, lines attribution.Prints, err error) {
	sums, err := s.here(ctx)
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(sums, func(a, b session.Summary) int { return b.LastInteraction.Compare(a.LastInteraction) })
	head, _, err := s.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return nil, nil, err
	}
	late := s.in(unseenTime)
	for _, sum := range sums[:min(len(sums), unlinkedSessions)] {
		o := &open{id: sum.ID}
		if err := s.readSession(ctx, o); err != nil {
			continue
		}
		lines = append(lines, o.side.Borrowed...)
		for _, u := range o.side.Unlinked {
			out = append(out, u.Commit)
		}
		unseen, err := s.unseen(ctx, o, head.OID, git.OID{}, late)
		if err != nil {
			s.Log.Warn("commits that hooks did not see were not looked at", "session_id", o.id.String(), "err", err)
		}
		for _, u := range unseen {
			out = append(out, u.Commit)
		}
	}
	return out, lines, nil
}
