package enginetest

import (
	"testing"

	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
)

func (w *World) Clean() {
	w.T.Helper()
	e := w.Engine()
	if sessionstate.PathExists(restore.JournalPath(e)) || sessionstate.PathExists(restore.StageRoot(e)) || sessionstate.PathExists(restore.TreeStageRoot(e)) {
		w.T.Error("something of the rewind is left")
	}
	if lines, err := rewind.Recover(w.Ctx, e); err != nil || len(lines) > 0 {
		w.T.Errorf("a rewind is still under way: %v, %v", lines, err)
	}
}

func Ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
