package enginetest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"entire/internal/testrepo"
	"entire/strategy/condense"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

func (w *World) Plan(pid string) (*sessionstate.Env, *rewind.Plan) {
	w.T.Helper()
	e := w.Engine()
	p, err := step.FindPoint(w.Ctx, e, pid)
	if err != nil {
		w.T.Fatal(err)
	}
	plan, err := rewind.PlanRewind(w.Ctx, e, p, condense.Scope{})
	if err != nil {
		w.T.Fatal(err)
	}
	return e, plan
}

// Modes are the permission bits and links of a worktree.
func Modes(tree testrepo.Tree) map[string]string {
	out := map[string]string{}
	for p, f := range tree {
		if !f.Mode.IsDir() {
			out[p] = (f.Mode & (os.ModeType | 0o111)).String()
		}
	}
	return out
}

// ReplaceMetadata writes a file of the metadata branch as anybody could.
func (w *World) ReplaceMetadata(cp, file, content string) {
	w.T.Helper()
	index := filepath.Join(w.Home, "meta.index")
	old := w.Env
	w.Setenv("GIT_INDEX_FILE", index)
	w.Git("read-tree", "entire/checkpoints/v1")
	blob := w.GitInput(content, "hash-object", "-w", "--stdin")
	w.Git("update-index", "--cacheinfo", "100644,"+blob+","+cp[:2]+"/"+cp[2:]+"/"+file)
	commit := w.Git("commit-tree", "-p", "entire/checkpoints/v1", "-m", "hostile", w.Git("write-tree"))
	w.Env = old
	w.Git("update-ref", "refs/heads/entire/checkpoints/v1", commit)
}

func ListFiles(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			out = append(out, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

type planner func(*sessionstate.Env, context.Context, string, condense.ConflictMode) (*rewind.Plan, error)

var (
	Undoing planner = func(e *sessionstate.Env, ctx context.Context, name string, mode condense.ConflictMode) (*rewind.Plan, error) {
		return rewind.PlanUndo(ctx, e, name, mode)
	}
	Redoing planner = func(e *sessionstate.Env, ctx context.Context, name string, mode condense.ConflictMode) (*rewind.Plan, error) {
		return rewind.PlanRedo(ctx, e, name, mode)
	}
)

func (w *World) Back(plan planner, name string) *restore.RewindOutcome {
	w.T.Helper()
	e := w.Engine()
	p, err := plan(e, w.Ctx, name, rewind.ConflictsStop)
	if err != nil {
		w.T.Fatal(err)
	}
	out, err := rewind.Rewind(w.Ctx, e, p)
	if err != nil {
		w.T.Fatal(err)
	}
	return out
}

func (w *World) Log() []condense.RewindEntry {
	w.T.Helper()
	log, err := rewind.Log(w.Ctx, w.Engine())
	if err != nil {
		w.T.Fatal(err)
	}
	return log
}

// Files is what stands in the worktree, modes included, without the agent's files.
func (w *World) Files() map[string]string {
	out := w.Snapshot(".git").Contents()
	for p, m := range Modes(w.Snapshot(".git")) {
		out[p+" mode"] = m
	}
	return out
}

func (w *World) Has(when string, want map[string]string) {
	w.T.Helper()
	got := w.Files()
	for p, c := range want {
		if got[p] != c {
			w.T.Errorf("%s: %q is %q, want %q", when, p, got[p], c)
		}
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			w.T.Errorf("%s: %q is there", when, p)
		}
	}
}
