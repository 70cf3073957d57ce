package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"entire/id"
	"entire/internal/hub/access"
	"entire/internal/hub/index"
	"entire/internal/usage"
)

// A Service answers questions.
type Service struct {
	Index  *index.Index
	Names  []string // of all repositories
	Prices usage.Prices
}

// Me says who asks.
func (s *Service) Me(_ context.Context, p access.Principal, q url.Values) (Me, error) {
	if _, err := parameters(q); err != nil {
		return Me{}, err
	}
	me := Me{Kind: p.Kind, Name: p.Name, Email: p.Email, Repositories: []string{}}
	for _, name := range s.Names {
		if p.MayRead(name) {
			me.Repositories = append(me.Repositories, name)
		}
	}
	slices.Sort(me.Repositories)
	return me, nil
}

// Repositories lists the repositories that p may read.
func (s *Service) Repositories(ctx context.Context, p access.Principal, q url.Values) (out Repositories, err error) {
	if _, err := parameters(q); err != nil {
		return out, err
	}
	out.Repositories = []Repository{}
	err = s.Index.Read(ctx, p.Scope(s.Names), func(v *index.View) error {
		list, err := v.Repositories()
		for _, r := range list {
			out.Repositories = append(out.Repositories, Repository{r.Name, r.Checkpoints, timeOf(r.IndexedAt), timeOf(r.CheckedAt), r.Problem, linesOf(r.Lines)})
		}
		return err
	})
	return out, err
}

// Checkpoints lists checkpoints.
func (s *Service) Checkpoints(ctx context.Context, p access.Principal, q url.Values) (out Checkpoints, err error) {
	v, err := parameters(q, "q", "repository", "author", "agent", "team", "branch", "path", "since", "until", "limit", "after")
	if err != nil {
		return out, err
	}
	scope, err := s.scope(p, v["repository"])
	if err != nil {
		return out, err
	}
	f := index.Filter{Query: v["q"], Author: v["author"], Agent: v["agent"], Team: v["team"], Branch: v["branch"], Path: v["path"], After: v["after"], Limit: 50}
	if text := v["limit"]; text != "" {
		if f.Limit, err = strconv.Atoi(text); err != nil || f.Limit < 1 || f.Limit > index.MaxLimit {
			return out, problem(http.StatusBadRequest, "", "limit is not a number from 1 to %d: %.40q", index.MaxLimit, text)
		}
	}
	if f.Since, err = date("since", v["since"], false); err != nil {
		return out, err
	}
	if f.Until, err = date("until", v["until"], true); err != nil {
		return out, err
	}
	out.Checkpoints = []Checkpoint{}
	err = s.Index.Read(ctx, scope, func(v *index.View) error {
		list, next, err := v.Checkpoints(f)
		for _, l := range list {
			out.Checkpoints = append(out.Checkpoints, checkpointOf(l))
		}
		out.Next = next
		return err
	})
	if errors.Is(err, index.ErrCursor) {
		err = problem(http.StatusBadRequest, "take the value of next of an answer", "%v", err)
	}
	return out, err
}

// Checkpoint returns one checkpoint.
func (s *Service) Checkpoint(ctx context.Context, p access.Principal, repository, cp string) (out CheckpointDetail, err error) {
	gone := nowhere("checkpoint " + strconv.Quote(clip(cp)) + " in a repository " + strconv.Quote(clip(repository)))
	if _, err := id.NewCheckpointID(cp); err != nil || !slices.Contains(s.Names, repository) || !p.MayRead(repository) {
		return out, gone
	}
	var w index.Whole
	err = s.Index.Read(ctx, p.Scope([]string{repository}), func(v *index.View) (err error) {
		w, err = v.Checkpoint(index.Number(repository), cp)
		return err
	})
	if errors.Is(err, index.ErrNotFound) {
		return out, gone
	}
	out = CheckpointDetail{Checkpoint: checkpointOf(w.Listed), Prompts: w.Prompt, Sessions: []Session{}, Files: []File{}, Statements: []Statement{}}
	for _, x := range w.Sessions {
		out.Sessions = append(out.Sessions, Session{x.SessionID, x.Agent, x.Model, x.Title, x.Turns, x.Messages, tokensOf(x.Tokens), timeOf(x.At)})
	}
	for _, x := range w.Files {
		out.Files = append(out.Files, File{x.Path, x.Team, linesOf(x.Lines), x.Removed})
	}
	for _, x := range w.Statements {
		out.Statements = append(out.Statements, Statement{x.Clone, x.Number, timeOf(x.At), x.Person, x.Email, x.Commit, x.Signed, x.Digest})
	}
	return out, err
}
