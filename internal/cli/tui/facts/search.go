package facts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"entire/internal/bounded"
	"entire/internal/cli/searchlib"
	"entire/internal/cli/sessionlib"
)

const (
	// hitsMax bounds the hits of a search.
	hitsMax = 60
	// answerLimit bounds the time of an answer, answerMax its bytes.
	answerLimit = time.Minute
	answerMax   = 4 << 20
	// indexLimit bounds the time in which the index is brought up to date.
	indexLimit = 10 * time.Minute
)

// Search answers a query that is being typed, from the index as it is. The beginning of a word can stand for
// every second message: SQLite then holds more than this program may, so a process of its own does it, which ends
// at once when ctx does.
func (s *Source) Search(ctx context.Context, query string) (*searchlib.Answer, error) {
	if s.program == "" {
		return s.search(ctx, query, true)
	}
	out, err := s.searchApart(ctx, bounded.Program{Timeout: answerLimit, Out: answerMax},
		"--typing", "--limit", strconv.Itoa(hitsMax), "--", query)
	if errors.Is(err, fs.ErrNotExist) { // another version has replaced the program
		return s.search(ctx, query, true)
	}
	if err != nil {
		return nil, err
	}
	answer := &searchlib.Answer{}
	if err := json.Unmarshal(out, answer); err != nil {
		return nil, fmt.Errorf("read the answer of the search: %w", err)
	}
	return answer, nil
}

// Index brings the index up to date, which may take a minute and much memory: a process of its own does it, if
// the Source knows the program, by a search for the query.
func (s *Source) Index(ctx context.Context, query string) error {
	if s.program == "" {
		_, err := s.search(ctx, query, false)
		return err
	}
	_, err := s.searchApart(ctx, bounded.Program{Timeout: indexLimit, Out: 1 << 20}, "--limit", "1", "--", query)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = s.search(ctx, query, false)
	}
	return err
}

// searchApart runs the command search in a process of its own, and returns what it printed.
func (s *Source) searchApart(ctx context.Context, p bounded.Program, args ...string) ([]byte, error) {
	p.Path, p.Args, p.Dir, p.Environ = s.program, append([]string{"search", "--json"}, args...), s.wp.Repo.Top, s.env.Environ
	p.Grace, p.Err = time.Second, 4<<10
	out, said, err := p.Run(ctx)
	if err != nil && ctx.Err() == nil && len(said) > 0 {
		return nil, errors.New(wordsSaid(string(said)))
	}
	return out, err
}

// wordsSaid returns the error that the program has printed, as Words returns one: "entire: " is left out, and a
// hint is in parentheses.
func wordsSaid(text string) string {
	text, hint, ok := strings.Cut(strings.TrimSpace(text), "\nhint: ")
	text = strings.TrimPrefix(text, "entire: ")
	if ok {
		text += " (" + hint + ")"
	}
	return text
}

func (s *Source) search(ctx context.Context, query string, asIndexed bool) (found *searchlib.Answer, err error) {
	err = s.library(ctx, func(l *sessionlib.Library) error {
		found, err = searchlib.Search(ctx, l, query, searchlib.Options{Limit: hitsMax, AsIndexed: asIndexed, Lean: true, Typing: true})
		return err
	})
	return found, err
}
