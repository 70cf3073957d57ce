package watchcmd

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/summarize"
	"entire/internal/watch"
)

// patience is how long a person waits for the other process to begin or to end.
const patience = 10 * time.Second

// detach starts a process that watches, and waits until it does.
func (o options) detach(ctx context.Context, env *cliui.Env, top, dir string) error {
	before, err := watch.Status(dir)
	if err != nil {
		return err
	}
	if before.Running {
		_, err := fmt.Fprintf(env.Out, "Process %d watches this worktree already.\n", before.PID)
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("start a process that watches: %w", err)
	}
	args := []string{"watch", "--detached", "--idle", o.idle.String(), "--every", o.every.String(), fmt.Sprint("--folders=", o.folders), fmt.Sprint("--poll=", o.poll)}
	if err := summarize.Detach(program, args, top, env.Environ); err != nil {
		return err
	}
	st, ok, err := await(ctx, dir, func(st watch.State) bool { return st.Running && !st.Since.Equal(before.Since) })
	if err != nil {
		return err
	}
	if !ok {
		return cliui.Failf("`entire watch` shows why in this terminal", "no process began to watch within %s", patience)
	}
	_, err = fmt.Fprintf(env.Out, "Process %d watches %s, %s.\n", st.PID, cliui.ShownLine(top), way(st))
	return err
}

// stop ends the process that watches.
func stop(ctx context.Context, env *cliui.Env, dir string) error {
	before, err := watch.Status(dir)
	if err != nil {
		return err
	}
	if !before.Running {
		_, err := fmt.Fprintln(env.Out, "No process watches this worktree.")
		return err
	}
	if err := watch.RequestStop(dir); err != nil {
		return fmt.Errorf("ask process %d to end: %w", before.PID, err)
	}
	_, ok, err := await(ctx, dir, func(st watch.State) bool { return !st.Running })
	if err == nil && !ok {
		err = cliui.Failf("it ends when the step that it makes is made", "process %d has not ended within %s", before.PID, patience)
	}
	if err == nil {
		_, err = fmt.Fprintf(env.Out, "Process %d no longer watches this worktree.\n", before.PID)
	}
	return err
}

// await waits until a state is as wanted, and reports whether it became so in time.
func await(ctx context.Context, dir string, wanted func(watch.State) bool) (watch.State, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		st, err := watch.Status(dir)
		if err != nil || wanted(st) {
			return st, err == nil, err
		}
		select {
		case <-ctx.Done():
			return st, false, nil
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// show prints the state.
func show(env *cliui.Env, dir string, asJSON bool) error {
	st, err := watch.Status(dir)
	if err != nil {
		return err
	}
	if st.Kept = nil; asJSON {
		return env.PrintJSON(st)
	}
	var b strings.Builder
	if st.Running {
		fmt.Fprintf(&b, "Process %d watches this worktree since %s, %s.\n", st.PID, st.Since.Local().Format("2006-01-02 15:04"), way(st))
	} else {
		b.WriteString("No process watches this worktree.\n")
		switch {
		case st.Ended != "":
			fmt.Fprintf(&b, "The last watch ended: %s.\n", cliui.ShownLine(st.Ended))
		case st.PID != 0:
			b.WriteString("The last watch was killed, or could not note why it ended.\n")
		}
	}
	if st.Steps > 0 {
		fmt.Fprintf(&b, "It made %s, the last one %s at %s.\n", cliui.Count(st.Steps, "point"), cliui.ShortID(st.Last), st.LastAt.Local().Format("15:04:05"))
	}
	if st.Waits != "" {
		fmt.Fprintf(&b, "Changes wait: %s.\n", cliui.ShownLine(st.Waits))
	}
	if st.Error != "" {
		fmt.Fprintf(&b, "The last try failed: %s\n", cliui.ShownLine(st.Error))
	}
	_, err = fmt.Fprint(env.Out, b.String())
	return err
}

// way says how changes are noticed.
func way(st watch.State) string {
	if st.Way == watch.ByPoll {
		return "at an interval (" + cliui.ShownLine(st.Why) + ")"
	}
	return "in " + cliui.Count(st.Folders, "folder")
}
