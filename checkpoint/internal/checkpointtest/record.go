package checkpointtest

import (
	"testing"
	"time"

	"entire/agent"
	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
)

var (
	CpA   = id.MustCheckpointID("a3b2c4d5e6f7")
	CpB   = id.MustCheckpointID("a3ffffffffff")
	Noon  = time.Date(2026, 2, 9, 12, 0, 0, 123456789, time.UTC)
	Maker = git.Signature{Name: "Tess Ter", Email: "tess@example.com", When: Noon}
)

// Open opens a test repository, and closes it with the test.
func Open(t testing.TB, r *testrepo.Repo) *git.Repo {
	t.Helper()
	repo, err := git.Discover(t.Context(), r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	return repo
}

// SessionRecord makes a session with a transcript of its own.
func SessionRecord(t testing.TB, repo *git.Repo, sessionID, transcript string) metadata.SessionRecord {
	t.Helper()
	var log chunk.Log
	if err := log.Append(repo.Writer(), nil, []byte(transcript)); err != nil {
		t.Fatal(err)
	}
	return metadata.SessionRecord{
		Metadata: metadata.CommittedMetadata{
			SessionID: sessionID, CreatedAt: Noon, CheckpointsCount: 2, FilesTouched: []string{"b.go", "a.go"},
			Agent: agent.AgentTypeClaudeCode, CheckpointTranscriptStart: 3,
			TokenUsage: &agent.TokenUsage{InputTokens: 10, SubagentTokens: &agent.TokenUsage{InputTokens: 5}},
		},
		Transcript: log.Entries(), ContentHash: log.ContentHash(), Prompts: "do " + sessionID, Context: "# Session Context\n",
	}
}

func Record(cp id.CheckpointID, sessions ...metadata.SessionRecord) metadata.Record {
	return metadata.Record{ID: cp, Strategy: shadow.StrategyManual, Branch: "main", CLIVersion: "dev", Sessions: sessions,
		EphemeralBranch: "entire/0123456-e3b0c4", Author: Maker}
}

func Write(t testing.TB, repo *git.Repo, rec metadata.Record) {
	t.Helper()
	if err := metadata.WriteRecord(t.Context(), repo, rec); err != nil {
		t.Fatal(err)
	}
}

// Put stores a file on the metadata branch as another tool might have.
func Put(t testing.TB, repo *git.Repo, path, content string) {
	t.Helper()
	err := metadata.UpdateMetadata(t.Context(), repo, nil, func(tip git.OID) (git.OID, error) {
		edit := git.Edit{Path: path}
		if content != "" {
			oid, err := repo.Writer().Blob([]byte(content))
			if err != nil {
				return git.OID{}, err
			}
			edit.Mode, edit.OID = git.ModeFile, oid
		}
		return CommitEdits(t, repo, tip, edit), nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// CommitEdits is a commit of another tool on the branch at tip.
func CommitEdits(t testing.TB, repo *git.Repo, tip git.OID, edits ...git.Edit) git.OID {
	t.Helper()
	c := git.Commit{Author: Maker, Committer: Maker, Message: "by another tool"}
	if !tip.IsZero() {
		before, err := repo.Reader(t.Context()).Commit(tip)
		if err != nil {
			t.Fatal(err)
		}
		c.Tree, c.Parents = before.Tree, []git.OID{tip}
	}
	tree, err := repo.EditTree(t.Context(), c.Tree, edits)
	if err != nil {
		t.Fatal(err)
	}
	if tree == c.Tree {
		return tip
	}
	c.Tree = tree
	oid, err := repo.Writer().Commit(c)
	if err == nil {
		err = repo.Writer().Sync()
	}
	if err != nil {
		t.Fatal(err)
	}
	return oid
}
