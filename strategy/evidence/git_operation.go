package evidence

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/checkpoint/records"
	"entire/checkpoint/trailer"
	"entire/internal/git"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
)

// AddReplaced adds the checkpoints of the replaced commits. A commit that is missing has none.
func AddReplaced(ctx context.Context, s *sessionstate.Env, l *githead.MessageEdit) error {
	if len(l.Underway.Replaced)+len(l.Underway.Replayed) == 0 && !l.Underway.Squash {
		return nil
	}
	links, err := records.NewReader(s.Repo).Links(ctx)
	if err != nil {
		return err
	}
	for _, oid := range l.Underway.Replaced {
		if c, ok, err := s.Repo.Reader(ctx).CommitOf(oid.String()); err == nil && ok {
			l.Checkpoints = append(l.Checkpoints, links.Of(oid, c.Message)...)
			l.Foreign = append(l.Foreign, trailer.ForeignCheckpoints(c.Message)...)
			addCredits(s, l, c.Message)
		}
	}
	for _, oid := range l.Underway.Replayed {
		l.Checkpoints = append(l.Checkpoints, links[oid]...)
	}
	if !l.Underway.Squash {
		return nil
	}
	squashed := githead.GitFile(ctx, s, "SQUASH_MSG")
	ids := trailer.ParseCheckpointTrailers(string(squashed))
	for _, oid := range githead.SquashedCommits(squashed) {
		ids = append(ids, links[oid]...)
	}
	foreign := trailer.ForeignCheckpoints(string(squashed))
	if len(ids)+len(foreign) == 0 && (len(s.Credits) == 0 || len(agentCredits(string(squashed))) == 0) {
		return nil
	}
	if err := githead.ReadStaged(ctx, s, l); err != nil {
		return err
	}
	if containsSquash(ctx, s, squashed, l.All) {
		l.Checkpoints, l.Foreign = append(l.Checkpoints, ids...), append(l.Foreign, foreign...)
		addCredits(s, l, string(squashed))
	}
	return nil
}

// addCredits adds the trailers of a replaced commit that name agents, if the project wants any.
func addCredits(s *sessionstate.Env, l *githead.MessageEdit, msg string) {
	if len(s.Credits) > 0 {
		l.Credits = append(l.Credits, agentCredits(msg)...)
	}
}

// agentCredits returns the trailers that name agents: each Assisted-by, and each Co-authored-by with the address of
// an agent. A person's stay where they are.
func agentCredits(msg string) []trailer.Credit {
	return slices.DeleteFunc(trailer.Credits(msg), func(c trailer.Credit) bool {
		return !strings.EqualFold(c.Key, trailer.AssistedBy) && !slices.ContainsFunc(agents.All(), func(a agent.Agent) bool {
			return slices.Contains(a.Profile().Signs.Emails, c.Address())
		})
	})
}

// containsSquash reports whether a commit contains any change of the squashed branch. The user may
// have discarded the squash, which leaves git's file behind.
func containsSquash(ctx context.Context, s *sessionstate.Env, squashed []byte, changes []git.Change) bool {
	_, first, _ := bytes.Cut(append([]byte("\n"), squashed...), []byte("\ncommit ")) // the newest
	name, _, _ := bytes.Cut(first, []byte("\n"))
	oid, err := git.ParseOID(string(bytes.TrimSpace(name)))
	if err != nil {
		return true
	}
	tip, ok, err := s.Repo.Reader(ctx).CommitOf(oid.String())
	if err != nil || !ok {
		return true
	}
	ev := Evidence(ctx, s)
	return slices.ContainsFunc(changes, func(c git.Change) bool {
		atTip, ok := ev.VersionAt(tip.Tree, c.Path)
		return ok && githead.FileChange{From: sessionstate.PathVersion{Path: c.Path, Mode: c.OldMode, OID: c.Old}, To: atTip}.IsIn(c, ev)
	})
}
