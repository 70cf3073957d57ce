package reading

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"entire/agent"
	"entire/agent/conversation"
	"entire/internal/review"
)

// conversation returns the passages of a conversation: a prompt, or an edit as path, old text and new text.
func conversationOf(t *testing.T, steps ...[]string) []conversation.Passage {
	t.Helper()
	var b strings.Builder
	for i, s := range steps {
		message := any(map[string]any{"role": "user", "content": s[0]})
		kind := "user"
		if len(s) > 1 {
			input := map[string]any{"file_path": s[0], "old_string": s[1], "new_string": s[2]}
			name := "Edit"
			if s[1] == "" {
				name, input = "Write", map[string]any{"file_path": s[0], "content": s[2]}
			}
			kind, message = "assistant", map[string]any{"id": fmt.Sprint("m", i), "role": "assistant", "content": []any{map[string]any{"type": "tool_use", "id": fmt.Sprint("t", i), "name": name, "input": input}}}
		}
		line, err := json.Marshal(map[string]any{"type": kind, "uuid": fmt.Sprintf("00000000-0000-4000-8000-%012d", i), "sessionId": "s", "timestamp": "2026-01-02T03:04:05.000Z", "message": message})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	return conversation.Passages(agent.AgentTypeClaudeCode, []byte(b.String()))
}

const (
	sleeping = "first try: sleep for a second\nthen look whether it is there\nand try it again, ten times\n"
	waiting  = "wait for the channel to be closed\n"
)

// What a later prompt replaced, and a file that is gone, were tried and undone; what the change has was not.
func TestUndone(t *testing.T) {
	t.Parallel()
	passages := conversationOf(t,
		[]string{"Wait for the server"},
		[]string{"/home/ann/app/wait.go", "", "package wait\n" + sleeping},
		[]string{"/home/ann/app/poll.go", "", "package wait\nfunc pollServer() {}\n"},
		[]string{"/tmp/scratch.go", "", "one line of scratch\ntwo lines of scratch\nthree lines of scratch\n"},
		[]string{"Do not sleep"},
		[]string{"/home/ann/app/wait.go", sleeping, waiting},
		[]string{"/home/ann/app/moved.go", "", "a line that went to wait.go later\n"})
	files := map[string]string{"wait.go": "package wait\n" + waiting + "a line that went to wait.go later\n"}
	var b review.Builder
	b.File(review.File{Path: "wait.go", Lines: 3}, wrote(review.Owner{Class: review.Agent, Session: "s"}, "", 1, 3), nil)
	d := b.Document(review.Range{Name: "r", Head: one}, []review.Session{{ID: "s", Prompts: []string{"Wait for the server", "Do not sleep"}}})
	text := func(path string) ([]byte, bool) { s, ok := files[path]; return []byte(s), ok }
	Undone(d, []Conversation{{Session: "s", Passages: passages}}, nil, text)
	var got []string
	for _, u := range d.Undone {
		got = append(got, fmt.Sprint(u.Prompt, " ", u.Path, " ", u.Lines, " ", u.By, " ", u.Gone, " ", u.Texts[0]))
	}
	want := []string{
		"1 poll.go 1 0 true func pollServer() {}",
		"1 wait.go 3 2 false first try: sleep for a second",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if err := d.Check(); err != nil {
		t.Error(err)
	}
	// What was said before the change began is not of the change.
	Undone(d, []Conversation{{Session: "s", Start: 4, Passages: passages}}, nil, text)
	if len(d.Undone) != 0 {
		t.Errorf("%+v", d.Undone)
	}
}

// A rewind took back what the file no longer has; what was written again later is not lost, nor is other
// sessions' work any of the change.
func TestUndoneByARewind(t *testing.T) {
	t.Parallel()
	d := (&review.Builder{}).Document(review.Range{Name: "r", Head: one}, []review.Session{{ID: "s"}})
	before := "package wait\n" + sleeping + waiting
	text := func(path string) ([]byte, bool) { return []byte("package wait\n" + waiting), path == "wait.go" }
	Undone(d, nil, []Rewind{
		{ID: "0123456789ab", Session: "s", Files: []RewoundFile{{"wait.go", []byte(before), []byte("package wait\n")}, {"gone.go", []byte("func gone() {}\n"), nil}}},
		{ID: "ba9876543210", Session: "other", Files: []RewoundFile{{"wait.go", []byte(before), nil}}},
	}, text)
	var got []string
	for _, u := range d.Undone {
		got = append(got, fmt.Sprint(u.Path, " ", u.Gone, ": ", u.Words()))
	}
	want := "gone.go true: 1 line that the rewind 0123456 took back\nwait.go false: 3 lines that the rewind 0123456 took back"
	if strings.Join(got, "\n") != want {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	if err := d.Check(); err != nil {
		t.Error(err)
	}
}
