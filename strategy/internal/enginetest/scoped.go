package enginetest

import (
	"entire/strategy/condense"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/step"
)

func (w *World) RewindIn(pid string, sc condense.Scope) (*rewind.RewindPlan, *restore.RewindOutcome) {
	w.T.Helper()
	e := w.Engine()
	p, err := step.FindPoint(w.Ctx, e, pid)
	if err != nil {
		w.T.Fatal(err)
	}
	plan, err := rewind.PlanRewind(w.Ctx, e, p, sc)
	if err != nil {
		w.T.Fatal(err)
	}
	out, err := rewind.Rewind(w.Ctx, e, plan)
	if err != nil {
		w.T.Fatal(err)
	}
	return plan, out
}
