package searchcmd

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"entire/internal/cli/cliui"
	"entire/internal/cli/searchlib"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/search"
)

type searchOptions struct {
	searchlib.Options
	json, noPager, typing, titles bool
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
  entire search --titles retry   # in a clone that has fetched nothing yet
  entire search 'rate limit role:user' --json | jq -r '.hits[].show'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Limit < 1 || o.Limit > 1000 {
				return cliui.Failf("a number from 1 to 1000", "--limit cannot be %d", o.Limit)
			}
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error {
				return runSearch(cmd.Context(), l, strings.Join(args, " "), o)
			})
		},
		ValidArgsFunction: completeQuery,
	}
	f := cmd.Flags()
	f.StringVar(&o.Since, "since", "", "only what was said since `WHEN`: 2026-03-01, an RFC 3339 time, or 30d, 2w, 12h ago")
	f.StringVar(&o.Until, "until", "", "only what was said until `WHEN`; a day is included")
	f.StringArrayVar(&o.Filter.Branch, "branch", nil, "only sessions on this branch, or a `PATTERN` of them")
	f.StringArrayVar(&o.Filter.Agent, "agent", nil, "only sessions with this `AGENT`: "+strings.Join(workplace.AgentNames(), ", "))
	f.StringArrayVar(&o.Filter.Model, "model", nil, "only sessions with this `MODEL`, or a part of its name")
	f.StringArrayVar(&o.Filter.File, "file", nil, "only sessions that touched this `FILE`, folder or pattern of files")
	f.StringArrayVar(&o.Filter.Tag, "tag", nil, "only sessions with this `TAG`")
	f.StringArrayVar(&o.Filter.Session, "session", nil, "only this session: its `ID`, or the beginning of it")
	f.StringArrayVar(&o.Filter.Role, "role", nil, "only what this `ROLE` said: "+strings.Join(search.Roles, ", "))
	f.StringArrayVar(&o.Projects, "project", nil, "another `PROJECT`'s sessions: its folder, the folder's name, its key, or all")
	f.BoolVar(&o.titles, "titles", false, "only the subjects of commits that name a checkpoint, the newest first; needs no index and nothing of the checkpoints, as in a fresh clone")
	f.IntVar(&o.Limit, "limit", 10, "at most `N` hits")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	f.BoolVar(&o.noPager, "no-pager", false, "never use a pager")
	f.BoolVar(&o.typing, "typing", false, "the query is not finished: answer from the index as it is")
	f.MarkHidden("typing") // the full-screen program's
	cmd.SetFlagErrorFunc(wordLeftOut)
	completeSearch(env, cmd)
	return cmd
}

// wordLeftOut returns an error about a flag with a hint where a word to be left out was meant, such as -docker.
func wordLeftOut(_ *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() == "" {
		return err
	}
	word := cliui.ShownLine(unknown.GetSpecifiedShortnames())
	return cliui.Failf("to leave a word out, put the query in quotes, as in `entire search 'retry -"+word+"'`", "search has no flag -%s", word)
}

// runSearch answers a query.
func runSearch(ctx context.Context, l *sessionlib.Library, text string, o searchOptions) error {
	o.Progress = func(sessions int, bytes int64) (func(search.Progress), func()) {
		return showProgress(l.Env, sessions, bytes)
	}
	if o.typing {
		o.AsIndexed, o.Lean, o.Typing = true, true, true
	}
	look := searchlib.Search
	if o.titles {
		look = searchlib.Titles
	}
	found, err := look(ctx, l, text, o.Options)
	if err != nil {
		return err
	}
	if len(found.Hits) == 0 && !o.typing && !o.titles {
		l.TellUnfetched(ctx)
	}
	if o.json {
		return l.Env.PrintJSON(found)
	}
	return l.Env.Show(ctx, answerText{found}.text(l.Env), o.noPager)
}
