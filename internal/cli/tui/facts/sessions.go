package facts

import (
	"context"
	"errors"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
)

// library opens the sessions' library for one piece of work.
func (s *Source) library(ctx context.Context, do func(*sessionlib.Library) error) error {
	return sessionlib.WithLibrary(ctx, s.env, do)
}

// Sessions returns the sessions of the project, the last updated first.
func (s *Source) Sessions(ctx context.Context) (all []sessionlib.ListedSession, err error) {
	err = s.library(ctx, func(l *sessionlib.Library) error {
		all, err = l.Here(ctx)
		return err
	})
	return all, err
}

// A Continued says how a session is continued.
type Continued struct{ ID, Command string }

// Resume makes a session ready to be continued or, with fork, a new session of its messages.
func (s *Source) Resume(ctx context.Context, id string, fork bool) (c Continued, err error) {
	err = s.library(ctx, func(l *sessionlib.Library) error {
		found, err := l.FindByID(ctx, id)
		if err != nil {
			return err
		}
		do := l.Resume
		if fork {
			do = l.Fork
		}
		v, err := do(ctx, found, sessionlib.ResumeOptions{Fork: fork})
		if err != nil {
			return err
		}
		c = Continued{v.SessionID, l.CommandFrom(v)}
		return nil
	})
	return c, err
}

// PointOf returns the point of a session at which what was said at that time had been done, for a zero time its
// newest one.
func (s *Source) PointOf(ctx context.Context, session string, at time.Time) (string, error) {
	found, err := s.tl.PointOf(ctx, session, at)
	if err == nil && found == "" {
		err = cliui.Failf("its conversation is in the sessions' panel", "session %s has no point in this worktree", cliui.ShownSession(session))
	}
	return found, err
}

// Perform runs a command of this program, as it would be typed, and returns what it printed.
func (s *Source) Perform(ctx context.Context, line string) (string, error) {
	words := wordsOf(line)
	if len(words) < 2 || words[0] != "entire" {
		return "", cliui.Failf("as in `entire status`", "only commands of this program are run here")
	}
	said := &notes{}
	env := *s.env
	env.In, env.Out, env.Err = strings.NewReader(""), said, said
	err := s.perform(ctx, &env, words[1:])
	if errors.Is(err, cliui.ErrTold) {
		err = nil
	}
	return strings.TrimSpace(said.text.String()), err
}

// wordsOf splits a command into words, as a shell does: quotes and backslashes keep what they quote together.
// Nothing is expanded.
func wordsOf(line string) []string {
	var out []string
	var word strings.Builder
	in, quote := false, rune(0)
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			in, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			in, quote = true, r
		case quote == 0 && (r == ' ' || r == '\t'):
			if in {
				out = append(out, word.String())
				word.Reset()
			}
			in = false
		default:
			in = true
			word.WriteRune(r)
		}
	}
	if in {
		out = append(out, word.String())
	}
	return out
}
