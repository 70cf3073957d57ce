package rewindlib

import (
	"strings"
	"testing"

	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/term"
	"entire/strategy/condense"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

func TestWhoseWork(t *testing.T) {
	t.Parallel()
	undone := func(who ...string) (out []restore.UndoneChange) {
		for _, w := range who {
			out = append(out, restore.UndoneChange{Who: w})
		}
		return out
	}
	for _, test := range []struct {
		undone []restore.UndoneChange
		want   string
	}{
		{nil, ""},
		{undone("this session", "this session"), ""},
		{undone("person"), "later changes by a person"},
		{undone("this session", "person", "person"), "later changes by this session and a person"},
		{undone("session aaaa2222-0000", "mixed", "person"), "later changes by session aaaa2222-000, an unknown author and a person"},
	} {
		if got := whoseWork(test.undone); got != test.want {
			t.Errorf("whoseWork(%v) = %q, want %q", test.undone, got, test.want)
		}
	}
}

// TestPlanTextHasNoControls gives a plan whatever others may have put into its
// texts: names, messages, reasons.
func TestPlanTextHasNoControls(t *testing.T) {
	t.Parallel()
	evil := "x\x1b[31m\u009b2J\ry"
	plan := &rewind.Plan{
		Point: step.RewindPoint{ID: strings.Repeat("a", 40), Message: evil}, Scope: condense.Scope{Kind: condense.ScopeSession, Session: evil},
		Changes:    []restore.PlannedChange{{Path: evil, Action: restore.PlanWrite, Undoes: []restore.UndoneChange{{Who: "session " + evil}}}},
		Kept:       []sessionstate.KeptFile{{Path: evil, Why: evil}},
		Conflicts:  []restore.PlanConflict{{Path: evil, Saved: evil}},
		Uncaptured: []worktree.Uncaptured{{Path: evil + "2", Why: evil}, {Path: evil + "3", Gap: worktree.GapMode, Why: evil}},
		Warnings:   []string{evil},
	}
	text := PlanText(plan, term.Terminal{}) + PlanQuestion(plan) + DoneWords(plan) + EntryWords(condense.RewindEntry{Scope: condense.Scope{Paths: []string{evil}}})
	for _, c := range workplace.PatchCells([]byte("+"+evil+"\n"), term.Terminal{}) {
		text += c.Text
	}
	v := workplace.ViewPoint(step.RewindPoint{ID: strings.Repeat("a", 40), Message: evil, SessionPrompt: evil, SessionID: evil, Branch: evil, Head: "abc"})
	text += v.Text(term.Terminal{}, "", nil, 0) + workplace.PointTable([]workplace.PointView{v}, term.Terminal{}, 0)
	if strings.ContainsAny(text, "\x1b\u009b\r") {
		t.Errorf("%q", text)
	}
}

func TestCompareText(t *testing.T) {
	t.Parallel()
	a, b := git.MustOID(strings.Repeat("a", 40)), git.MustOID(strings.Repeat("b", 40))
	file := func(oid git.OID) restore.PlanSide { return restore.PlanSide{Mode: git.ModeFile, OID: oid} }
	for _, test := range []struct {
		from, to restore.PlanSide
		want     string
	}{
		{file(a), file(b), "git diff aaaaaaaaaaaa bbbbbbbbbbbb"},
		{restore.PlanSide{}, file(b), "a new file: git show bbbbbbbbbbbb"},
		{file(a), restore.PlanSide{}, "the file removed: git show aaaaaaaaaaaa"},
		{restore.PlanSide{}, restore.PlanSide{}, "no file"},
		{file(a), restore.PlanSide{Mode: git.ModeExec, OID: a}, "mode 100644 to 100755"},
	} {
		if got := compareText(test.from, test.to); got != test.want {
			t.Errorf("compareText(%v, %v) = %q, want %q", test.from, test.to, got, test.want)
		}
	}
}

func TestCommand(t *testing.T) {
	t.Parallel()
	point := strings.Repeat("a", 40)
	for _, test := range []struct {
		scope condense.Scope
		want  string
	}{
		{condense.Scope{}, "entire rewind aaaaaaa"},
		{condense.Scope{Kind: condense.ScopeTree}, "entire rewind aaaaaaa --tree"},
		{condense.Scope{Kind: condense.ScopeSession, Session: "s 1", KeepMine: true}, "entire rewind aaaaaaa --session 's 1' --mine keep"},
		{condense.Scope{Kind: condense.ScopeTurn, Turn: 3, Session: "s1"}, "entire rewind --turn 3 --session s1"},
		{condense.Scope{SkipCode: true}, "entire rewind aaaaaaa --conversation"},
		{condense.Scope{SkipConversation: true}, "entire rewind aaaaaaa --code"},
		{condense.Scope{SkipConversation: true, Paths: []string{"a b.txt", "c"}, Conflicts: rewind.ConflictsKeep}, "entire rewind aaaaaaa --conflicts keep -- 'a b.txt' c"},
		{condense.Scope{Paths: []string{"c"}}, "entire rewind aaaaaaa --both -- c"},
	} {
		if got := commandOf(point, test.scope); got != test.want {
			t.Errorf("Command(%+v) = %q, want %q", test.scope, got, test.want)
		}
	}
}
