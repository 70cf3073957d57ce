package enginetest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/session"
	"entire/strategy/handoff"
	"entire/strategy/maintain"
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
