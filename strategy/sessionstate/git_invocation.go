package sessionstate

import (
	"context"
	"strings"

	"entire/internal/git"
)

// GitInvocation returns the command line of the git that runs this hook, with aliases expanded; the
// zero value where it cannot be seen.
func (s *Env) GitInvocation(ctx context.Context) git.Invocation {
	if s.invoked == nil {
		in := s.readInvocation(ctx)
		s.invoked = &in
	}
	return *s.invoked
}

func (s *Env) readInvocation(ctx context.Context) git.Invocation {
	if s.Invocation == nil {
		return git.Invocation{}
	}
	in, ok := s.Invocation()
	if !ok {
		return git.Invocation{}
	}
	return in.Expand(func(name string) string {
		key := "alias." + strings.ToLower(name)
		conf, err := s.Repo.Config(ctx, key)
		if err != nil {
			s.Log.Warn("alias not read", "alias", name, "err", err)
		}
		return conf[key]
	})
}

// ProcessesAbove returns the processes above this one, the nearest first; none where they cannot be seen.
func (s *Env) ProcessesAbove() []git.Ancestor {
	if s.above == nil && s.Above != nil {
		s.above = s.Above()
	}
	return s.above
}

// PushIsDryRun reports whether the current push is a dry run, which sends nothing.
func (s *Env) PushIsDryRun(ctx context.Context) bool {
	in := s.GitInvocation(ctx)
	return in.Command == "push" && in.Has("--dry-run", 'n')
}
