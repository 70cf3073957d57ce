package condense

import (
	"context"
	"slices"

	"entire/internal/attribution"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/evidence"
	"entire/strategy/sessionstate"
)

// unlinkedSessions bounds the sessions whose unlinked commits are listed.
const unlinkedSessions = 100

// UnlinkedCommits returns the commits without a trailer that hold an agent's work, and the owners of agents'
// lines in other commits, so that these lines are not taken for a person's. A line that several sessions
// wrote is unknown. It asks the newest sessions, those of this worktree also for commits that they will only
// record at their next event.
func UnlinkedCommits(ctx context.Context, s *sessionstate.Env) (out []git.OID, lines map[attribution.Print]attribution.RecordOwner, err error) {
	sums, err := s.Store.Summaries(ctx)
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(sums, func(a, b session.Summary) int { return b.LastInteraction.Compare(a.LastInteraction) })
	head, _, err := s.Repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return nil, nil, err
	}
	lines = map[attribution.Print]attribution.RecordOwner{}
	late := evidence.DeadlineIn(s, evidence.UnhookedTime)
	for _, sum := range sums[:min(len(sums), unlinkedSessions)] {
		o := &sessionstate.LockedSession{ID: sum.ID}
		if err := s.ReadSession(ctx, o); err != nil {
			continue
		}
		owner := attribution.RecordOwner{Class: attribution.ClassAgent, SessionID: sum.ID.String()}
		if o.State != nil {
			owner.Agent = string(o.State.AgentType)
		}
		for _, p := range o.Engine.UnlinkedLines {
			if _, several := lines[p]; several {
				lines[p] = attribution.RecordOwner{Class: attribution.ClassUnknown}
			} else {
				lines[p] = owner
			}
		}
		for _, u := range o.Engine.UnlinkedCommits {
			out = append(out, u.Commit)
		}
		if !s.InThisWorktree(sum.WorktreePath, sum.WorktreeID) {
			continue
		}
		unseen, err := evidence.UnhookedCommits(ctx, s, o, head.OID, git.OID{}, late)
		if err != nil {
			s.Log.Warn("commits that hooks did not see were not looked at", "session_id", o.ID.String(), "err", err)
		}
		for _, u := range unseen {
			out = append(out, u.Commit)
		}
	}
	return out, lines, nil
}
