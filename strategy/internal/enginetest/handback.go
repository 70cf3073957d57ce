package enginetest

import (
	"entire/strategy/condense"
	"entire/strategy/rewind"
	"entire/strategy/step"
)

func (w *World) Restore(pid string, paths ...string) {
	w.T.Helper()
	e := w.Engine()
	p, err := step.FindPoint(w.Ctx, e, pid)
	if err != nil {
		w.T.Fatal(err)
	}
	plan, err := rewind.PlanRewind(w.Ctx, e, p, condense.Scope{Kind: condense.ScopeTree, SkipConversation: true, Paths: paths})
	if err != nil {
		w.T.Fatal(err)
	}
	if _, err := rewind.Rewind(w.Ctx, e, plan); err != nil {
		w.T.Fatal(err)
	}
}

func (w *World) UndoTurn(sid string, n int) {
	w.T.Helper()
	e := w.Engine()
	plan, err := rewind.PlanTurn(w.Ctx, e, condense.Scope{Session: sid, Turn: n})
	if err != nil {
		w.T.Fatal(err)
	}
	if _, err := rewind.Rewind(w.Ctx, e, plan); err != nil {
		w.T.Fatal(err)
	}
}
