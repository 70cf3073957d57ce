package enginetest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/handoff"
	"entire/strategy/maintain"
	"entire/strategy/rewind"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// orphans lists what a clean-up would delete, as "kind name".
func (w *World) orphans() []string {
	w.T.Helper()
	plan, err := maintain.PlanCleanup(w.Ctx, w.Engine())
	if err != nil {
		w.T.Fatal(err)
	}
	var out []string
	for _, o := range plan.Orphans {
		name := o.Name
		if o.Kind == handoff.OrphanFile {
			name = filepath.Base(name)
		}
		out = append(out, string(o.Kind)+" "+name)
	}
	return out
}

func (w *World) WantOrphans(want ...string) {
	w.T.Helper()
	got := w.orphans()
	slices.Sort(got)
	slices.Sort(want)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		w.T.Fatalf("orphans:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Cleaned carries the clean-up out.
func (w *World) Cleaned() (deleted []handoff.Orphan, failed []maintain.FailedOrphan) {
	w.T.Helper()
	e := w.Engine()
	plan, err := maintain.PlanCleanup(w.Ctx, e)
	if err != nil {
		w.T.Fatal(err)
	}
	return maintain.Cleanup(w.Ctx, e, plan)
}

// Later lets time pass.
func (w *World) Later(d time.Duration) { w.Now = w.Now.Add(d) }

func (w *World) DropState(sid string) {
	w.T.Helper()
	if err := session.NewStateStore(w.GitPath(".")).Remove(w.Ctx, SessionID(w.T, sid)); err != nil {
		w.T.Fatal(err)
	}
	os.Remove(w.GitPath("entire/sessions/" + sid + ".lock"))
}

// DropShadowName makes a session's base one that has no branch.
func (w *World) DropShadowName(sid string) {
	w.T.Helper()
	st := w.State(sid)
	st.BaseCommit = strings.Repeat("1", len(st.BaseCommit))
	if err := session.NewStateStore(w.GitPath(".")).Save(w.Ctx, st); err != nil {
		w.T.Fatal(err)
	}
}

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

// HostileStep puts a step on the shadow branch whose tree no git would have made:
// entries are names with slashes only where they are meant as part of the name.
func (w *World) HostileStep(entries map[string]string) string {
	w.T.Helper()
	blob := w.GitInput("hostile\n", "hash-object", "-w", "--stdin")
	tip := w.Points()[0].ID
	base := w.Git("rev-parse", tip+"^{tree}")
	raw := func(list [][3]string) string { // mode, name, object
		slices.SortFunc(list, func(a, b [3]string) int { return strings.Compare(a[1], b[1]) })
		var data strings.Builder
		for _, e := range list {
			data.WriteString(e[0] + " " + e[1] + "\x00")
			for i := 0; i < len(e[2]); i += 2 {
				var v byte
				_, err := fmt.Sscanf(e[2][i:i+2], "%02x", &v)
				Ok(w.T, err)
				data.WriteByte(v)
			}
		}
		return w.GitInput(data.String(), "hash-object", "-w", "--literally", "-t", "tree", "--stdin")
	}
	var list [][3]string
	for line := range strings.Lines(w.Git("ls-tree", base) + "\n") {
		meta, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		f := strings.Fields(meta)
		list = append(list, [3]string{strings.TrimPrefix(f[0], "0"), name, f[2]})
	}
	for name, below := range entries {
		if below == "" {
			list = append(list, [3]string{"100644", name, blob})
		} else {
			list = append(list, [3]string{"40000", name, raw([][3]string{{"100755", below, blob}})})
		}
	}
	message := w.Git("log", "-1", "--format=%B", tip)
	commit := w.GitInput(message, "commit-tree", raw(list), "-p", tip)
	w.Git("update-ref", w.Shadows()[0], commit)
	return commit
}

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
