package rescuecmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/cli/cliui"
	"entire/internal/cli/rescuelib"
	"entire/internal/cli/workplace"
)

// sessionsOptions are the flags of `rescue`.
type sessionsOptions struct {
	list, all, again, yes, json bool
	daily, dailyGiven           bool
	agents                      []string
	since, home, project        string
	was                         []string
	names                       []string // of sessions
}

// Register adds the command to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	var o sessionsOptions
	cmd := &cobra.Command{
		Use:   "rescue [SESSION...]",
		Short: "Bring back what was lost before Entire was there",
		Long: `Bring back what was lost, also where Entire was never enabled: from what agents,
git and editors left on this machine.

It finds the conversations that agents keep, which they delete themselves sooner
or later, and imports those of this project into the store of its sessions,
without their secrets. It shows a plan first. A conversation belongs to the
project whatever its folder was called then: a project is known by its first
commit, its remotes and its commits.

Running it again costs only what is new. Nothing is stored twice: not what hooks
recorded, and not what a resumed or forked conversation repeats.`,
		Example: `  entire rescue --list          # what is on this machine, also before enable
  entire rescue                 # import the conversations of this project
  entire rescue --all --yes     # of every repository, each into its own store
  entire rescue --since 2w --agent codex
  entire rescue --daily         # and again once a day, in the background
  entire rescue --was ~/old-shop  # the folder had another name then
  entire rescue files           # bring files back`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names, o.dailyGiven = args, cmd.Flags().Changed("daily")
			if err := o.check(); err != nil {
				return err
			}
			ctx, cancel := env.Interruptible(cmd.Context())
			defer cancel()
			return runSessions(ctx, env, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "only show what is on this machine, of all projects")
	f.BoolVar(&o.all, "all", false, "the conversations of every repository, each into its own store")
	f.StringSliceVar(&o.agents, "agent", nil, "only those of this `AGENT`, or of several with commas")
	f.StringVar(&o.since, "since", "", "only those with something said since `TIME`: 2w (ago), 2026-11-24")
	f.StringVar(&o.project, "project", "", "with --all or --list: only those of the project `NAME`, or of a folder")
	f.StringArrayVar(&o.was, "was", nil, "this project was also in `DIR`")
	f.StringVar(&o.home, "home", "", "look in another home directory `DIR`, such as one from a backup")
	f.BoolVar(&o.again, "again", false, "also what was imported or deleted before")
	f.BoolVar(&o.daily, "daily", false, "and again once a day, when a session starts (--daily=false: no longer)")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	cliui.GroupFlags(f,
		cliui.FlagGroup{Title: "Which conversations", Names: []string{"all", "agent", "since", "project", "was", "home", "again"}},
		cliui.FlagGroup{Title: "How", Names: []string{"list", "daily", "yes", "json"}})
	cmd.RegisterFlagCompletionFunc("agent", workplace.CompleteAgents)
	cmd.AddCommand(filesCommand(env))
	parent.AddCommand(cmd)
}

func (o *sessionsOptions) check() error {
	switch {
	case o.dailyGiven && (o.list || o.all || len(o.names) > 0 || len(o.agents)+len(o.was) > 0 || o.since != "" || o.home != ""):
		return cliui.Failf("leave the other flags out", "--daily is for all conversations of this project")
	case o.list && (o.all || o.yes || o.again || len(o.names) > 0):
		return cliui.Failf("leave the other flags out", "--list only looks, at everything")
	case o.project != "" && !o.all && !o.list:
		return cliui.Failf("add --all, or go to that project", "--project chooses among all projects")
	case len(o.names) > 0 && o.all:
		return cliui.Failf("leave --all out: an ID names a conversation of any project", "--all and the IDs both say which conversations")
	}
	for _, name := range o.agents {
		if _, ok := agents.Lookup(agent.AgentName(name)); !ok {
			return cliui.Failf("one of "+strings.Join(workplace.AgentNames(), ", "), "unknown agent: %s", name)
		}
	}
	return nil
}

func (o *sessionsOptions) look(env *cliui.Env) (rescuelib.Options, error) {
	out := rescuelib.Options{Again: o.again}
	for _, name := range o.agents {
		out.Agents = append(out.Agents, agent.AgentName(name))
	}
	var err error
	if out.Was, err = formerFolders(env, o.was); err != nil || o.home == "" {
		return out, err
	}
	homes, err := formerFolders(env, []string{o.home})
	if err == nil {
		out.Home = homes[0]
		if !cliui.IsDir(out.Home) {
			err = cliui.Failf("name a home directory, or a copy of one", "there is no folder %s", cliui.ShownName(out.Home))
		}
	}
	return out, err
}

func runSessions(ctx context.Context, env *cliui.Env, o sessionsOptions) (err error) {
	options, err := o.look(env)
	if err != nil {
		return err
	}
	since, err := cliui.Moment(o.since, env.Now(), false)
	if err != nil {
		return err
	}
	if o.dailyGiven {
		if err := setDaily(ctx, env, o.daily); err != nil || !o.daily {
			return err
		}
	}
	dir, err := env.Here()
	if err != nil {
		return err
	}
	say := newSpeaker(env)
	s, err := rescuelib.Look(ctx, env, dir, options, say.tell)
	say.done()
	if err != nil {
		return err
	}
	defer func() {
		cerr := s.Close()
		switch {
		case cerr == nil || err != nil:
		case o.list: // it is right without what it would remember
			fmt.Fprintf(env.Err, "warning: %s\n", cliui.ShownLine(cerr.Error()))
		default:
			err = cerr
		}
	}()
	if o.list {
		return o.showAll(ctx, env, s, since)
	}
	items, err := o.choose(s, since)
	if err != nil {
		return err
	}
	return o.importChosen(ctx, env, s, items)
}

// choose returns the conversations that the options name.
func (o *sessionsOptions) choose(s *rescuelib.Survey, since time.Time) ([]*rescuelib.Item, error) {
	var out []*rescuelib.Item
	named := map[string]bool{}
	for i := range s.Items {
		it := &s.Items[i]
		switch {
		case len(o.names) > 0:
			name := nameOf(it.Session, o.names)
			if name == "" {
				continue
			}
			named[name] = true
		case it.Last.Before(since) || !o.all && !s.IsHere(it) || o.project != "" && !inProject(s, it, o.project):
			continue
		}
		out = append(out, it)
	}
	for _, name := range o.names {
		if !named[name] {
			return nil, cliui.Failf("`entire rescue --list` shows what is there; `entire rescue files` brings files back", "no agent keeps a conversation %s", cliui.ShownName(name))
		}
	}
	return out, nil
}

// nameOf returns the name that is the beginning of a session's ID, "" for none.
func nameOf(session string, names []string) string {
	for _, name := range names {
		if name != "" && strings.HasPrefix(session, name) {
			return name
		}
	}
	return ""
}

func inProject(s *rescuelib.Survey, it *rescuelib.Item, name string) bool {
	return s.Name(it) == name || it.Project.Key == name || it.Folder == name || it.Project.Top == name
}
