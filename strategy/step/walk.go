package step

import (
	"context"
	"iter"

	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/strategy/sessionstate"
)

// Walk yields a step and its first parents, the newest first, at most limit of them. An error
// is the last that it yields, with the zero step.
func Walk(ctx context.Context, s *sessionstate.Env, from git.Commit, limit int) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		for c, err := range Ancestors(ctx, s, from, limit) {
			if err != nil {
				yield(Step{}, err)
				return
			}
			if !yield(Step{c, shadow.ParseStep(c.Message)}, nil) {
				return
			}
		}
	}
}

// Ancestors yields a commit and its first parents, as Walk does steps.
func Ancestors(ctx context.Context, s *sessionstate.Env, from git.Commit, limit int) iter.Seq2[git.Commit, error] {
	return func(yield func(git.Commit, error) bool) {
		rd := s.Repo.Reader(ctx)
		for c, n := from, 1; yield(c, nil) && n < limit && len(c.Parents) > 0; n++ {
			var err error
			if c, err = rd.Commit(c.Parents[0]); err != nil {
				yield(git.Commit{}, err)
				return
			}
		}
	}
}
