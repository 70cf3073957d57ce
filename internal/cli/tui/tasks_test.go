package tui

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"entire/internal/cli/tui/tuitest"
)

// keysMax is how many keys a task may take once a person has arrived where it begins.
const keysMax = 3

// A task is something that people want of the past.
type task struct {
	name   string
	where  string   // it begins, as docs/terminal.md says
	arrive []string // the keys that lead there
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
		{"What was asked for this line?", "2, the line of a file", arriveAt("2", "/", keysOf("cart.go"), "enter", "down", "down"), []string{"enter"},
			says("Limit how many pieces of a product", "The call")},
		{"Get back yesterday's version of one function", "2, that state of the file (`s`, `←`)", arriveAt("2", "/", keysOf("two.go"), "enter", "s", "left"),
			[]string{"p", "enter"}, has("two.go", "first one", "second two")},
		{"Which session broke the build?", "4, a hit", arriveAt("/", keysOf("build fails")), []string{"tab"}, says("Break the build", "session 5e6f7a8b")},
		{"What was said around it?", "4, a hit", arriveAt("/", keysOf("build fails")), []string{"enter"}, says("3 Sessions", "the build fails now")},
		{"Go back to a turn, and keep what I changed", "1, the turn", arriveAt("down", "down", "down"), []string{"enter", "m", "enter"}, has("line.go", "mine")},
		{"Undo one turn, and keep the later ones", "1, the turn", arriveAt("down"), []string{"enter", "t", "enter"}, has("two.go", "first one", "first two")},
		{"Undo the last rewind", "anywhere", nil, []string{"u", "enter"}, says("Undid")},
		{"What has changed in this file since then?", "2, that state of the file", arriveAt("2", "/", keysOf("two.go"), "enter", "s", "home"),
			[]string{"space", "end", "d"}, says("A to B", "first two", "second two")},
		{"Is what my agent does captured?", "anywhere", nil, []string{"5"}, says("Sessions", "Problems", "turns are not captured")},
		{"Save everything before something risky", "anywhere", nil, []string{"l", aLabel, "enter"}, says("saved as", "risky")},
	}
}

// aLabel stands for a text that is typed.
const aLabel = "a label"

// inDocs returns the row of docs/terminal.md for a task.
func (k task) inDocs() string {
	shown := map[string]string{"end": "End"}
	var keys []string
	for _, key := range k.keys {
		if key != aLabel {
			key = "`" + cmp.Or(shown[key], key) + "`"
		}
		keys = append(keys, key)
	}
	text := strings.NewReplacer(" a label ", ", a label, ").Replace(strings.Join(keys, " "))
	return "| " + k.name + " | " + k.where + " | " + text + " |\n"
}

// TestTenTasks does each task and counts its keys.
func TestTenTasks(t *testing.T) {
	t.Parallel()
	tasks := tenTasks()
	if len(tasks) != 10 {
		t.Errorf("%d tasks", len(tasks))
	}
	docs, err := os.ReadFile(docsPath)
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		t.Run(task.name, func(t *testing.T) {
			t.Parallel()
			if n := len(slices.DeleteFunc(slices.Clone(task.keys), func(key string) bool { return key == aLabel })); n > keysMax {
				t.Errorf("%d keys: %v", n, task.keys)
			}
			if !strings.Contains(string(docs), task.inDocs()) {
				t.Errorf("docs/terminal.md lacks the row\n%s", task.inDocs())
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
			for _, key := range task.keys {
				if key == aLabel {
					term.press(keysOf("risky")...)
					continue
				}
				term.press(key)
			}
			task.done(term, s)
		})
	}
}
