package facts

import (
	"context"
	"errors"
	"strings"
	"time"

	"entire/internal/bounded"
	"entire/internal/cli/searchlib"
	"entire/internal/cli/sessionlib"
)

// hitsMax bounds the hits of a search.
const hitsMax = 60

// Search answers a query from the index as it is.
func (s *Source) Search(ctx context.Context, query string) (*searchlib.Answer, error) {
	return s.search(ctx, query, true)
}

// indexLimit bounds the time in which the index is brought up to date.
const indexLimit = 10 * time.Minute

// Index brings the index up to date, which may take a minute and much memory: a process of its own does it, if
// the Source knows the program, by a search for the query.
func (s *Source) Index(ctx context.Context, query string) error {
	if s.program == "" {
		_, err := s.search(ctx, query, false)
		return err
	}
	_, said, err := bounded.Program{
		Path: s.program, Args: []string{"search", "--json", "--limit", "1", "--", query}, Dir: s.wp.Repo.Top, Environ: s.env.Environ,
		Timeout: indexLimit, Grace: time.Second, Out: 1 << 20, Err: 4 << 10,
	}.Run(ctx)
	if err != nil && len(said) > 0 {
		return errors.New(strings.TrimSpace(string(said)))
	}
	return err
}

func (s *Source) search(ctx context.Context, query string, asIndexed bool) (found *searchlib.Answer, err error) {
	err = s.library(ctx, func(l *sessionlib.Library) error {
		found, err = searchlib.Search(ctx, l, query, searchlib.Options{Limit: hitsMax, AsIndexed: asIndexed, Typing: true})
		return err
	})
	return found, err
}
