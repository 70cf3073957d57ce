package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"entire/agent"
	"entire/checkpoint/internal/checkpointtest"
	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/internal/testrepo"
)

func newStore(t testing.TB, r *testrepo.Repo) *GitStore {
	t.Helper()
	repo, err := gogit.PlainOpenWithOptions(r.Dir, &gogit.PlainOpenOptions{EnableDotGitCommonDir: true})
	if err != nil {
		t.Fatal(err)
	}
	return NewGitStore(repo)
}

const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

// metadataDir writes a session's metadata as an agent's turn leaves it.
func metadataDir(t testing.TB, r *testrepo.Repo, transcript string) string {
	t.Helper()
	dir := ".entire/metadata/s1"
	r.Write(dir+"/full.jsonl", transcript)
	r.Write(dir+"/prompt.txt", "use "+secret)
	r.Write(dir+"/tasks/toolu_1/notes.md", "token "+secret)
	return r.Path(dir)
}

func temporary(r *testrepo.Repo, dir string) WriteTemporaryOptions {
	return WriteTemporaryOptions{
		SessionID: "s1", BaseCommit: r.Head(), MetadataDir: ".entire/metadata/s1", MetadataDirAbs: dir,
		CommitMessage: "Add a file", AuthorName: "Tess", AuthorEmail: "t@e", IsFirstCheckpoint: true,
	}
}

func TestWriteTemporary(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Files(map[string]string{
		"keep.txt": "keep\n", "gone.txt": "gone\n", "edit.txt": "old\n", ".gitattributes": "*.crlf text eol=lf\n", ".gitignore": "*.log\n",
	}))
	s := newStore(t, r)
	r.Write("edit.txt", "new\n")
	r.Write("sub/new.sh", "#!/bin/sh\n")
	r.Chmod("sub/new.sh", 0o755)
	r.Write("dos.crlf", "a\r\nb\r\n")
	r.Write("x.log", "ignored\n")
	r.Symlink("/etc/passwd", "link")
	r.Remove("gone.txt")
	dir := metadataDir(t, r, "{\"n\":1}\n{\"text\":\""+secret+"\"}\n")
	index, before := r.IndexBytes(), r.Snapshot()

	res, err := s.WriteTemporary(t.Context(), temporary(r, dir))
	if err != nil || res.Skipped {
		t.Fatalf("%+v, %v", res, err)
	}
	branch := ShadowBranchNameForCommit(r.Head(), "")
	if got := r.Git("rev-parse", branch); got != res.CommitHash.String() {
		t.Errorf("branch at %s, result %s", got, res.CommitHash)
	}
	want := `100644 .entire/metadata/s1/full.jsonl
100644 .entire/metadata/s1/prompt.txt
100644 .entire/metadata/s1/tasks/toolu_1/notes.md
100644 .gitattributes
100644 .gitignore
100644 dos.crlf
100644 edit.txt
100644 keep.txt
120000 link
100755 sub/new.sh`
	if got := r.Git("ls-tree", "-r", "--format=%(objectmode) %(path)", branch); got != want {
		t.Errorf("tree:\n%s", got)
	}
	for path, want := range map[string]string{"link": "/etc/passwd", "dos.crlf": "a\nb", "edit.txt": "new"} {
		if got := r.Git("cat-file", "blob", branch+":"+path); got != want {
			t.Errorf("%s is %q", path, got)
		}
	}
	if got := r.Git("log", "--format=%P|%an <%ae>|%B", branch); !strings.HasPrefix(got, "|Tess <t@e>|Add a file\n\nEntire-Metadata: .entire/metadata/s1\nEntire-Session: s1\n") {
		t.Errorf("commit %q", got)
	}
	if got, err := r.TryGit("grep", "-c", "ghp_", branch); err == nil {
		t.Errorf("secret stored: %s", got)
	}
	if !bytes.Equal(index, r.IndexBytes()) || !equalTrees(before, r.Snapshot()) {
		t.Error("the index or the worktree changed")
	}

	again, err := s.WriteTemporary(t.Context(), temporary(r, dir))
	if err != nil || !again.Skipped || again.CommitHash != res.CommitHash {
		t.Errorf("again: %+v, %v", again, err)
	}
	opts := temporary(r, dir)
	r.Write("edit.txt", "newer\n")
	r.Write("other.txt", "not mine\n")
	opts.IsFirstCheckpoint, opts.ModifiedFiles, opts.DeletedFiles = false, []string{"edit.txt", "was/never"}, []string{"keep.txt"}
	later, err := s.WriteTemporary(t.Context(), opts)
	if err != nil || later.Skipped {
		t.Fatalf("later: %+v, %v", later, err)
	}
	if got := r.Git("diff", "--name-status", branch+"^", branch); got != "M\tedit.txt\nD\tkeep.txt" {
		t.Errorf("second step changed %q", got)
	}
	r.Fsck()
}

