package strategy

import (
	"context"

	"entire/internal/git"
)

// invocation is the command line of the git that runs this hook, aliases
// replaced; the zero value where it cannot be seen.
func (s *ManualCommitStrategy) invocation(ctx context.Context) git.Invocation {
	if s.Invocation == nil {
		return git.Invocation{}
	}
	in, ok := s.Invocation()
	if !ok {
		return git.Invocation{}
	}
	return in.Expand(func(name string) string {
		conf, err := s.repo.Config(ctx, "alias."+name)
		if err != nil {
			s.Log.Warn("alias not read", "alias", name, "err", err)
		}
		return conf["alias."+name]
	})
}

// amending reports whether the commit under way replaces HEAD's. Git tells its
// hooks only when it takes HEAD's message along.
func (s *ManualCommitStrategy) amending(ctx context.Context) bool {
	in := s.invocation(ctx)
	return in.Command == "commit" && in.Has("--amend", 0)
}

// dryRun reports whether the push under way sends nothing.
func (s *ManualCommitStrategy) dryRun(ctx context.Context) bool {
	in := s.invocation(ctx)
	return in.Command == "push" && in.Has("--dry-run", 'n')
}
