package strategy_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gogit "github.com/go-git/go-git/v5"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
	"entire/internal/testrepo"
	"entire/session"
	"entire/strategy"
)

// enter makes the test a program that was started in the repository.
func enter(t *testing.T, r *testrepo.Repo) {
	t.Helper()
	for _, kv := range r.Env {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv(name, value)
	}
	t.Chdir(r.Dir)
}

func transcript(t *testing.T, dir string, prompts ...string) string {
	t.Helper()
	var b strings.Builder
	for _, p := range prompts {
		b.WriteString(`{"type":"user","uuid":"u","message":{"role":"user","content":"` + p + `"}}` + "\n")
	}
	path := filepath.Join(dir, "full.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestProgramSavesChanges goes through the API as another program would: a
// commit is made, and its session listed.
func TestProgramSavesChanges(t *testing.T) {
	r := testrepo.New(t, testrepo.Files(map[string]string{"a.txt": "one\n"}))
	enter(t, r)
	auto, err := strategy.NewAutoCommitStrategy()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	transcript(t, dir, "please <ide_opened_file>x</ide_opened_file>write b")
	r.Write("b.txt", "b\n")
	r.Write("mine.txt", "x\n")
	save := strategy.SaveContext{SessionID: "2026-11-21-abc", AgentType: agent.AgentTypeClaudeCode, NewFiles: []string{"b.txt"}, MetadataDirAbs: dir}
	if err := auto.SaveChanges(save); err != nil {
		t.Fatal(err)
	}
	if got := r.Git("show", "--name-only", "--format=%s", "HEAD"); got != "Write b\n\nb.txt" {
		t.Errorf("commit: %q", got)
	}
	head := r.Head()
	if err := auto.SaveChanges(save); err != nil || r.Head() != head {
		t.Errorf("saving the same again: %v", err)
	}
	r.Write("a.txt", "two\n")
	save.NewFiles, save.ModifiedFiles, save.CommitMessage = nil, []string{r.Path("a.txt")}, "my own words"
	if err := auto.SaveChanges(save); err != nil {
		t.Fatal(err)
	}
	if err := auto.SaveChanges(strategy.SaveContext{SessionID: "s", NewFiles: []string{"../x"}}); err == nil {
		t.Error("a file outside the worktree was accepted")
	}

	got, err := strategy.GetSession("2026-11")
	if err != nil {
		t.Fatal(err)
	}
	if got.ID != save.SessionID || got.Strategy != "auto-commit" || got.StartTime.IsZero() || len(got.Checkpoints) != 2 {
		t.Fatalf("session: %+v", got)
	}
	for i, want := range []string{"Write b", "My own words"} {
		if cp := got.Checkpoints[i]; cp.Message != want || cp.CheckpointID.IsZero() || cp.Timestamp.IsZero() || cp.IsTaskCheckpoint {
			t.Errorf("checkpoint %d: %+v", i, cp)
		}
	}
	if got.Description != "please write b" {
		t.Errorf("description: %q", got.Description)
	}
	r.Fsck()
}

func TestProgramIsToldWhatWasNotCommitted(t *testing.T) {
	r := testrepo.New(t, testrepo.Files(map[string]string{"a.txt": "one\n"}))
	enter(t, r)
	if err := os.WriteFile(r.GitPath("MERGE_HEAD"), []byte(r.Head()+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	auto, err := strategy.NewAutoCommitStrategy()
	if err != nil {
		t.Fatal(err)
	}
	r.Write("a.txt", "two\n")
	var left *strategy.NotCommittedError
	err = auto.SaveChanges(strategy.SaveContext{SessionID: "s1", ModifiedFiles: []string{"a.txt"}})
	if !errors.As(err, &left) || !strings.Contains(left.Error(), "merge") {
		t.Errorf("error: %v", err)
	}
}

func TestProgramFindsSessions(t *testing.T) {
	r := testrepo.New(t)
	enter(t, r)
	if got, err := strategy.ListSessions(); err != nil || len(got) != 0 {
		t.Errorf("sessions of a new repository: %v, %v", got, err)
	}
	repo, err := gogit.PlainOpen(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	store := checkpoint.NewGitStore(repo)
	for i, sid := range []string{"aaa-1", "aaa-2", "aaa-1"} {
		err := store.WriteCommitted(t.Context(), checkpoint.WriteCommittedOptions{
			CheckpointID: id.MustCheckpointID("00000000000" + string(rune('1'+i))), SessionID: sid, Strategy: "manual-commit",
			Prompts: []string{"prompt of " + sid}, IsTask: i == 2, ToolUseID: map[bool]string{true: "toolu_1"}[i == 2],
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	states := session.NewStateStore(r.GitPath("."))
	pending, err := id.ParseSessionID("bbb")
	if err != nil {
		t.Fatal(err)
	}
	if err := states.Save(t.Context(), &strategy.SessionState{SessionID: pending, StartedAt: time.Now().Add(time.Hour), FirstPrompt: "only begun"}); err != nil {
		t.Fatal(err)
	}
	all, err := strategy.ListSessions()
	if err != nil || len(all) != 3 || all[0].ID != "bbb" || all[0].Description != "only begun" || len(all[0].Checkpoints) != 0 {
		t.Fatalf("%+v, %v", all, err)
	}
	var ambiguous *strategy.AmbiguousSessionError
	if _, err := strategy.GetSession("aaa"); !errors.As(err, &ambiguous) || len(ambiguous.IDs) != 2 {
		t.Errorf("ambiguous: %v", err)
	}
	if _, err := strategy.GetSession("zzz"); !errors.Is(err, strategy.ErrNoSession) {
		t.Errorf("unknown: %v", err)
	}
	one, err := strategy.GetSession("aaa-1")
	if err != nil || len(one.Checkpoints) != 2 || !one.Checkpoints[1].IsTaskCheckpoint || one.Checkpoints[1].ToolUseID != "toolu_1" || one.Checkpoints[0].Message != "prompt of aaa-1" {
		t.Errorf("%+v, %v", one, err)
	}
	manual, err := strategy.NewManualCommitStrategy()
	if err != nil {
		t.Fatal(err)
	}
	var source strategy.SessionSource = manual
	if more, err := source.GetAdditionalSessions(); err != nil || len(more) != 1 || more[0].ID != "bbb" {
		t.Errorf("additional: %v, %v", more, err)
	}
}

// TestProgramCondenses: the live transcript, and the one of the last step when
// that is gone.
func TestProgramCondenses(t *testing.T) {
	r := testrepo.New(t, testrepo.Files(map[string]string{"a.txt": "one\n"}))
	enter(t, r)
	repo, err := gogit.PlainOpen(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	sid, err := id.ParseSessionID("s1")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	live := transcript(t, dir, "first", "second")
	store := checkpoint.NewGitStore(repo)
	r.Write("a.txt", "two\n")
	if _, err := store.WriteTemporary(t.Context(), checkpoint.WriteTemporaryOptions{SessionID: "s1", BaseCommit: r.Head(),
		ModifiedFiles: []string{"a.txt"}, MetadataDirAbs: dir, CommitMessage: "step"}); err != nil {
		t.Fatal(err)
	}
	state := &strategy.SessionState{SessionID: sid, BaseCommit: r.Head(), StartedAt: time.Now(), CheckpointCount: 1,
		FilesTouched: []string{"a.txt"}, AgentType: agent.AgentTypeClaudeCode, TranscriptPath: live}
	var s strategy.ManualCommitStrategy
	for _, cp := range []string{"0000000000a1", "0000000000a2"} {
		got, err := s.CondenseSession(repo, id.MustCheckpointID(cp), state)
		if err != nil {
			t.Fatal(err)
		}
		if got.CheckpointID.String() != cp || got.SessionID != "s1" || got.CheckpointsCount != 1 || got.TotalTranscriptLines != 2 || strings.Join(got.FilesTouched, " ") != "a.txt" {
			t.Errorf("%+v", got)
		}
		content, err := store.ReadSessionContent(t.Context(), got.CheckpointID, 0)
		if err != nil || content.Prompts != "first\n\n---\n\nsecond" || content.Metadata.Strategy != "manual-commit" {
			t.Errorf("stored: %+v, %v", content, err)
		}
		if err := os.Remove(live); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	state.BaseCommit, state.TranscriptPath = strings.Repeat("1", 40), ""
	if _, err := s.CondenseSession(repo, id.MustCheckpointID("0000000000a3"), state); err == nil {
		t.Error("condensed without any transcript")
	}
	if _, err := s.CondenseSession(repo, id.CheckpointID{}, state); err == nil {
		t.Error("condensed without a checkpoint ID")
	}
	if out := r.Git("for-each-ref", "--format=%(refname)", "refs/heads/entire"); strings.Count(out, "\n") != 1 {
		t.Errorf("refs: %s", out)
	}
}
