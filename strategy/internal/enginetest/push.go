package enginetest

import (
	"entire/strategy/sessionstate"
	"entire/strategy/share"
)

// Pusher is an engine that notes what it tells.
func (w *World) Pusher(told *[]string) *sessionstate.Env {
	e := w.Engine()
	e.Tell = func(line string) { *told = append(*told, line) }
	return e
}

func (w *World) Agree(target string) {
	w.T.Helper()
	if _, err := share.Agree(w.Ctx, w.Engine(), target); err != nil {
		w.T.Fatal(err)
	}
}
