package tui

import (
	"fmt"
	"strings"
	"testing"

	"entire/internal/cli/tui/tuitest"
)

// keysMax is how many keys a task may take once a person has arrived where it begins.
const keysMax = 3

// A task is something that people want of the past.
type task struct {
	name   string
	arrive []string // the keys that lead to where it begins
	keys   []string // those that do it
	done   func(*terminal, *tuitest.Story)
}

func says(texts ...string) func(*terminal, *tuitest.Story) {
	return func(term *terminal, _ *tuitest.Story) { term.shows(texts...) }
}

// keysOf returns the keys of a text.
func keysOf(text string) (keys []string) {
	for _, r := range text {
		keys = append(keys, string(r))
	}
	return keys
}

func arriveAt(parts ...any) (keys []string) {
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			keys = append(keys, p)
		case []string:
			keys = append(keys, p...)
		}
	}
	return keys
}

// tenTasks are those that the program is measured by.
func tenTasks() []task {
	has := func(path string, texts ...string) func(*terminal, *tuitest.Story) {
		return func(term *terminal, s *tuitest.Story) {
			term.t.Helper()
			for _, text := range texts {
				if !strings.Contains(s.Read(path), text) {
					term.t.Errorf("%s is\n%s", path, s.Read(path))
				}
			}
		}
	}
	return []task{
		{"What was asked for this line?", arriveAt("2", "/", keysOf("cart.go"), "enter", "down", "down"), []string{"enter"},
			says("Limit how many pieces of a product", "The call")},
		{"Get back yesterday's version of one function", arriveAt("2", "/", keysOf("two.go"), "enter", "s", "left"), []string{"p", "enter"},
			has("two.go", "first one", "second two")},
		{"Which session broke the build?", arriveAt("/", keysOf("build fails")), []string{"tab"},
			says("Break the build", "session 5e6f7a8b")},
		{"What was said around it?", arriveAt("/", keysOf("build fails")), []string{"enter"}, says("3 Sessions", "the build fails now")},
		{"Go back to before the last turn, and keep what I changed", arriveAt("down", "down", "down"), []string{"enter", "m", "enter"}, has("line.go", "mine")},
		{"Undo one turn, and keep the later ones", arriveAt("down"), []string{"enter", "t", "enter"}, has("two.go", "first one", "first two")},
		{"Undo the last rewind", nil, []string{"u", "enter"}, says("Undid")},
		{"What has changed in this file since then?", arriveAt("2", "/", keysOf("two.go"), "enter", "s", "home"), []string{"space", "end", "d"},
			says("A to B", "first two", "second two")},
		{"Is what my agent does captured?", nil, []string{"5"}, says("Sessions", "Problems", "turns are not captured")},
		{"Save everything before something risky", nil, arriveAt("l"), func(term *terminal, s *tuitest.Story) {
			term.press(keysOf("risky")...)
			term.press("enter")
			term.shows("saved as", "risky")
		}},
	}
}

// TestTenTasks does each task and counts its keys.
func TestTenTasks(t *testing.T) {
	t.Parallel()
	tasks := tenTasks()
	if len(tasks) != 10 {
		t.Errorf("%d tasks", len(tasks))
	}
	for _, task := range tasks {
		t.Run(task.name, func(t *testing.T) {
			t.Parallel()
			if len(task.keys) > keysMax {
				t.Errorf("%d keys: %v", len(task.keys), task.keys)
			}
			s := tuitest.Shop(t)
			two := func(one, two string) string {
				return fmt.Sprintf("package shop\n\n// one\nfunc one() string { return %q }\n%s\n// two\nfunc two() string { return %q }\n", one, strings.Repeat("\n// between\n", 8), two)
			}
			s.Turn(tuitest.First, "Write two functions", "Done.", tuitest.Edit{Path: "two.go", Text: two("first one", "first two")})
			s.Rewind(0)
			s.Turn(tuitest.First, "Change both", "Done.", tuitest.Edit{Path: "two.go", Text: two("second one", "second two")})
			s.Turn(tuitest.Second, "Break the build", "Sorry, the build fails now.", tuitest.Edit{Path: "price.go", Text: "package shop\n\nvar rates = 1\n"})
			s.Write("line.go", "package shop\n\n// mine\n")
			term := open(t, s, 120, 32)
			term.press(task.arrive...)
			term.press(task.keys...)
			task.done(term, s)
		})
	}
}
