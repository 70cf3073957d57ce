package search

import (
	"path"
	"slices"
	"strings"
	"time"

	"entire/internal/search/lists"
)

// A Filter narrows a search. Values of one kind are alternatives; all kinds that are set must match.
// Case is ignored.
type Filter struct {
	Since, Until time.Time // of the message; Until is excluded
	Branch       []string  // the session's branch, or a pattern for path.Match
	Agent        []string  // the agent's name or a prefix of it
	Model        []string  // part of the model's name
	File         []string  // a file the session touched: its path, the end of its path, a folder, or a pattern
	Tag          []string  // the session's tag
	Session      []string  // the session's ID or a prefix of it
	Role         []string  // the message's role; see Roles
}

// ofCards reports whether the filter asks for something that cards have.
func (f *Filter) ofCards() bool {
	return !f.Since.IsZero() || !f.Until.IsZero() || len(f.Branch)+len(f.Agent)+len(f.Model)+len(f.File)+len(f.Tag)+len(f.Session) > 0
}

// accepts reports whether the filter accepts a session or checkpoint.
func (f *Filter) accepts(r *row) bool {
	c := &r.card
	if !f.Since.IsZero() && !c.Updated.IsZero() && c.Updated.Before(f.Since) ||
		!f.Until.IsZero() && !c.Started.IsZero() && !c.Started.Before(f.Until) {
		return false
	}
	sessions := c.Sessions
	if r.kind == Conversation {
		sessions = []string{r.name}
	}
	return anyOf(f.Session, sessions, strings.HasPrefix) &&
		anyOf(f.Branch, c.Branches, isPattern) &&
		anyOf(f.Agent, []string{c.Agent}, IsAgent) &&
		anyOf(f.Model, []string{c.Model}, foldedPart) &&
		anyOf(f.Tag, c.Tags, strings.EqualFold) &&
		anyOf(f.File, c.Files, isFile)
}

// anyOf reports whether is holds for one of the values and one of those wanted. It returns true if
// wanted is empty.
func anyOf(wanted, values []string, is func(value, wanted string) bool) bool {
	return len(wanted) == 0 || slices.ContainsFunc(wanted, func(w string) bool {
		return slices.ContainsFunc(values, func(v string) bool { return is(v, w) })
	})
}

// IsAgent reports whether an agent's name begins as wanted, which may have dashes for blanks.
func IsAgent(name, wanted string) bool {
	name, wanted = strings.ToLower(name), strings.ToLower(wanted)
	return strings.HasPrefix(name, wanted) || strings.HasPrefix(strings.ReplaceAll(name, " ", "-"), wanted)
}

func foldedPart(value, wanted string) bool {
	return value != "" && strings.Contains(strings.ToLower(value), strings.ToLower(wanted))
}

func isPattern(value, pattern string) bool {
	if strings.EqualFold(value, pattern) {
		return true
	}
	ok, err := path.Match(strings.ToLower(pattern), strings.ToLower(value))
	return err == nil && ok
}

// isFile reports whether a path matches wanted: as the end of the path, as a folder above it, or as a
// pattern for either.
func isFile(value, wanted string) bool {
	value, wanted = strings.ToLower(value), strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(wanted, `\`, "/"), "./"))
	if strings.ContainsAny(wanted, "*?[") {
		for rest := value; ; {
			if ok, err := path.Match(wanted, rest); err != nil || ok {
				return ok
			}
			_, after, more := strings.Cut(rest, "/")
			if !more {
				return false
			}
			rest = after
		}
	}
	folder := strings.TrimSuffix(wanted, "/") + "/"
	return value == wanted || !strings.HasSuffix(wanted, "/") && strings.HasSuffix(value, "/"+wanted) ||
		strings.HasPrefix(value, folder) || strings.Contains(value, "/"+folder)
}

// columns returns the columns of the wanted roles, as bits; all columns if none is wanted.
func (f *Filter) columns() (columns int) {
	for c, role := range columnRole {
		if role != "" && slices.Contains(f.Role, role) {
			columns |= 1 << c
		}
	}
	if columns == 0 {
		return lists.Everything.Columns
	}
	return columns
}
