package statuslinecmd

import (
	"context"
	"time"

	"entire/internal/attribution"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
	"entire/internal/summarize"
	"entire/strategy/ownership"
)

// The limits of a look at what is staged.
const (
	stagedFiles = 200
	stagedTime  = 10 * time.Second
)

// refresh finds what is staged and whether an agent works without being captured, and writes it into
// the cache. One process at a time does so; another one returns, unless it is to wait.
func refresh(ctx context.Context, env *cliui.Env, place workplace.Place, wait bool) error {
	summarize.Yield()
	limit := time.Millisecond
	if wait {
		limit = 2 * stagedTime
	}
	lock, err := durable.AcquireWithin(cachePath(place)+".lock", limit)
	if err != nil {
		return nil // another process is at it
	}
	defer lock.Release()
	wp, err := workplace.OpenWithoutRecovery(ctx, env)
	if err != nil {
		return nil
	}
	defer wp.Close()
	stagedMark := stagedMarkOf(place)
	share, err := shareOfStaged(ctx, wp)
	if err != nil {
		wp.Log.Warn("the status line does not show what is staged", "err", err)
		share = nil
	}
	alarm := alarmAt(ctx, env, wp)
	c := readCache(place)
	c.Line.Staged, c.StagedMark, c.Line.Alarm, c.Looked = share, stagedMark, alarm, env.Now()
	c.write(place)
	return nil
}

// shareOfStaged counts whose the staged lines are; nil if nothing is staged. A file that was changed
// again since it was staged is left out.
func shareOfStaged(ctx context.Context, wp *workplace.Workplace) (*Share, error) {
	st, err := wp.Repo.Status(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, stagedTime)
	defer cancel()
	share := &Share{}
	files := 0
	for _, e := range st.Entries {
		if e.IndexMode == 0 || e.Submodule || e.Untracked || e.IndexMode == e.HeadMode && e.IndexOID == e.HeadOID {
			continue // nothing of it is staged that has lines
		}
		if files++; files > stagedFiles || ctx.Err() != nil || !e.AsIndex {
			share.Partial = true
			continue
		}
		owners, err := ownership.LinesSinceHead(ctx, wp.Engine, e.Path)
		if err != nil {
			share.Partial = true
			continue
		}
		share.add(owners)
	}
	if files == 0 {
		return nil, nil
	}
	return share, nil
}

func (s *Share) add(owners []attribution.RecordOwner) {
	for _, o := range owners {
		switch o.Class {
		case attribution.ClassAgent:
			s.Agent++
		case attribution.ClassHuman:
			s.Person++
		case attribution.ClassUnknown:
			s.Unknown++
		}
	}
}

// alarmAt returns why the work of an agent here is not captured, "" if all of it is.
func alarmAt(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) string {
	states, _, err := wp.Store.List(ctx)
	if err != nil {
		states = nil
	}
	standings, _ := agentlib.Look(ctx, agentlib.Question{Env: env, Place: wp.Place, States: states, Kept: agentlib.KeptUntil(ctx, env, wp.Repo.Top)})
	for _, s := range standings {
		if s.Alarm != nil {
			return s.Alarm.Text(env.Now())
		}
	}
	return ""
}
