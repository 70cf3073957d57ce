package rescuecmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/term"
)

// filesOptions are the flags of `rescue files`.
type filesOptions struct {
	at, out, show, home     string
	former                  []string
	list, diff, apply, json bool
	yes                     bool
	paths                   []string // as typed
}

func filesCommand(env *cliui.Env) *cobra.Command {
	var o filesOptions
	cmd := &cobra.Command{
		Use:   "files [--at TIME] [PATH...]",
		Short: "Bring back files as they were, from all that is left of them",
		Long: `Bring back files as they were, from all that is left of them: steps of Entire,
agents' transcripts and their own copies, git's reflogs, stashes, staged and
dangling objects, and editors' histories. Entire need not be enabled.

Without PATH it looks for what is lost: files that are missing, empty, or back at
an older content, while a newer one is known that no branch has. With PATH it
offers the newest version of each that differs from the file, with --at the
version of that time. It shows a plan and changes nothing; --out writes the files
into another folder, --apply into the worktree. There the present is saved first,
and ` + "`entire undo`" + ` takes it back.

Each version says how sure it is: exact bytes; verified (rebuilt, and the same
bytes were found elsewhere); rebuilt; partial (only some lines are known; written
only with --out, as NAME.partial).`,
		Example: `  entire rescue files                        # what is lost here
  entire rescue files --apply
  entire rescue files --out ~/rescued        # beside, to look at first
  entire rescue files --at 2h src
  entire rescue files --list src/main.go     # every version that is known
  entire rescue files --show src/main.go@3 >main.go
  entire rescue files --was ~/old-place      # the folder had another name then`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths = args
			if err := o.check(); err != nil {
				return err
			}
			ctx, cancel := env.Interruptible(cmd.Context())
			defer cancel()
			return runFiles(ctx, env, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.at, "at", "", "the files as they were at `TIME`: 2h (ago), 2026-11-24T14:30, yesterday")
	f.StringArrayVar(&o.former, "was", nil, "the worktree was also in `DIR`, or a worktree that is gone was")
	f.StringVar(&o.home, "home", "", "look in another home directory `DIR`, such as one from a backup")
	f.BoolVar(&o.list, "list", false, "list every known version of the PATHs, the newest first")
	f.StringVar(&o.show, "show", "", "print version N of a file, as numbered by --list (`PATH@N`)")
	f.BoolVar(&o.diff, "diff", false, "show what would change, line by line")
	f.StringVar(&o.out, "out", "", "write the files into `DIR`, which is new or empty")
	f.BoolVar(&o.apply, "apply", false, "write the files into the worktree; the present is saved first")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.BoolVar(&o.json, "json", false, "print JSON")
	cliui.GroupFlags(f,
		cliui.FlagGroup{Title: "Which version", Names: []string{"at", "was", "home"}},
		cliui.FlagGroup{Title: "See", Names: []string{"list", "show", "diff", "json"}},
		cliui.FlagGroup{Title: "Write", Names: []string{"out", "apply", "yes"}})
	return cmd
}

func (o *filesOptions) check() error {
	switch {
	case o.list && len(o.paths) == 0:
		return cliui.Failf("name one, as in `entire rescue files --list src/main.go`", "--list needs the path of a file")
	case o.show != "" && len(o.paths) > 0:
		return cliui.Failf("leave the other paths out", "--show prints one version of one file")
	case o.out != "" && o.apply:
		return cliui.Failf("leave one of them out", "--out and --apply both say where the files go")
	case (o.list || o.show != "") && (o.out != "" || o.apply || o.at != ""):
		return cliui.Failf("leave the other flags out", "--list and --show only look")
	}
	return nil
}

// showing returns the file and the number that --show names.
func (o *filesOptions) showing() (path string, n int, err error) {
	path, number, ok := cutLast(o.show, "@")
	if ok {
		_, err = fmt.Sscanf(number, "%d", &n)
	}
	if !ok || err != nil || n < 1 || path == "" {
		return "", 0, cliui.Failf("`entire rescue files --list PATH` numbers the versions", "--show %s does not say PATH@N", cliui.ShownName(o.show))
	}
	return path, n, nil
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func runFiles(ctx context.Context, env *cliui.Env, o filesOptions) error {
	wp, err := workplace.Open(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	showN := 0
	if o.show != "" {
		path, n, err := o.showing()
		if err != nil {
			return err
		}
		o.paths, showN = []string{path}, n
	}
	f, err := find(ctx, env, wp, o)
	if err != nil {
		return err
	}
	defer f.Close()
	switch {
	case o.list:
		return f.printList(env, o.json)
	case o.show != "":
		return f.printVersion(env, showN)
	}
	plan, err := f.plan(ctx, env, o)
	if err != nil {
		return err
	}
	switch {
	case o.out != "":
		return writeBeside(ctx, env, f, plan, o)
	case o.apply:
		return applyPlan(ctx, env, wp, f, plan, o)
	}
	return showPlan(ctx, env, wp, f, plan, o)
}

// showPlan prints the plan, and asks a person whether to carry it out.
func showPlan(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, f *found, plan *filesPlan, o filesOptions) error {
	if o.json {
		return env.PrintJSON(plan.view())
	}
	text, err := plan.text(ctx, env, f, o.diff, true)
	if err != nil {
		return err
	}
	if err := env.Show(ctx, text, false); err != nil {
		return err
	}
	if whole := plan.whole(); len(whole) > 0 && env.Terminal().Interactive && term.IsTerminal(env.Out) {
		return applyPlan(ctx, env, wp, f, plan, o)
	}
	return nil
}
