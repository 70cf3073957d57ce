package enginetest

import (
	"strings"
)

func (w *World) TurnDays() []string {
	w.T.Helper()
	return strings.Fields(w.Git("for-each-ref", "--format=%(refname)", "refs/entire/turns/"))
}

// TurnTaken is a turn and the commit that takes it.
func (w *World) TurnTaken(sid, text string) (cp string) {
	w.T.Helper()
	w.Turn(sid, text, func() { w.Write(text+".txt", strings.Repeat(text+"\n", 100)) })
	w.Git("add", "-A")
	return w.CommitHooked(text)
}
