package enginetest

import (
	"os"

	"entire/strategy/engine"
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
