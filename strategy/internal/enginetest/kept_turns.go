package enginetest

import (
	"os"
	"slices"
	"strings"
	"testing"

	"entire/strategy/condense"
	"entire/strategy/engine"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// CommitKilled makes a commit whose post-commit never ran.
func (w *World) CommitKilled(msg string) string {
	w.T.Helper()
	file := w.GitPath("COMMIT_EDITMSG")
	if err := os.WriteFile(file, []byte(msg+"\n"), 0o644); err != nil {
		w.T.Fatal(err)
	}
	if err := engine.PrepareCommitMsg(w.Ctx, w.Engine(), file, "message"); err != nil {
		w.T.Fatal(err)
	}
	w.Git("commit", "-q", "--no-verify", "-F", file)
	return w.Git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)")
}

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

// pointLines lists the points that are steps, and whether a commit has taken them.
func (w *World) pointLines() []string {
	w.T.Helper()
	var out []string
	for _, p := range w.Points() {
		switch {
		case rewind.IsCommit(p):
		case p.TakenBy != "":
			out = append(out, "taken "+strings.ToLower(p.Message))
		default:
			out = append(out, strings.ToLower(p.Message))
		}
	}
	return out
}

func (w *World) WantPoints(want ...string) {
	w.T.Helper()
	if got := w.pointLines(); !slices.Equal(got, want) {
		w.T.Errorf("points:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// PointOf is the newest point whose message is the one given.
func (w *World) PointOf(message string) step.RewindPoint {
	w.T.Helper()
	for _, p := range w.Points() {
		if strings.EqualFold(p.Message, message) {
			return p
		}
	}
	w.T.Fatalf("no point %q in %v", message, w.pointLines())
	return step.RewindPoint{}
}

func (w *World) Clean() {
	w.T.Helper()
	e := w.Engine()
	if sessionstate.PathExists(condense.JournalPath(e)) || sessionstate.PathExists(restore.StageRoot(e)) || sessionstate.PathExists(restore.TreeStageRoot(e)) {
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
