package strategy

import (
	"errors"
	"testing"
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
			w := newWorld(t, sourceFiles())
			w.turn("s1", "first", func() { w.Write(row.first, "first\n") })
			w.turn("s1", "second", func() { w.Remove("thing"); w.Remove("gone"); w.Write(row.second, "second\n") })
			want := w.Snapshot().Contents()
			w.rewind(w.points()[1].ID)
			if row.typed != "" {
				w.Write(row.typed, "typed\n")
				want[row.typed] = "typed\n"
			}
			e := w.engine()
			plan, err := e.PlanUndo(w.ctx, "", ConflictsStop)
			if err != nil {
				t.Fatal(err)
			}
			_, err = e.Rewind(w.ctx, plan)
			if row.conflict {
				if !errors.Is(err, ErrConflicts) || w.Read(row.typed) != "typed\n" {
					t.Errorf("%v, conflicts %v", err, plan.Conflicts)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			sameFiles(t, w, want)
		})
	}
}

func TestRewindOnACommitWithAFileInTheWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.turn("s1", "first", func() { w.Write("thing/x", "first\n") })
	first := w.points()[0].ID
	w.Remove("thing")
	w.Write("thing", "committed\n")
	w.Git("add", "thing")
	w.Git("commit", "-q", "-m", "in the way")
	e := w.engine()
	p, err := e.FindPoint(w.ctx, first)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.PlanRewind(w.ctx, p, Scope{Kind: ScopeTree}); !errors.Is(err, ErrBaseMoved) {
		t.Errorf("error: %v", err)
	}
}

// A step that took away a file, and is applied to a commit that did so too and has a
// folder there, leaves the folder's files alone.
func TestRemovedFileIsAFolderOfHead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.Write("thing", "a file\n")
	w.Git("add", "-A")
	w.Git("commit", "-q", "-m", "thing")
	w.turn("s1", "write", func() {
		w.Remove("thing")
		w.Write("new.txt", "of one\n")
	})
	pid := w.points()[0].ID
	w.Remove("new.txt")
	w.Write("thing/in.txt", "a person's\n")
	w.Git("add", "-A")
	w.Git("commit", "-q", "-m", "a folder")
	w.rewind(pid)
	if got := w.Read("thing/in.txt"); got != "a person's\n" || w.Read("new.txt") != "of one\n" {
		t.Errorf("thing/in.txt holds %q", got)
	}
}