func equalTrees(a, b testrepo.Tree) bool {
	if len(a) != len(b) {
		return false
	}
	for path, f := range a {
		if b[path] != f {
			return false
		}
	}
	return true
}

func TestWriteTemporaryRefuses(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	s := newStore(t, r)
	r.Write("../outside.txt", "outside\n")
	for _, path := range []string{"../outside.txt", ".git/config", "a/../../outside.txt", "/etc/passwd", ".GIT/hooks/x"} {
		for _, opts := range []WriteTemporaryOptions{{ModifiedFiles: []string{path}}, {DeletedFiles: []string{path}}, {MetadataDir: path, MetadataDirAbs: r.Dir}} {
			opts.SessionID, opts.BaseCommit = "s1", r.Head()
			if _, err := s.WriteTemporary(t.Context(), opts); err == nil {
				t.Errorf("%+v: accepted", opts)
			}
		}
	}
	for _, session := range []string{"", "../x", "-x", "a\x00"} {
		if _, err := s.WriteTemporary(t.Context(), WriteTemporaryOptions{SessionID: session, BaseCommit: r.Head()}); err == nil {
			t.Errorf("session %q accepted", session)
		}
	}
	// Through a link that leads out, nothing is read.
	r.Symlink("..", "up")
	res, err := s.WriteTemporary(t.Context(), WriteTemporaryOptions{SessionID: "s1", BaseCommit: r.Head(), NewFiles: []string{"up/outside.txt"}})
	if err == nil && strings.Contains(r.Git("ls-tree", "-r", "--name-only", res.CommitHash.String()), "outside") {
		t.Error("captured through a link")
	}
	r.Fsck()
}

