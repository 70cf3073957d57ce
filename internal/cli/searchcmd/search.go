package searchcmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/search"
)

type searchOptions struct {
	since, until  string
	filter        search.Filter
	project       []string
	limit         int
	json, noPager bool
}

// Register adds the commands that search to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	parent.AddCommand(SearchCommand(env))
}

func SearchCommand(env *cliui.Env) *cobra.Command {
	var o searchOptions
	cmd := &cobra.Command{
		Use:   "search [QUERY]",
		Short: "Find what was said, asked and done in any session",
		Long: `Search the messages, prompts, titles, tags, names of files and checkpoints of this
project: of the sessions kept on this machine and of those on the metadata branch. It
needs no network. It finds no secrets, because the stored text has none.

It finds words in their other forms (failed, failing), and names whole or by their parts
(parse_config, parseConfig, internal/git/status.go). Best matches come first; if few
messages have all the words, those with some of them follow.

  two words          both of them
  "two words"        in this order
  pars*              words that begin so
  a OR b, a AND b    one of them, both; ( ) for groups
  NOT a, -a          without it
  field:value        a filter: ` + strings.Join(search.Fields, ", ") + `

A filter that is given several times accepts any of the values. Without a query it
shows the latest sessions that match the filters.

The index is a cache in ` + "`entire/search`" + ` of the user's cache folder. Every search updates
it, and it may be deleted at any time.`,
		Example: `  entire search retry timeout
  entire search '"connection refused" -docker' --since 30d
  entire search 'parse_config OR ParseConfig' --role assistant
  entire search migration --file db/schema.sql --branch 'feature/*'
  entire search 'rate limit role:user' --json | jq -r '.hits[].show'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.limit < 1 || o.limit > 1000 {
				return cliui.Failf("a number from 1 to 1000", "--limit cannot be %d", o.limit)
			}
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error {
				return runSearch(cmd.Context(), l, strings.Join(args, " "), o)
			})
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
			return completeQuery(env, cmd, args, toComplete)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "", "only what was said since `WHEN`: 2026-03-01, an RFC 3339 time, or 30d, 2w, 12h ago")
	f.StringVar(&o.until, "until", "", "only what was said until `WHEN`; a day is included")
	f.StringArrayVar(&o.filter.Branch, "branch", nil, "only sessions on this branch, or a `PATTERN` of them")
	f.StringArrayVar(&o.filter.Agent, "agent", nil, "only sessions with this `AGENT`: "+strings.Join(workplace.AgentNames(), ", "))
	f.StringArrayVar(&o.filter.Model, "model", nil, "only sessions with this `MODEL`, or a part of its name")
	f.StringArrayVar(&o.filter.File, "file", nil, "only sessions that touched this `FILE`, folder or pattern of files")
	f.StringArrayVar(&o.filter.Tag, "tag", nil, "only sessions with this `TAG`")
	f.StringArrayVar(&o.filter.Session, "session", nil, "only this session: its `ID`, or the beginning of it")
	f.StringArrayVar(&o.filter.Role, "role", nil, "only what this `ROLE` said: "+strings.Join(search.Roles, ", "))
	f.StringArrayVar(&o.project, "project", nil, "another `PROJECT`'s sessions: its folder, the folder's name, its key, or all")
	f.IntVar(&o.limit, "limit", 10, "the largest number of hits")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	f.BoolVar(&o.noPager, "no-pager", false, "never use a pager")
	completeSearch(env, cmd)
	return cmd
}

// runSearch updates the indexes and answers a query.
func runSearch(ctx context.Context, l *sessionlib.Library, text string, o searchOptions) error {
	req, err := searchRequest(l, text, &o)
	if err != nil {
		return err
	}
	if req.Query.Root == nil && !o.filtered() {
		return cliui.Failf("as in `entire search retry timeout`; `entire search --help` shows more", "nothing to look for")
	}
	keys, err := searchedProjects(ctx, l, o.project)
	if err != nil {
		return err
	}
	view := searchView{Query: text, Hits: []hitView{}}
	for _, key := range keys {
		a, err := searchProject(ctx, l, key, req)
		if err != nil {
			return err
		}
		view.take(l, key, a)
	}
	view.finish(o.limit)
	if o.json {
		return l.Env.PrintJSON(view)
	}
	return l.Env.Show(ctx, view.text(l.Env), o.noPager)
}

// filtered reports whether a filter narrows the search.
func (o *searchOptions) filtered() bool {
	f := o.filter
	return !f.Since.IsZero() || !f.Until.IsZero() || len(o.project) > 0 ||
		len(f.Branch)+len(f.Agent)+len(f.Model)+len(f.File)+len(f.Tag)+len(f.Session)+len(f.Role) > 0
}

// searchRequest parses the query and combines its filters with those of the flags.
func searchRequest(l *sessionlib.Library, text string, o *searchOptions) (search.Request, error) {
	q, err := search.Parse(text)
	var bad *search.QueryError
	if errors.As(err, &bad) {
		return search.Request{}, cliui.Failf(bad.Hint, "%w", err)
	}
	if err != nil {
		return search.Request{}, err
	}
	lists := map[string]*[]string{"branch": &o.filter.Branch, "agent": &o.filter.Agent, "model": &o.filter.Model, "file": &o.filter.File,
		"tag": &o.filter.Tag, "session": &o.filter.Session, "role": &o.filter.Role, "project": &o.project}
	for _, field := range q.Fields {
		switch field.Name {
		case "since":
			o.since = field.Value
		case "until":
			o.until = field.Value
		default:
			*lists[field.Name] = append(*lists[field.Name], field.Value)
		}
	}
	for i, role := range o.filter.Role {
		if o.filter.Role[i] = strings.ToLower(role); !contains(search.Roles, o.filter.Role[i]) {
			return search.Request{}, cliui.Failf("one of "+strings.Join(search.Roles, ", "), "unknown role: %s", cliui.ShownLine(role))
		}
	}
	if o.filter.Since, err = moment(o.since, l.Env.Now(), false); err != nil {
		return search.Request{}, err
	}
	if o.filter.Until, err = moment(o.until, l.Env.Now(), true); err != nil {
		return search.Request{}, err
	}
	return search.Request{Query: q, Filter: o.filter, Limit: o.limit}, nil
}

func contains(list []string, s string) bool {
	for _, one := range list {
		if one == s {
			return true
		}
	}
	return false
}

// searchProject answers a request from the index of one project. It rebuilds a damaged index.
func searchProject(ctx context.Context, l *sessionlib.Library, key string, req search.Request) (search.Answer, error) {
	dir := workplace.CacheDir(l.Env)
	if dir == "" {
		return search.Answer{}, cliui.Failf("set HOME or XDG_CACHE_HOME", "the home directory is unknown")
	}
	x, err := search.Open(ctx, workplace.SearchIndexPath(dir, key))
	if err != nil {
		return search.Answer{}, cliui.Failf("set XDG_CACHE_HOME to a folder that can be written", "%w", err)
	}
	a, err := updateAndFind(ctx, l, x, key, req)
	if search.Damaged(err) {
		fmt.Fprintln(l.Env.Err, "The search index is damaged, so it is rebuilt.")
		if err = x.Recreate(ctx); err == nil {
			a, err = updateAndFind(ctx, l, x, key, req)
		}
	}
	return a, errors.Join(err, x.Close())
}

func updateAndFind(ctx context.Context, l *sessionlib.Library, x *search.Index, key string, req search.Request) (search.Answer, error) {
	if err := updateIndex(ctx, l, x, key); err != nil {
		return search.Answer{}, err
	}
	return x.Find(ctx, req)
}
