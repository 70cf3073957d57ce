package access

import (
	"context"
	"slices"

	"entire/internal/hub/index"
	"entire/internal/hub/settings"
)

// A Principal is who a request is from.
type Principal struct {
	Kind  string // "token" or "person"; "" for nobody
	Name  string
	Email string
	repos []string // names; [settings.Everything] for all
}

// Known reports whether somebody was recognised.
func (p Principal) Known() bool { return p.Kind != "" }

// MayRead reports whether p may read a repository.
func (p Principal) MayRead(repository string) bool {
	return slices.Contains(p.repos, settings.Everything) || slices.Contains(p.repos, repository)
}

// Scope returns those of the repositories that p may read.
func (p Principal) Scope(all []string) index.Scope {
	scope := index.Scope{}
	for _, name := range all {
		if p.MayRead(name) {
			scope = append(scope, index.Number(name))
		}
	}
	slices.Sort(scope)
	return scope
}

type contextKey struct{}

// With returns a context that carries p.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

// Of returns the principal that a context carries.
func Of(ctx context.Context) Principal {
	p, _ := ctx.Value(contextKey{}).(Principal)
	return p
}

// MayReadAll reports whether p may read every repository.
func (p Principal) MayReadAll() bool { return slices.Contains(p.repos, settings.Everything) }
