package session_test

import (
	"context"
	"fmt"
	"os"

	"entire/session"
)

// An agent written in Go keeps its conversations with a store: it appends what
// is said, and goes on another day, or from the middle in a second session.
func Example() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()

	store := session.OpenStore(dir) // or session.NewStore(projectDir)
	store.Create(session.SessionMetadata{ID: "monday", CWD: "/home/me/project"})
	store.AppendMessage("monday", session.Message{UUID: "1", Role: "user", Content: "Please write a greeter"})
	store.AppendMessage("monday", session.Message{UUID: "2", Role: "assistant", Content: "In which language?"})
	store.AppendMessage("monday", session.Message{UUID: "3", Role: "user", Content: "In shell"})

	fork, err := session.Restore(ctx, store, session.RestoreOptions{
		Continue: true, CWD: "/home/me/project", ResumeAt: "2", Fork: true, NewID: "tuesday",
	})
	if err != nil {
		panic(err)
	}
	fork.AppendAndSave(session.Message{UUID: "4", Role: "user", Content: "In Go"})

	for _, id := range []string{"monday", "tuesday"} {
		for m, err := range store.Messages(ctx, id) {
			fmt.Println(id, m.UUID, m.Content, err)
		}
	}
	if err := store.Close(); err != nil { // now everything is on disk
		panic(err)
	}
	// Output:
	// monday 1 Please write a greeter <nil>
	// monday 2 In which language? <nil>
	// monday 3 In shell <nil>
	// tuesday 1 Please write a greeter <nil>
	// tuesday 2 In which language? <nil>
	// tuesday 4 In Go <nil>
}
