package enginetest

import (
	"os"
	"path/filepath"
	"strings"
)

// Started is how many processes of git a git command started.
func (w *World) Started(args ...string) int {
	w.T.Helper()
	trace := filepath.Join(w.Home, "trace")
	w.Env = append(w.Env, "GIT_TRACE2_EVENT="+trace)
	w.Git(args...)
	w.Env = w.Env[:len(w.Env)-1]
	said, err := os.ReadFile(trace)
	if err != nil {
		w.T.Fatal(err)
	}
	if err := os.Remove(trace); err != nil {
		w.T.Fatal(err)
	}
	w.HooksWentWell()
	return strings.Count(string(said), `"event":"start"`) - 1
}
