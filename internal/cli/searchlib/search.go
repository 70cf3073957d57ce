package searchlib

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/search"
)

// Options narrow a search.
type Options struct {
	Since, Until string // as --since and --until of `entire search` take them
	Filter       search.Filter
	Projects     []string // names of projects; none for this one
	Limit        int      // the largest number of hits
	// AsIndexed searches the index as it is, without bringing it up to date first.
	AsIndexed bool
	// Lean holds little of the index in memory, for a program that stays open.
	Lean bool
	// Typing says that the query is not finished: its last word also finds words that begin with it.
	Typing bool
	// Progress is told once how many sessions and bytes are to be indexed, and returns what is told
	// how far that is and when it has ended; nil for nothing.
	Progress func(sessions int, bytes int64) (tell func(search.Progress), done func())

	absent map[string]int // the number of projects that know no agent with a name of Filter.Agent
}

// Search brings the indexes up to date and answers a query.
func Search(ctx context.Context, l *sessionlib.Library, text string, o Options) (*Answer, error) {
	req, err := request(l, text, &o)
	if err != nil {
		return nil, err
	}
	if req.Query.Root == nil && !o.filtered() {
		return nil, cliui.Failf("as in `entire search retry timeout`; `entire search --help` shows more", "nothing to look for")
	}
	keys, err := searchedProjects(ctx, l, o.Projects)
	if err != nil {
		return nil, err
	}
	o.absent = map[string]int{}
	found := &Answer{Query: text, Hits: []Hit{}}
	for _, key := range keys {
		a, err := searchProject(ctx, l, key, req, o)
		if err != nil {
			return nil, err
		}
		found.take(l, key, a)
	}
	if err := checkAgents(l, o.Filter.Agent, o.absent, len(keys)); err != nil {
		return nil, err
	}
	found.finish(o.Limit)
	return found, nil
}

// filtered reports whether a filter narrows the search.
func (o *Options) filtered() bool {
	f := o.Filter
	return !f.Since.IsZero() || !f.Until.IsZero() || len(o.Projects) > 0 ||
		len(f.Branch)+len(f.Agent)+len(f.Model)+len(f.File)+len(f.Tag)+len(f.Session)+len(f.Role) > 0
}

// request parses the query and combines its filters with those of the flags.
func request(l *sessionlib.Library, text string, o *Options) (search.Request, error) {
	if o.Typing {
		text = unfinished(text)
	}
	q, err := search.Parse(text)
	var bad *search.QueryError
	if errors.As(err, &bad) {
		return search.Request{}, cliui.Failf(bad.Hint, "%w", err)
	}
	if err != nil {
		return search.Request{}, err
	}
	lists := map[string]*[]string{"branch": &o.Filter.Branch, "agent": &o.Filter.Agent, "model": &o.Filter.Model, "file": &o.Filter.File,
		"tag": &o.Filter.Tag, "session": &o.Filter.Session, "role": &o.Filter.Role, "project": &o.Projects}
	for _, field := range q.Fields {
		switch field.Name {
		case "since":
			o.Since = field.Value
		case "until":
			o.Until = field.Value
		default:
			*lists[field.Name] = append(*lists[field.Name], field.Value)
		}
	}
	for i, role := range o.Filter.Role {
		if o.Filter.Role[i] = strings.ToLower(role); !slices.Contains(search.Roles, o.Filter.Role[i]) {
			return search.Request{}, cliui.Failf("one of "+strings.Join(search.Roles, ", "), "unknown role: %s", cliui.ShownLine(role))
		}
	}
	if o.Filter.Since, err = cliui.Moment(o.Since, l.Env.Now(), false); err != nil {
		return search.Request{}, err
	}
	if o.Filter.Until, err = cliui.Moment(o.Until, l.Env.Now(), true); err != nil {
		return search.Request{}, err
	}
	return search.Request{Query: q, Filter: o.Filter, Limit: o.Limit}, nil
}

// searchProject answers a request from the index of one project. It rebuilds a damaged index.
func searchProject(ctx context.Context, l *sessionlib.Library, key string, req search.Request, o Options) (search.Answer, error) {
	dir := workplace.CacheDir(l.Env)
	if dir == "" {
		return search.Answer{}, cliui.Failf("set HOME or XDG_CACHE_HOME", "the home directory is unknown")
	}
	open := search.Open
	if o.Lean {
		open = search.OpenLean
	}
	if key == l.Ident.Key && l.Wp != nil && (l.Wp.Settings.Sealed || l.Wp.Repo.HasKeys(ctx)) {
		o.AsIndexed = false
		open = func(ctx context.Context, _ string) (*search.Index, error) { return search.InMemory(ctx) }
	}
	x, err := open(ctx, workplace.SearchIndexPath(dir, key))
	if err != nil {
		return search.Answer{}, cliui.Failf("set XDG_CACHE_HOME to a folder that can be written", "%w", err)
	}
	a, err := o.find(ctx, l, x, key, req)
	if search.Damaged(err) {
		fmt.Fprintln(l.Env.Err, "The search index is damaged, so it is rebuilt.")
		if err = x.Recreate(ctx); err == nil {
			a, err = o.find(ctx, l, x, key, req)
		}
	}
	return a, errors.Join(err, x.Close())
}

// find answers a request, from an index that it brings up to date unless o says otherwise.
func (o Options) find(ctx context.Context, l *sessionlib.Library, x *search.Index, key string, req search.Request) (search.Answer, error) {
	if !o.AsIndexed {
		if err := o.updateIndex(ctx, l, x, key); err != nil {
			return search.Answer{}, err
		}
	}
	if len(req.Filter.Agent) > 0 {
		stored, unknown, err := storedAgents(ctx, x, req.Filter.Agent)
		if err != nil {
			return search.Answer{}, err
		}
		req.Filter.Agent = stored
		for _, name := range unknown {
			o.absent[name]++
		}
	}
	return x.Find(ctx, req)
}
