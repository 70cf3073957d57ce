package search

import (
	"path"
	"slices"
	"strings"
	"time"
)

// A Filter narrows a search. Of several values of one kind any will do; of several
// kinds all must. Case does not matter.
type Filter struct {
	Since, Until time.Time // of the message; Until is excluded
	Branch       []string  // of the session, or a pattern as for path.Match
	Agent        []string  // its name, or how that begins
	Model        []string  // part of its name
	File         []string  // that the session touched: its path or the end of it, a folder, a pattern
	Tag          []string  // of the session
	Session      []string  // its ID, or how that begins
	Role         []string  // of the message: see Roles
}

// lets reports whether what is in a session or checkpoint may be an answer.
func (f *Filter) lets(r *row) bool {
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
		anyOf(f.Agent, []string{c.Agent, strings.ReplaceAll(c.Agent, " ", "-")}, foldedPrefix) &&
		anyOf(f.Model, []string{c.Model}, foldedPart) &&
		anyOf(f.Tag, c.Tags, strings.EqualFold) &&
		anyOf(f.File, c.Files, isFile)
}

// anyOf reports whether one of the values is as one of those wanted, if there are
// any.
func anyOf(wanted, values []string, is func(value, wanted string) bool) bool {
	return len(wanted) == 0 || slices.ContainsFunc(wanted, func(w string) bool {
		return slices.ContainsFunc(values, func(v string) bool { return is(v, w) })
	})
}

func foldedPrefix(value, wanted string) bool {
	return strings.HasPrefix(strings.ToLower(value), strings.ToLower(wanted))
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

// isFile reports whether a path is the file that was named: by the end of its path,
// as a folder it is in, or by a pattern for either.
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

// columns are those that roles are in, in FTS5's syntax; "" for any.
func (f *Filter) columns() string {
	var names []string
	for _, role := range f.Role {
		if of := roles[role]; of != "" {
			names = append(names, strings.Trim(of, "{}"))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "{" + strings.Join(names, " ") + "}"
}
