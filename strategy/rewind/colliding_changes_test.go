package rewind_test

import (
	"errors"
	"testing"

	"entire/strategy/condense"
	"entire/strategy/internal/enginetest"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/step"
)

// The undo of a rewind over a file that became a folder, or the other way round,
// and what a person has put there since.
func TestUndoWhereFileAndFolderChange(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		first, second, typed string
		conflict             bool
	}{
		"a folder became a file":                 {"thing/x", "thing", "", false},
		"a file became a folder":                 {"thing", "thing/x", "", false},
		"somebody's file in the folder":          {"thing/x", "thing", "thing/theirs", true},
		"somebody's file in another folder":      {"thing/x", "thing", "other", false},
		"somebody's file where the folder stood": {"gone", "thing/x", "thing", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles())
			w.Turn("s1", "first", func() { w.Write(row.first, "first\n") })
			w.Turn("s1", "second", func() { w.Remove("thing"); w.Remove("gone"); w.Write(row.second, "second\n") })
			want := w.Snapshot().Contents()
			w.Rewind(w.Points()[1].ID)
			if row.typed != "" {
				w.Write(row.typed, "typed\n")
				want[row.typed] = "typed\n"
			}
			e := w.Engine()
			plan, err := rewind.PlanUndo(w.Ctx, e, "", rewind.ConflictsStop)
			if err != nil {
				t.Fatal(err)
			}
			_, err = rewind.Rewind(w.Ctx, e, plan)
			if row.conflict {
				if !errors.Is(err, rewind.ErrConflicts) || w.Read(row.typed) != "typed\n" {
					t.Errorf("%v, conflicts %v", err, plan.Conflicts)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			enginetest.SameFiles(t, w, want)
		})
	}
}

func TestRewindOnACommitWithAFileInTheWay(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "first", func() { w.Write("thing/x", "first\n") })
	first := w.Points()[0].ID
	w.Remove("thing")
	w.Write("thing", "committed\n")
	w.Git("add", "thing")
	w.Git("commit", "-q", "-m", "in the way")
	e := w.Engine()
	p, err := step.FindPoint(w.Ctx, e, first)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rewind.PlanRewind(w.Ctx, e, p, condense.Scope{Kind: condense.ScopeTree}); !errors.Is(err, restore.ErrBaseMoved) {
		t.Errorf("error: %v", err)
	}
}

// A step that took away a file, and is applied to a commit that did so too and has a
// folder there, leaves the folder's files alone.
func TestRemovedFileIsAFolderOfHead(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Write("thing", "a file\n")
	w.Git("add", "-A")
	w.Git("commit", "-q", "-m", "thing")
	w.Turn("s1", "write", func() {
		w.Remove("thing")
		w.Write("new.txt", "of one\n")
	})
	pid := w.Points()[0].ID
	w.Remove("new.txt")
	w.Write("thing/in.txt", "a person's\n")
	w.Git("add", "-A")
	w.Git("commit", "-q", "-m", "a folder")
	w.Rewind(pid)
	if got := w.Read("thing/in.txt"); got != "a person's\n" || w.Read("new.txt") != "of one\n" {
		t.Errorf("thing/in.txt holds %q", got)
	}
}
