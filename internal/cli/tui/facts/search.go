package facts

import (
	"context"

	"entire/internal/cli/searchlib"
	"entire/internal/cli/sessionlib"
)

// hitsMax bounds the hits of a search.
const hitsMax = 60

// Search answers a query from the index as it is.
func (s *Source) Search(ctx context.Context, query string) (*searchlib.Answer, error) {
	return s.search(ctx, query, true)
}

// Index brings the index up to date, which may take a minute, and answers a query.
func (s *Source) Index(ctx context.Context, query string) (*searchlib.Answer, error) {
	return s.search(ctx, query, false)
}

func (s *Source) search(ctx context.Context, query string, asIndexed bool) (found *searchlib.Answer, err error) {
	err = s.library(ctx, func(l *sessionlib.Library) error {
		found, err = searchlib.Search(ctx, l, query, searchlib.Options{Limit: hitsMax, AsIndexed: asIndexed, Typing: true})
		return err
	})
	return found, err
}
