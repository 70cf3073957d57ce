package enginetest

import (
	"strings"

	"entire/strategy/worktree"
)

// Held tells what a point holds of some files: "" for nothing.
func (w *World) Held(point, path string) string {
	w.T.Helper()
	out, err := w.TryGit("cat-file", "blob", point+":"+path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}

func (w *World) Gaps(point string) map[string]worktree.Gap {
	w.T.Helper()
	e := w.Engine()
	c, ok, err := e.Repo.Reader(w.Ctx).CommitOf(point)
	if err != nil || !ok {
		w.T.Fatal(point, err)
	}
	list, _, err := worktree.GapsIn(w.Ctx, e, c.Tree)
	if err != nil {
		w.T.Fatal(err)
	}
	out := map[string]worktree.Gap{}
	for _, u := range list {
		out[u.Path] = u.Gap
	}
	return out
}
