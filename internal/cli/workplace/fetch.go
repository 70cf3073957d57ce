package workplace

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/checkpoint/epoch"
	"entire/checkpoint/metadata"
	"entire/checkpoint/sealing"
	"entire/checkpoint/shadow"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/term"
	"entire/strategy/share"
	"entire/strategy/step"
)

const (
	// fetchWithin is the longest time that a command waits for checkpoints from remotes.
	fetchWithin = 20 * time.Second
	// fetchAgain is how long a checkpoint that no remote had is not asked for again.
	fetchAgain = 10 * time.Minute
	// fetchHistory is how many commits are searched for checkpoints that a command will want.
	fetchHistory = 2000
)

// FetchMissing fetches those of the checkpoints that are not here from the remotes that the person
// agreed to share sessions with; nobody is asked for a password. What cannot be fetched is
// missing, and a warning says why. No hook may call it.
func (wp *Workplace) FetchMissing(ctx context.Context, env *cliui.Env, ids []id.CheckpointID) {
	wp.FetchPromised(ctx, env)
	tried := wp.triedBefore(env.Now())
	ids = slices.DeleteFunc(slices.Clone(ids), func(cp id.CheckpointID) bool {
		_, before := tried[cp.String()]
		return before
	})
	if len(ids) == 0 || wp.Engine == nil {
		return
	}
	within, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	asked := false
	found, err := share.FetchMissing(within, wp.Engine, wp.Repo.Network(), ids, func(remote string, count int) {
		asked = true
		fmt.Fprintf(env.Err, "Fetching %s from %s...\n", cliui.Count(count, "checkpoint"), cliui.ShownLine(remote))
	})
	if err != nil {
		fmt.Fprintf(env.Err, "warning: %s\n", cliui.ShownLine(err.Error()))
	}
	if !asked || err != nil {
		return
	}
	for _, cp := range ids {
		if !slices.Contains(found, cp) {
			tried[cp.String()] = env.Now()
		}
	}
	if data, err := json.Marshal(tried); err == nil {
		_ = durable.WriteCache(wp.triedFile(), data, 0o600) // without it, the next command asks again
	}
}

// FetchNamed is FetchMissing for the checkpoints that commits name. which are the arguments of git
// log. It does nothing in a repository that keeps no checkpoint in a ref of its own or in an epoch.
func (wp *Workplace) FetchNamed(ctx context.Context, env *cliui.Env, which ...string) {
	wp.FetchPromised(ctx, env)
	if wp.Engine == nil || !wp.Settings.CheckpointRefs && !step.MayHaveRefs(wp.Engine, metadata.CheckpointRefs) && !wp.mayBeSealed(ctx) {
		return
	}
	if agreed, err := share.Destinations(wp.Engine); err != nil || len(agreed) == 0 {
		return
	}
	args := append([]string{"log", "-z", "-n", fmt.Sprint(fetchHistory), "--no-show-signature", "--format=%B", "-F", "--grep=" + trailer.Checkpoint}, which...)
	out, err := wp.Repo.Run(ctx, args...)
	if err != nil {
		return // the command itself says what is wrong with the commits
	}
	var ids []id.CheckpointID
	for message := range strings.SplitSeq(string(out), "\x00") {
		for _, cp := range trailer.ParseCheckpointTrailers(message) {
			if !slices.Contains(ids, cp) {
				ids = append(ids, cp)
			}
		}
	}
	wp.FetchMissing(ctx, env, ids)
}

// FetchPromised lets the command fetch what a partial clone left at its remote, as git's own commands do: what is
// stored of conversations at once, files as they are needed. It does nothing in other clones. No hook may call it.
func (wp *Workplace) FetchPromised(ctx context.Context, env *cliui.Env) {
	if wp.partial || !wp.Repo.IsPartial() {
		return
	}
	wp.partial = true
	wp.Repo.FetchPromised()
	refs, err := wp.Repo.Refs(ctx, "refs/heads/"+shadow.MetadataBranch, "refs/remotes/")
	var tips []git.OID
	for _, ref := range refs {
		if strings.HasSuffix(ref.Name, "/"+shadow.MetadataBranch) {
			tips = append(tips, ref.OID)
		}
	}
	if err == nil && len(tips) > 0 {
		var lack []string
		var remote string
		if lack, remote, err = wp.Repo.Promised(ctx, tips...); err == nil && len(lack) > 0 {
			fmt.Fprintf(env.Err, "Fetching %s of stored conversations from %s...\n", cliui.Count(len(lack), "part"), cliui.ShownLine(remote))
			err = wp.Repo.FetchObjects(ctx, remote, lack)
		}
	}
	if err != nil {
		fmt.Fprintf(env.Err, "warning: this partial clone lacks parts of stored conversations: %s\n", cliui.ShownLine(err.Error()))
	}
}

// mayBeSealed reports whether checkpoints have left the branch for epochs.
func (wp *Workplace) mayBeSealed(ctx context.Context) bool {
	if step.MayHaveRefs(wp.Engine, epoch.Refs) {
		return true
	}
	unknown, err := sealing.Unknown(ctx, wp.Repo)
	return err == nil && len(unknown) > 0
}

// triedFile remembers the checkpoints that no remote had.
func (wp *Workplace) triedFile() string {
	return filepath.Join(wp.Repo.CommonDir, "entire", "not-fetched.json")
}

func (wp *Workplace) triedBefore(now time.Time) map[string]time.Time {
	tried := map[string]time.Time{}
	data, err := durable.Read(wp.triedFile(), 1<<20)
	if err == nil && json.Unmarshal(data, &tried) != nil {
		tried = map[string]time.Time{}
	}
	for name, at := range tried {
		if age := now.Sub(at); age < 0 || age > fetchAgain {
			delete(tried, name)
		}
	}
	return tried
}

// Person lets git and ssh ask, and show progress unless the command is quiet, if a person is at the terminal.
func Person(env *cliui.Env, quiet bool) (who git.Person) {
	if env.Terminal().Interactive {
		who.Ask, who.Stdin = true, env.In
	}
	if !quiet && term.IsTerminal(env.Err) {
		who.Progress = env.Redrawn()
	}
	return who
}
