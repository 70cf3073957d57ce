package enginetest

import (
	"entire/strategy/step"
	"entire/strategy/turn"
)

func (w *World) Label(text string) step.RewindPoint {
	w.T.Helper()
	p, err := turn.SaveLabel(w.Ctx, w.Engine(), text)
	if err != nil {
		w.T.Fatal(err)
	}
	return p
}
