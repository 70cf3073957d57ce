package checkpoint_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing/object"

	"entire/agent"
	"entire/checkpoint"
	"entire/checkpoint/shadow"
	"entire/checkpoint/trailer"
	"entire/id"
)

// A session leaves two kinds of checkpoint. While it runs, each turn is a
// temporary one: a commit on a shadow branch, whose tree is the whole project
// and the session's metadata. When the user commits, the session's record goes
// to the metadata branch under an ID, and the ID into the user's message.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	check(err)
	defer os.RemoveAll(dir)

	repo, base := newProject(dir)
	store := checkpoint.NewGitStore(repo)

	// A turn of the agent ends: it made a file.
	check(os.WriteFile(filepath.Join(dir, "login.go"), []byte("package login\n"), 0o644))
	step, err := store.WriteTemporary(ctx, checkpoint.WriteTemporaryOptions{
		SessionID: "2026-01-20-example", BaseCommit: base, CommitMessage: "Add the login feature",
		NewFiles: []string{"login.go"}, AuthorName: "Ada", AuthorEmail: "ada@example.com",
	})
	check(err)
	commit, err := repo.CommitObject(step.CommitHash)
	check(err)
	tree, err := commit.Tree()
	check(err)
	fmt.Println("step:", shadow.ParseStep(commit.Message).Subject)
	for _, e := range tree.Entries {
		fmt.Println(" ", e.Name)
	}

	// The user commits: the checkpoint gets an ID, which links both sides.
	cp := id.MustCheckpointID("a3b2c4d5e6f7")
	message := trailer.AddCheckpointTrailer([]byte("feat: login\n"), cp, trailer.MessageOptions{})
	fmt.Printf("user's message:\n%s", message)

	check(store.WriteCommitted(ctx, checkpoint.WriteCommittedOptions{
		CheckpointID: trailer.ParseCheckpointTrailers(string(message))[0],
		SessionID:    "2026-01-20-example", Strategy: "manual-commit", Agent: agent.AgentTypeClaudeCode,
		Transcript: []byte(`{"type":"user"}` + "\n"), Prompts: []string{"Add the login feature"},
		FilesTouched: []string{"login.go"}, CheckpointsCount: 1, AuthorName: "Ada", AuthorEmail: "ada@example.com",
	}))
	check(store.DeleteShadowBranch(base, ""))

	// Later, anybody with the branch can read it.
	summary, err := store.ReadCommitted(ctx, cp)
	check(err)
	content, err := store.ReadLatestSessionContent(ctx, cp)
	check(err)
	author, err := store.GetCheckpointAuthor(ctx, cp)
	check(err)
	fmt.Println("checkpoint:", summary.CheckpointID, "by", author.Name, "touched", summary.FilesTouched)
	fmt.Println("transcript in", summary.Sessions[0].Transcript)
	fmt.Printf("%s asked: %s\n%s", content.Metadata.SessionID, content.Prompts, content.Transcript)

	// Output:
	// step: Add the login feature
	//   README
	//   login.go
	// user's message:
	// feat: login
	//
	// Entire-Checkpoint: a3b2c4d5e6f7
	// checkpoint: a3b2c4d5e6f7 by Ada touched [login.go]
	// transcript in /a3/b2c4d5e6f7/0/full.jsonl
	// 2026-01-20-example asked: Add the login feature
	// {"type":"user"}
}

// newProject makes a repository with one commit.
func newProject(dir string) (repo *gogit.Repository, head string) {
	repo, err := gogit.PlainInit(dir, false)
	check(err)
	check(os.WriteFile(filepath.Join(dir, "README"), []byte("hello\n"), 0o644))
	wt, err := repo.Worktree()
	check(err)
	_, err = wt.Add("README")
	check(err)
	hash, err := wt.Commit("first", &gogit.CommitOptions{Author: &object.Signature{Name: "Ada", Email: "ada@example.com", When: time.Unix(0, 0)}})
	check(err)
	return repo, hash.String()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
