package strategy

import (
	"context"
	"strings"

	"entire/internal/git"
)

// invocation returns the command line of the git that runs this hook, with aliases expanded; the
// zero value where it cannot be seen.
func (s *ManualCommitStrategy) invocation(ctx context.Context) git.Invocation {
	if s.invoked == nil {
		in := s.readInvocation(ctx)
		s.invoked = &in
	}
	return *s.invoked
}

func (s *ManualCommitStrategy) readInvocation(ctx context.Context) git.Invocation {
	if s.Invocation == nil {
		return git.Invocation{}
	}
	in, ok := s.Invocation()
	if !ok {
		return git.Invocation{}
	}
	return in.Expand(func(name string) string {
		key := "alias." + strings.ToLower(name)
		conf, err := s.repo.Config(ctx, key)
		if err != nil {
			s.Log.Warn("alias not read", "alias", name, "err", err)
		}
		return conf[key]
	})
}

// dryRun reports whether the current push is a dry run, which sends nothing.
func (s *ManualCommitStrategy) dryRun(ctx context.Context) bool {
	in := s.invocation(ctx)
	return in.Command == "push" && in.Has("--dry-run", 'n')
}
