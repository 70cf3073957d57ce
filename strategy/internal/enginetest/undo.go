package enginetest

import (
	"context"

	"entire/strategy/condense"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
)

type planner func(*sessionstate.Env, context.Context, string, condense.ConflictMode) (*rewind.RewindPlan, error)

var (
	Undoing planner = func(e *sessionstate.Env, ctx context.Context, name string, mode condense.ConflictMode) (*rewind.RewindPlan, error) {
		return rewind.PlanUndo(ctx, e, name, mode)
	}
	Redoing planner = func(e *sessionstate.Env, ctx context.Context, name string, mode condense.ConflictMode) (*rewind.RewindPlan, error) {
		return rewind.PlanRedo(ctx, e, name, mode)
	}
)

func (w *World) Back(plan planner, name string) *restore.RewindOutcome {
	w.T.Helper()
	e := w.Engine()
	p, err := plan(e, w.Ctx, name, rewind.ConflictsStop)
	if err != nil {
		w.T.Fatal(err)
	}
	out, err := rewind.Rewind(w.Ctx, e, p)
	if err != nil {
		w.T.Fatal(err)
	}
	return out
}

func (w *World) Log() []condense.RewindEntry {
	w.T.Helper()
	log, err := rewind.RewindLog(w.Ctx, w.Engine())
	if err != nil {
		w.T.Fatal(err)
	}
	return log
}

// Files is what stands in the worktree, modes included, without the agent's files.
func (w *World) Files() map[string]string {
	out := w.Snapshot(".git").Contents()
	for p, m := range Modes(w.Snapshot(".git")) {
		out[p+" mode"] = m
	}
	return out
}

func (w *World) Has(when string, want map[string]string) {
	w.T.Helper()
	got := w.Files()
	for p, c := range want {
		if got[p] != c {
			w.T.Errorf("%s: %q is %q, want %q", when, p, got[p], c)
		}
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			w.T.Errorf("%s: %q is there", when, p)
		}
	}
}
