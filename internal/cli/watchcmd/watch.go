package watchcmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/summarize"
	"entire/internal/watch"
	"entire/strategy/turn"
)

// Defaults of the flags.
const (
	defaultIdle = 12 * time.Hour
	defaultPoll = time.Minute
)

type options struct {
	background, stop, status, json, poll, detached bool
	idle, every                                    time.Duration
	folders                                        int
}

// Register adds the command.
func Register(root *cobra.Command, env *cliui.Env) {
	var o options
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Keep what changes outside turns",
		Long: `Keep what changes while no agent works: when files have changed and then been quiet for two
seconds, they are saved as a point of its own kind, which is in the log and which rewind
brings back. Nothing is saved during a turn, which has points of its own, or while git changes
the worktree. Files that git ignores are not saved.

It makes at most 60 points and saves at most 512 MB an hour, and ends by itself: when nothing
has changed for 12 hours, when Entire is disabled, or when the worktree is gone. One process
watches a worktree.`,
		Example: `  entire watch                # until Ctrl-C
  entire watch --background   # until it ends by itself
  entire watch --status
  entire log --kind watch     # what it has kept`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return o.run(cmd.Context(), env)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.background, "background", false, "watch in another process, which the end of this terminal does not end")
	f.BoolVar(&o.stop, "stop", false, "end the process that watches this worktree")
	f.BoolVar(&o.status, "status", false, "say whether a process watches this worktree, and what it has kept")
	f.BoolVar(&o.json, "json", false, "with --status: print JSON")
	f.DurationVar(&o.idle, "idle", defaultIdle, "end when nothing has changed for this `TIME`")
	f.BoolVar(&o.poll, "poll", false, "ask git at an interval, instead of the system for events")
	f.DurationVar(&o.every, "every", defaultPoll, "the `TIME` between two polls")
	f.IntVar(&o.folders, "folders", watch.MaxFolders, "at most `N` folders are watched; with more, it polls")
	f.BoolVar(&o.detached, "detached", false, "")
	f.Lookup("detached").Hidden = true
	cmd.MarkFlagsMutuallyExclusive("background", "stop", "status")
	root.AddCommand(cmd)
}

func (o options) check() error {
	switch {
	case o.json && !o.status:
		return cliui.Failf("use it with --status", "--json has nothing to print")
	case o.idle < time.Second:
		return cliui.Failf("such as 12h", "--idle %s is less than a second", o.idle)
	case o.every < time.Second:
		return cliui.Failf("such as 1m", "--every %s is less than a second", o.every)
	case o.folders < 0:
		return cliui.Failf("0 never watches folders", "--folders is %d", o.folders)
	}
	return nil
}

func (o options) run(ctx context.Context, env *cliui.Env) error {
	if o.stop || o.status { // also where Entire was disabled meanwhile
		wp, _, err := workplace.OpenHere(ctx, env, cliui.Failf("run this inside a repository", "not a git repository"))
		if err != nil {
			return err
		}
		defer wp.Close()
		if o.stop {
			return stop(ctx, env, stateDir(wp))
		}
		return show(env, stateDir(wp), o.json)
	}
	wp, err := workplace.OpenEnabledRepo(ctx, env)
	if err != nil || wp == nil {
		return err
	}
	top, dir, on := wp.Repo.Top, stateDir(wp), wp.Place.Active()
	wp.Close()
	switch {
	case !on:
		return cliui.Failf("`entire enable` sets it up", "Entire is not set up here")
	case o.background:
		return o.detach(ctx, env, top, dir)
	case o.detached:
		summarize.Yield()
	}
	return o.watch(ctx, env, top, dir)
}

// stateDir returns the folder of the worktree's own state.
func stateDir(wp *workplace.Workplace) string { return filepath.Join(wp.Repo.GitDir, "entire") }

// watch watches until there is a reason to end.
func (o options) watch(ctx context.Context, env *cliui.Env, top, dir string) error {
	k := keeper{env, top}
	why, err := watch.Run(ctx, watch.Options{
		Top: top, Dir: dir, Ignored: k.ignored, Save: k.save, Off: k.off, Now: env.Now,
		Tell: func(st watch.State, s watch.Saved) { tell(env, top, st, s) },
		Failed: func(err error) {
			fmt.Fprintf(env.Err, "entire: what has changed is not saved yet: %s\n", cliui.ShownLine(err.Error()))
		},
		Idle: o.idle, Poll: o.every, Folders: o.folders, NoEvent: o.poll,
	})
	if errors.Is(err, watch.ErrWatched) {
		st, err := watch.Status(dir)
		if err != nil { // it is another user's
			return fmt.Errorf("another process watches this worktree already: %w", err)
		}
		return cliui.Failf("`entire watch --status` shows it, `entire watch --stop` ends it", "process %d watches this worktree already", st.PID)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Out, "Stopped watching: %s.\n", why)
	return err
}

// tell says what the watch does, on a line.
func tell(env *cliui.Env, top string, st watch.State, s watch.Saved) {
	switch {
	case s.Step != "":
		fmt.Fprintf(env.Out, "%s  saved as %s\n", st.LastAt.Local().Format("15:04:05"), cliui.ShortID(s.Step))
	case st.Way == watch.ByPoll:
		fmt.Fprintf(env.Out, "Watching %s at an interval: %s.\n", cliui.ShownLine(top), cliui.ShownLine(st.Why))
	default:
		fmt.Fprintf(env.Out, "Watching %s in %s.\n", cliui.ShownLine(top), cliui.Count(st.Folders, "folder"))
	}
}

// A keeper does with the repository what a watch asks for.
type keeper struct {
	env *cliui.Env
	top string
}

// save makes a step of what has changed.
func (k keeper) save(ctx context.Context) (watch.Saved, error) {
	wp, _, err := workplace.OpenAt(ctx, k.env, k.top)
	if err != nil {
		return watch.Saved{}, err
	}
	defer wp.Close()
	if !wp.Place.Active() || wp.Repo.Top != k.top { // disabled, or the worktree is gone and lay in another one
		return watch.Saved{}, nil
	}
	out, err := turn.SaveOutside(ctx, wp.Engine)
	if err != nil {
		wp.Log.Warn("changes outside turns were not saved", "err", err)
		return watch.Saved{}, err
	}
	if !out.New {
		return watch.Saved{Busy: out.Busy}, nil
	}
	wp.Log.Info("changes outside turns saved", "step", out.Step.Short(), "files", out.Files)
	return watch.Saved{Step: out.Step.String(), Bytes: out.Bytes}, nil
}

// ignored returns the paths that git ignores, folders whole.
func (k keeper) ignored(ctx context.Context) ([]string, error) {
	wp, _, err := workplace.OpenAt(ctx, k.env, k.top)
	if err != nil {
		return nil, err
	}
	defer wp.Close()
	text, err := wp.Repo.Run(ctx, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	if err != nil {
		return nil, fmt.Errorf("list what git ignores: %w", err)
	}
	return strings.Split(string(text), "\x00"), nil
}

// off says why nothing is to be watched here any more.
func (k keeper) off() string {
	if !workplace.FindPlace(k.top).Active() {
		return "Entire is disabled here"
	}
	return ""
}
