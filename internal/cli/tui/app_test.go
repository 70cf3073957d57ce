package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"entire/internal/cli/tui/tuitest"
)

// screen returns the screen as text.
func (term *terminal) screen() string {
	term.t.Helper()
	return trimLines(ansi.Strip(term.frame(looks[0].look)))
}

// shows fails the test unless the screen has each of the texts.
func (term *terminal) shows(texts ...string) {
	term.t.Helper()
	screen := term.screen()
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			term.t.Fatalf("%q is not shown:\n%s", text, screen)
		}
	}
}

// TestGoBack goes back to a point and undoes it: nothing happens before the second enter.
func TestGoBack(t *testing.T) {
	t.Parallel()
	s := tuitest.Shop(t)
	before := s.Read("price.go")
	term := open(t, s, 120, 32)
	term.press("down", "down", "enter")
	term.shows("Go back to", "1 file would change, and the conversation goes", "0 bytes at risk")
	if s.Read("price.go") != before {
		t.Fatal("the preview has changed a file")
	}
	term.press("enter")
	if got := s.Read("price.go"); !strings.Contains(got, "food bool") {
		t.Fatalf("price.go is\n%s", got)
	}
	term.shows("Rewound to", "u undoes it")
	term.do(func(a *App) teaCmd { return a.take(changed{}) })
	term.press("g")
	term.shows("u undo: rewind to")
	term.press("u")
	term.shows("Undo rewind to", "enter undo")
	term.press("enter")
	if s.Read("price.go") != before {
		t.Errorf("after the undo price.go is\n%s", s.Read("price.go"))
	}
	term.press("U", "enter")
	if got := s.Read("price.go"); !strings.Contains(got, "food bool") {
		t.Errorf("after the redo price.go is\n%s", got)
	}
	term.press("u", "esc")
	if got := s.Read("price.go"); !strings.Contains(got, "food bool") {
		t.Errorf("a sheet that was left has undone the rewind:\n%s", got)
	}
}

// numbered returns lines with their numbers, but for those in edits.
func numbered(n int, edits map[int]string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		line := fmt.Sprintf("line %d", i)
		if text, ok := edits[i]; ok {
			line = text
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// TestChosenHunk takes back one of the two changes of a turn.
func TestChosenHunk(t *testing.T) {
	t.Parallel()
	s := tuitest.New(t, map[string]string{"a.txt": numbered(40, nil)})
	s.Label("before")
	s.Turn(tuitest.First, "Change two places", "Done.", tuitest.Edit{Path: "a.txt", Text: numbered(40, map[int]string{5: "five", 35: "thirty-five"})})
	term := open(t, s, 120, 32)
	term.press("down", "enter")
	term.shows("[x] M a.txt", "[x] @@ 2,7", "[x] @@ 32,7")
	term.press("down", "down", "space")
	term.shows("[-] M a.txt", "[x] @@ 2,7", "[ ] @@ 32,7", "--hunk a.txt:1")
	term.press("enter")
	if got, want := s.Read("a.txt"), numbered(40, map[int]string{35: "thirty-five"}); got != want {
		t.Errorf("a.txt is\n%s", got)
	}
}

// TestChosenFiles takes back one of two files.
func TestChosenFiles(t *testing.T) {
	t.Parallel()
	s := tuitest.New(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	s.Label("before")
	s.Turn(tuitest.First, "Change both", "Done.", tuitest.Edit{Path: "a.txt", Text: "A\n"}, tuitest.Edit{Path: "b.txt", Text: "B\n"})
	term := open(t, s, 80, 24)
	term.press("down", "enter", "*", "enter")
	term.shows("nothing is chosen", "[ ] M a.txt", "[ ] M b.txt")
	term.press("space")
	term.shows("[x] M a.txt", "[ ] M b.txt", "-- a.txt", "files only")
	term.press("enter")
	if a, b := s.Read("a.txt"), s.Read("b.txt"); a != "a\n" || b != "B\n" {
		t.Errorf("a.txt is %q, b.txt %q", a, b)
	}
}

// TestConflict shows both sides of a file that does not merge, and writes nothing until it is told what
// to do.
func TestConflict(t *testing.T) {
	t.Parallel()
	s := tuitest.New(t, map[string]string{"a.txt": numbered(20, nil)})
	s.Turn(tuitest.First, "Begin", "Done.", tuitest.Edit{Path: "b.txt", Text: "b\n"})
	s.Turn(tuitest.First, "Change the middle", "Done.", tuitest.Edit{Path: "a.txt", Text: numbered(20, map[int]string{10: "first"})})
	s.Turn(tuitest.Second, "Change it again", "Done.", tuitest.Edit{Path: "a.txt", Text: numbered(20, map[int]string{10: "second"})})
	term := open(t, s, 120, 32)
	term.press("down", "down", "enter", "s")
	term.shows("a.txt  does not merge", "What would be undone", "+ first", "What came later, and stays", "+ second", "Later changes do not merge in 1 file")
	term.press("enter")
	term.shows("x says what to do with them")
	if got := s.Read("a.txt"); got != numbered(20, map[int]string{10: "second"}) {
		t.Fatalf("a.txt was written:\n%s", got)
	}
	term.press("x", "x")
	term.shows("write both sides", "--conflicts markers")
	term.press("enter")
	if got := s.Read("a.txt"); !strings.Contains(got, "<<<<<<<") || !strings.Contains(got, "second") {
		t.Errorf("a.txt is\n%s", got)
	}
}

// TestChangesAreSeen shows a turn that ends while the program is open, and keeps the cursor on its point.
func TestChangesAreSeen(t *testing.T) {
	t.Parallel()
	s := tuitest.New(t, map[string]string{"a.txt": "a\n"})
	s.Turn(tuitest.First, "Begin", "Done.", tuitest.Edit{Path: "a.txt", Text: "b\n"})
	term := open(t, s, 120, 32)
	term.press("down")
	term.shows("Begin the shop")
	s.Turn(tuitest.Second, "Go on", "Done.", tuitest.Edit{Path: "a.txt", Text: "c\n"})
	if _, err := term.app.src.Refresh(t.Context()); err != nil { // as for a change whose answer the next one overtook
		t.Fatal(err)
	}
	term.do(func(a *App) teaCmd { return a.take(changed{}) })
	term.shows("Go on")
	if p, _ := term.app.timeline.Cursor(); p.Message != "Begin the shop" || p.Index != 2 {
		t.Errorf("the cursor is on %q, point %d", p.Message, p.Index)
	}
}

// TestOlderOwner walks from a line to the line that it replaced, and back.
func TestOlderOwner(t *testing.T) {
	t.Parallel()
	s := tuitest.New(t, map[string]string{"a.txt": "old\n"})
	s.Turn(tuitest.First, "Make it new", "Done.", tuitest.Edit{Path: "a.txt", Text: "new\n"})
	s.Commit("Make it new")
	s.Turn(tuitest.Second, "Make it newer", "Done.", tuitest.Edit{Path: "a.txt", Text: "newer\n"})
	s.Commit("Make it newer")
	term := open(t, s, 120, 32)
	term.do(func(a *App) teaCmd { return a.take(openFile("a.txt")) })
	term.shows("1 newer", "Claude Code #1", "100 % by agents")
	term.press("enter")
	term.shows("Make it newer", "The call")
	term.press("esc", "[")
	term.shows("1 new\n", "$ entire blame --rev")
	term.press("enter")
	term.shows("Make it new")
	term.press("esc", "[")
	term.shows("1 old")
	term.press("[")
	term.shows("no older owner")
	term.press("]", "]", "]")
	term.shows("1 newer", "newest version")
}