func TestWriteTemporaryTask(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	s := newStore(t, r)
	r.Write("a.txt", "a\n")
	r.Write(".entire/t.jsonl", "{\"n\":1}\n")
	r.Write(".entire/sub.jsonl", "{\"text\":\""+secret+"\"}\n")
	opts := WriteTemporaryTaskOptions{
		SessionID: "s1", BaseCommit: r.Head(), ToolUseID: "toolu_1", AgentID: "a1", NewFiles: []string{"a.txt"},
		TranscriptPath: r.Path(".entire/t.jsonl"), SubagentTranscriptPath: r.Path(".entire/sub.jsonl"), CheckpointUUID: "u1",
		CommitMessage: "Task", AuthorName: "Tess", AuthorEmail: "t@e",
	}
	step := opts
	step.IsIncremental, step.IncrementalSequence, step.IncrementalType, step.IncrementalData = true, 1, "TodoWrite", []byte(`{"key":"`+secret+`"}`)
	for range 3 {
		if _, err := s.WriteTemporaryTask(t.Context(), step); err != nil {
			t.Fatal(err)
		}
	}
	hash, err := s.WriteTemporaryTask(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	const dir = ".entire/metadata/s1"
	want := strings.Join([]string{dir + "/full.jsonl", dir + "/tasks/toolu_1/agent-a1.jsonl", dir + "/tasks/toolu_1/checkpoint.json",
		dir + "/tasks/toolu_1/checkpoints/001-toolu_1.json", dir + "/tasks/toolu_1/checkpoints/002-toolu_1.json",
		dir + "/tasks/toolu_1/checkpoints/003-toolu_1.json"}, "\n")
	if got := r.Git("ls-tree", "-r", "--name-only", hash.String(), dir+"/"); got != want {
		t.Errorf("files:\n%s", got)
	}
	final := r.Git("cat-file", "blob", hash.String()+":"+dir+"/tasks/toolu_1/checkpoint.json")
	if want := "{\n  \"session_id\": \"s1\",\n  \"tool_use_id\": \"toolu_1\",\n  \"checkpoint_uuid\": \"u1\",\n  \"agent_id\": \"a1\"\n}"; final != want {
		t.Errorf("checkpoint.json %s", final)
	}
	var inc struct{ Data struct{ Key string } }
	if err := json.Unmarshal([]byte(r.Git("cat-file", "blob", hash.String()+":"+dir+"/tasks/toolu_1/checkpoints/002-toolu_1.json")), &inc); err != nil || inc.Data.Key != "REDACTED" {
		t.Errorf("increment %+v, %v", inc, err)
	}
	if _, err := r.TryGit("grep", "-q", "ghp_", hash.String()); err == nil {
		t.Error("secret stored")
	}
	opts.ToolUseID = "../x"
	if _, err := s.WriteTemporaryTask(t.Context(), opts); err == nil {
		t.Error("hostile tool use ID accepted")
	}
}

func TestTemporaryLists(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	s := newStore(t, r)
	ctx, base := t.Context(), r.Head()
	if got, err := s.ReadTemporary(ctx, base, ""); got != nil || err != nil {
		t.Errorf("no branch: %+v, %v", got, err)
	}
	for i, session := range []string{"s1", "s2", "s1"} {
		r.Write("a.txt", strings.Repeat("x", i+1))
		if _, err := s.WriteTemporary(ctx, WriteTemporaryOptions{SessionID: session, BaseCommit: base, CommitMessage: session, NewFiles: []string{"a.txt"}}); err != nil {
			t.Fatal(err)
		}
	}
	branch := ShadowBranchNameForCommit(base, "")
	human := r.Git("commit-tree", "-p", branch, "-m", "by hand\n\nEntire-Step: human\nEntire-Step-Session: s1\n", branch+"^{tree}")
	r.Git("update-ref", "refs/heads/"+branch, human)
	r.Git("branch", "entire/feature")
	r.Git("branch", shadow.MetadataBranch)

	latest, err := s.ReadTemporary(ctx, base, "")
	if err != nil || latest.CommitHash.String() != human || latest.SessionID != "s1" {
		t.Errorf("latest %+v, %v", latest, err)
	}
	branches, err := s.ListTemporary(ctx)
	if err != nil || len(branches) != 1 || branches[0].BranchName != branch || branches[0].BaseCommit != base[:7] {
		t.Errorf("branches %+v, %v", branches, err)
	}
	for _, tt := range []struct {
		session string
		limit   int
		want    []string
	}{{"", 0, []string{"S1", "S2", "S1"}}, {"s1", 0, []string{"S1", "S1"}}, {"", 1, []string{"S1"}}, {"s9", 0, nil}} {
		got, err := s.ListTemporaryCheckpoints(ctx, base, "", tt.session, tt.limit)
		var messages []string
		for _, c := range got {
			messages = append(messages, strings.ToUpper(c.Message))
		}
		if err != nil || !slices.Equal(messages, tt.want) {
			t.Errorf("session %q, limit %d: %v, %v", tt.session, tt.limit, messages, err)
		}
	}
	if got, err := s.ListAllTemporaryCheckpoints(ctx, "s2", 5); err != nil || len(got) != 1 || got[0].MetadataDir != ".entire/metadata/s2" {
		t.Errorf("all %+v, %v", got, err)
	}
	if got, err := s.ListCheckpointsForBranch(ctx, "entire/nothing", "", 0); err != nil || got != nil {
		t.Errorf("no such branch: %+v, %v", got, err)
	}
	if !s.ShadowBranchExists(base, "") || s.ShadowBranchExists(base, "other") {
		t.Error("ShadowBranchExists is wrong")
	}
	r.Git("pack-refs", "--all")
	for range 2 {
		if err := s.DeleteShadowBranch(base, ""); err != nil {
			t.Fatal(err)
		}
	}
	if s.ShadowBranchExists(base, "") || r.Git("for-each-ref", "--format=%(refname:short)", "refs/heads/entire") != shadow.MetadataBranch+"\nentire/feature" {
		t.Error("the wrong branches are left")
	}
	r.Fsck()
}

func TestWriteCommittedAndReadBack(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	s := newStore(t, r)
	ctx := t.Context()
	opts := WriteCommittedOptions{
		CheckpointID: checkpointtest.CpA, SessionID: "s1", Strategy: "manual-commit", Branch: "main",
		Transcript: []byte("{\"text\":\"" + secret + "\"}\nlast line torn"), Prompts: []string{"one", "two " + secret}, Context: []byte("# " + secret),
		FilesTouched: []string{"a"}, CheckpointsCount: 1, AuthorName: "Tess", AuthorEmail: "t@e", Agent: agent.AgentTypeClaudeCode,
		Summary: &Summary{Intent: "use " + secret},
	}
	if err := s.WriteCommitted(ctx, opts); err != nil {
		t.Fatal(err)
	}
	c, err := s.ReadSessionContent(ctx, checkpointtest.CpA, 0)
	if err != nil || c.HashMismatch != nil || string(c.Transcript) != "{\"text\":\"REDACTED\"}\nlast line torn" ||
		c.Prompts != "one"+metadata.PromptSeparator+"two REDACTED" || c.Context != "# REDACTED" || c.Metadata.Summary.Intent != "use REDACTED" {
		t.Errorf("content %+v, %v", c, err)
	}
	if got, err := s.GetCheckpointAuthor(ctx, checkpointtest.CpA); err != nil || got != (Author{Name: "Tess", Email: "t@e"}) {
		t.Errorf("author %+v, %v", got, err)
	}

	// A second session, all of it from a directory.
	dir := metadataDir(t, r, "{\"n\":2}\n")
	r.Write(".entire/metadata/s1/metadata.json", "{}")
	r.Symlink("/etc/passwd", ".entire/metadata/s1/link")
	if err := s.WriteCommitted(ctx, WriteCommittedOptions{CheckpointID: checkpointtest.CpA, SessionID: "s2", Strategy: "auto-commit", MetadataDir: dir}); err != nil {
		t.Fatal(err)
	}
	c, err = s.ReadLatestSessionContent(ctx, checkpointtest.CpA)
	if err != nil || c.Metadata.SessionID != "s2" || string(c.Transcript) != "{\"n\":2}\n" || c.Prompts != "use REDACTED" || c.HashMismatch != nil {
		t.Errorf("from a directory: %+v, %v", c, err)
	}
	tree := r.Git("ls-tree", "-r", "--name-only", shadow.MetadataBranch)
	if !strings.Contains(tree, "/1/tasks/toolu_1/notes.md") || strings.Contains(tree, "link") {
		t.Errorf("tree:\n%s", tree)
	}
	sum, err := s.ReadCommitted(ctx, checkpointtest.CpA)
	if err != nil || len(sum.Sessions) != 2 || sum.Sessions[1].Context != "" || sum.Sessions[1].ContentHash != "/a3/b2c4d5e6f7/1/content_hash.txt" {
		t.Errorf("summary %+v, %v", sum, err)
	}

	if err := s.UpdateSummary(ctx, checkpointtest.CpA, &Summary{Intent: "i", Learnings: LearningsSummary{Code: []CodeLearning{{Path: "p", Finding: secret}}}}); err != nil {
		t.Fatal(err)
	}
	c, err = s.ReadSessionContentByID(ctx, checkpointtest.CpA, "s2")
	if err != nil || c.Metadata.Summary.Intent != "i" || c.Metadata.Summary.Learnings.Code[0].Finding != "REDACTED" {
		t.Errorf("summary %+v, %v", c.Metadata.Summary, err)
	}
	if got := strings.TrimSpace(r.Git("log", "-1", "--format=%B", shadow.MetadataBranch)); got != "Update summary for checkpoint a3b2c4d5e6f7 (session: s2)" {
		t.Errorf("message %q", got)
	}
	if _, err := r.TryGit("grep", "-q", "ghp_", shadow.MetadataBranch); err == nil {
		t.Error("secret stored")
	}
	infos, err := s.ListCommitted(ctx)
	if err != nil || len(infos) != 1 || infos[0].SessionID != "s2" || infos[0].SessionCount != 2 || infos[0].CheckpointsCount != 1 {
		t.Errorf("list %+v, %v", infos, err)
	}
	r.Fsck()
}

func TestWriteCommittedTask(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	s := newStore(t, r)
	opts := WriteCommittedOptions{CheckpointID: checkpointtest.CpA, SessionID: "s1", Strategy: "auto-commit", Transcript: []byte("{}\n"),
		IsTask: true, ToolUseID: "toolu_1", CommitSubject: "Task: toolu_1", CheckpointUUID: "u"}
	if err := s.WriteCommitted(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	opts.IsIncremental, opts.IncrementalType, opts.IncrementalSequence, opts.IncrementalData = true, "TodoWrite", 4, []byte("not json")
	if err := s.WriteCommitted(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	if got := r.Git("ls-tree", "-r", "--name-only", shadow.MetadataBranch, "a3/b2c4d5e6f7/tasks/"); got != "a3/b2c4d5e6f7/tasks/toolu_1/checkpoint.json\na3/b2c4d5e6f7/tasks/toolu_1/checkpoints/004-toolu_1.json" {
		t.Errorf("tasks:\n%s", got)
	}
	want := "Checkpoint: a3b2c4d5e6f7\n\nTask: toolu_1\n\nEntire-Session: s1\nEntire-Strategy: auto-commit\nEntire-Metadata-Task: a3/b2c4d5e6f7/tasks/toolu_1"
	if got := strings.TrimSpace(r.Git("log", "-1", "--format=%B", shadow.MetadataBranch+"^")); got != want {
		t.Errorf("message %q", got)
	}
	infos, err := s.ListCommitted(t.Context())
	if err != nil || len(infos) != 1 || !infos[0].IsTask || infos[0].ToolUseID != "toolu_1" {
		t.Errorf("infos %+v, %v", infos, err)
	}
}

func TestAbsentCheckpoints(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	s := newStore(t, r)
	ctx := t.Context()
	check := func(when string) {
		if sum, err := s.ReadCommitted(ctx, checkpointtest.CpB); sum != nil || err != nil {
			t.Errorf("%s: summary %+v, %v", when, sum, err)
		}
		_, err1 := s.ReadSessionContent(ctx, checkpointtest.CpB, 0)
		_, err2 := s.ReadSessionContentByID(ctx, checkpointtest.CpB, "s1")
		_, _, err3 := s.GetSessionLog(checkpointtest.CpB)
		_, err4 := s.GetTranscript(ctx, checkpointtest.CpB)
		for i, err := range []error{err1, err2, err3, err4, s.UpdateSummary(ctx, checkpointtest.CpB, &Summary{})} {
			if !errors.Is(err, ErrCheckpointNotFound) {
				t.Errorf("%s: call %d: %v", when, i, err)
			}
		}
		if a, err := s.GetCheckpointAuthor(ctx, checkpointtest.CpB); a != (Author{}) || err != nil {
			t.Errorf("%s: author %+v, %v", when, a, err)
		}
	}
	check("without a branch")
	if err := s.WriteCommitted(ctx, WriteCommittedOptions{CheckpointID: checkpointtest.CpA, SessionID: "s1"}); err != nil {
		t.Fatal(err)
	}
	check("with a branch")
	if _, _, err := s.GetSessionLog(checkpointtest.CpA); !errors.Is(err, ErrNoTranscript) {
		t.Errorf("no transcript: %v", err)
	}
	if _, err := s.ReadSessionContent(ctx, checkpointtest.CpA, 1); !errors.Is(err, ErrSessionNotFound) {
		t.Errorf("no such session: %v", err)
	}
}

func TestGetTranscriptFromCommit(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	s := newStore(t, r)
	long := strings.Repeat(strings.Repeat("word ", 200)+"\n", 300)
	dir := metadataDir(t, r, long)
	res, err := s.WriteTemporary(t.Context(), temporary(r, dir))
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.GetTranscriptFromCommit(res.CommitHash, ".entire/metadata/s1", agent.AgentTypeClaudeCode)
	if err != nil || string(got) != long {
		t.Errorf("%d bytes, want %d; %v", len(got), len(long), err)
	}
	if _, err := s.GetTranscriptFromCommit(res.CommitHash, ".entire/metadata/none", ""); !errors.Is(err, ErrNoTranscript) {
		t.Errorf("no transcript: %v", err)
	}
	// A shorter transcript leaves none of the longer one's chunks.
	r.Write(".entire/metadata/s1/full.jsonl", "{}\n")
	if res, err = s.WriteTemporary(t.Context(), temporary(r, dir)); err != nil {
		t.Fatal(err)
	}
	if got, err := s.GetTranscriptFromCommit(res.CommitHash, ".entire/metadata/s1", ""); err != nil || string(got) != "{}\n" {
		t.Errorf("shorter: %q, %v", got, err)
	}

	// Gemini's chunks are documents; their messages are put together.
	blob := func(s string) string { return r.GitInput(s, "hash-object", "-w", "--stdin") }
	tree := r.GitInput("100644 blob "+blob(`{"sessionId":"g","messages":[{"id":1}]}`)+"\tfull.jsonl\n100644 blob "+blob(`{"messages":[{"id":2}]}`)+"\tfull.jsonl.001\n", "mktree")
	commit := r.Git("commit-tree", "-m", "x", tree)
	got, err = s.GetTranscriptFromCommit(plumbing.NewHash(commit), "", agent.AgentTypeGemini)
	if err != nil || string(got) != `{"sessionId":"g","messages":[{"id":1},{"id":2}]}` {
		t.Errorf("gemini: %s, %v", got, err)
	}
}

func TestTreeCodec(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	s := newStore(t, r)
	repo := s.Repository()
	blob, err := CreateBlobFromContent(repo, []byte("x\n"))
	if err != nil || blob.String() != r.GitInput("x\n", "hash-object", "--stdin") {
		t.Fatalf("blob %s, %v", blob, err)
	}
	entries := map[string]object.TreeEntry{}
	for path, mode := range map[string]filemode.FileMode{
		"a": filemode.Regular, "b/c.sh": filemode.Executable, "b/d/e": filemode.Symlink, "b.txt": filemode.Regular, "sub": filemode.Submodule,
	} {
		entries[path] = object.TreeEntry{Name: path, Mode: mode, Hash: blob}
	}
	hash, err := BuildTreeFromEntries(repo, entries)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := repo.TreeObject(hash)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]object.TreeEntry{}
	if err := FlattenTree(repo, tree, "", got); err != nil || len(got) != len(entries) {
		t.Fatalf("%v, %v", got, err)
	}
	for path, e := range entries {
		if got[path] != e {
			t.Errorf("%s: %v, want %v", path, got[path], e)
		}
	}
	r.Fsck()
	if hash, err := BuildTreeFromEntries(repo, nil); err != nil || hash.String() != "4b825dc642cb6eb9a060e54bf8d69288fbee4904" {
		t.Errorf("empty tree %s, %v", hash, err)
	}
	if _, err := BuildTreeFromEntries(repo, map[string]object.TreeEntry{".git/x": {Mode: filemode.Regular, Hash: blob}}); err == nil {
		t.Error(".git accepted")
	}
}

func TestStoreInLinkedWorktree(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t).Worktree("other")
	s := newStore(t, r)
	r.Write("new.txt", "n\n")
	opts := temporary(r, "")
	opts.WorktreeID = "other"
	res, err := s.WriteTemporary(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Git("cat-file", "blob", res.CommitHash.String()+":new.txt"); got != "n" {
		t.Errorf("new.txt is %q", got)
	}
	if !s.ShadowBranchExists(r.Head(), "other") {
		t.Error("no branch for the worktree")
	}
	if fi, err := os.Stat(filepath.Join(r.Dir, ".git")); err != nil || fi.IsDir() {
		t.Errorf("not a linked worktree: %v", err)
	}
}
