package strategy

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/agent"
)

// These tests hold another tool's reader against what we write. It follows the
// format's description and shares no code with us: regular expressions over
// messages, structs with the documented keys only, and the rule by which that tool
// throws states away.

// otherState is a session's state as the other tool decodes it.
type otherState struct {
	SessionID        string    `json:"session_id"`
	BaseCommit       string    `json:"base_commit"`
	WorktreePath     string    `json:"worktree_path"`
	WorktreeID       string    `json:"worktree_id"`
	StartedAt        time.Time `json:"started_at"`
	Phase            string    `json:"phase"`
	TurnIDs          []string  `json:"turn_checkpoint_ids"`
	CheckpointCount  int       `json:"checkpoint_count"`
	FilesTouched     []string  `json:"files_touched"`
	LastCheckpointID string    `json:"last_checkpoint_id"`
	AgentType        string    `json:"agent_type"`
	TranscriptPath   string    `json:"transcript_path"`
}

type otherSummary struct {
	CheckpointID     string   `json:"checkpoint_id"`
	Strategy         string   `json:"strategy"`
	CheckpointsCount int      `json:"checkpoints_count"`
	FilesTouched     []string `json:"files_touched"`
	Sessions         []struct {
		Metadata    string `json:"metadata"`
		Transcript  string `json:"transcript"`
		Context     string `json:"context"`
		ContentHash string `json:"content_hash"`
		Prompt      string `json:"prompt"`
	} `json:"sessions"`
}

type otherSession struct {
	CheckpointID     string    `json:"checkpoint_id"`
	SessionID        string    `json:"session_id"`
	Strategy         string    `json:"strategy"`
	CreatedAt        time.Time `json:"created_at"`
	CheckpointsCount int       `json:"checkpoints_count"`
	FilesTouched     []string  `json:"files_touched"`
	Agent            string    `json:"agent"`
	Start            int       `json:"checkpoint_transcript_start"`
	OldStart         int       `json:"transcript_lines_at_start"`
}

var (
	hex12        = regexp.MustCompile(`^[0-9a-f]{12}$`)
	hex40        = regexp.MustCompile(`^[0-9a-f]{40}$`)
	emptyTrailer = regexp.MustCompile(`(?m)^(Entire-[A-Za-z-]+|Ephemeral-branch):[ \t]*$`)
	sessionKey   = regexp.MustCompile(`Entire-Session:\s*(.+)`)
	metadataKey  = regexp.MustCompile(`Entire-Metadata:\s*(.+)`)
	strategyKey  = regexp.MustCompile(`Entire-Strategy:\s*(.+)`)
)

// otherReads checks everything that is there now.
func (w *world) otherReads(when string) {
	w.t.Helper()
	w.otherReadsStates(when)
	for _, ref := range w.shadows() {
		w.otherReadsSteps(when, ref)
	}
	w.otherReadsCheckpoints(when)
}

func (w *world) otherReadsStates(when string) {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.GitPath("entire-sessions"), "*.json"))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			w.t.Fatal(err)
		}
		var st otherState
		if err := json.Unmarshal(data, &st); err != nil {
			w.t.Errorf("%s: %s: %v", when, file, err)
			continue
		}
		if st.SessionID+".json" != filepath.Base(file) || !hex40.MatchString(st.BaseCommit) || st.StartedAt.IsZero() || st.AgentType == "" || st.WorktreePath != w.Dir {
			w.t.Errorf("%s: state %s", when, data)
		}
		if !slices.Contains([]string{"active", "idle", "ended"}, st.Phase) || st.LastCheckpointID != "" && !hex12.MatchString(st.LastCheckpointID) {
			w.t.Errorf("%s: phase %q, last checkpoint %q", when, st.Phase, st.LastCheckpointID)
		}
		// The other tool deletes the state of a session without a branch. It must
		// never find one like that while work or a transcript waits for something.
		_, gone := w.TryGit("rev-parse", "-q", "--verify", "refs/heads/entire/"+st.BaseCommit[:7]+"-e3b0c4")
		thrownAway := gone != nil && st.Phase != "active" && st.LastCheckpointID == ""
		if thrownAway && (len(st.FilesTouched) > 0 || st.CheckpointCount > 0 || len(st.TurnIDs) > 0) {
			w.t.Errorf("%s: the other tool would delete %s", when, data)
		}
	}
}

// otherReadsSteps walks a shadow branch as `rewind --list` of the other tool does.
func (w *world) otherReadsSteps(when, ref string) {
	w.t.Helper()
	commits := strings.Fields(w.Git("rev-list", "--topo-order", ref))
	for i, commit := range commits {
		msg := w.Git("log", "-1", "--format=%B", commit)
		if emptyTrailer.MatchString(msg) {
			w.t.Errorf("%s: a trailer without a value in\n%s", when, msg)
		}
		if parents := strings.Fields(w.Git("log", "-1", "--format=%P", commit)); (len(parents) == 0) != (i == len(commits)-1) || len(parents) > 1 {
			w.t.Errorf("%s: step %d of %d has %d parents", when, i, len(commits), len(parents))
		}
		session := sessionKey.FindStringSubmatch(msg)
		if session == nil { // invisible to the other tool
			if !strings.Contains(msg, "Entire-Step:") {
				w.t.Errorf("%s: a step of nobody's\n%s", when, msg)
			}
			continue
		}
		if s := strategyKey.FindStringSubmatch(msg); s == nil || s[1] != "manual-commit" {
			w.t.Errorf("%s: no strategy in\n%s", when, msg)
		}
		dir := metadataKey.FindStringSubmatch(msg)
		if dir == nil {
			continue // a task, or carried forward
		}
		if want := ".entire/metadata/" + session[1]; dir[1] != want {
			w.t.Errorf("%s: metadata at %q, want %q", when, dir[1], want)
		}
		for _, name := range []string{"full.jsonl", "prompt.txt"} {
			if _, err := w.TryGit("cat-file", "-e", commit+":"+dir[1]+"/"+name); err != nil {
				w.t.Errorf("%s: %s has no %s", when, commit, name)
			}
		}
	}
}

// otherReadsCheckpoints reads every checkpoint and looks for what would make the
// other tool refuse to write to it.
func (w *world) otherReadsCheckpoints(when string) {
	w.t.Helper()
	files, err := w.TryGit("ls-tree", "-r", "--name-only", "entire/checkpoints/v1")
	if err != nil {
		return
	}
	have := strings.Fields(files)
	read := func(name string, v any) {
		w.t.Helper()
		if err := json.Unmarshal([]byte(w.Git("show", "entire/checkpoints/v1:"+strings.TrimPrefix(name, "/"))), v); err != nil {
			w.t.Errorf("%s: %s: %v", when, name, err)
		}
	}
	for _, name := range have {
		if strings.Count(name, "/") != 2 || path.Base(name) != "metadata.json" {
			continue
		}
		var sum otherSummary
		read(name, &sum)
		if strings.ReplaceAll(path.Dir(name), "/", "") != sum.CheckpointID || sum.Strategy == "" || len(sum.Sessions) == 0 {
			w.t.Errorf("%s: summary %+v", when, sum)
		}
		steps := 0
		for i, paths := range sum.Sessions {
			var s otherSession
			read(paths.Metadata, &s)
			steps += s.CheckpointsCount
			if s.CheckpointID != sum.CheckpointID || s.SessionID == "" || s.Agent == "" || s.CreatedAt.IsZero() || s.Start != s.OldStart {
				w.t.Errorf("%s: session %+v", when, s)
			}
			if want := fmt.Sprintf("/%s/%d/metadata.json", path.Dir(name), i); paths.Metadata != want {
				w.t.Errorf("%s: session %d is at %s", when, i, paths.Metadata)
			}
			for _, p := range []string{paths.Transcript, paths.ContentHash, paths.Prompt, paths.Context} {
				if p != "" && !slices.Contains(have, strings.TrimPrefix(p, "/")) {
					w.t.Errorf("%s: %s is listed and not there", when, p)
				}
			}
			w.otherReadsTranscript(when, path.Dir(strings.TrimPrefix(paths.Metadata, "/")), have)
		}
		if steps != sum.CheckpointsCount {
			w.t.Errorf("%s: %d steps in the sessions, %d in the summary", when, steps, sum.CheckpointsCount)
		}
	}
	for _, msg := range strings.Split(w.Git("log", "--format=%B%x00", "entire/checkpoints/v1"), "\x00") {
		if emptyTrailer.MatchString(msg) {
			w.t.Errorf("%s: a trailer without a value in\n%s", when, msg)
		}
	}
}

// otherReadsTranscript joins chunks with a newline, the base first, and compares
// the hash.
func (w *world) otherReadsTranscript(when, dir string, have []string) {
	w.t.Helper()
	var chunks []string
	for n := 0; ; n++ {
		name := dir + "/full.jsonl"
		if n > 0 {
			name += fmt.Sprintf(".%03d", n)
		}
		if !slices.Contains(have, name) {
			break
		}
		chunks = append(chunks, w.blob(name))
	}
	whole := strings.Join(chunks, "\n")
	for line := range strings.Lines(whole) {
		if !json.Valid([]byte(line)) {
			w.t.Errorf("%s: %s: not JSON: %.80q", when, dir, line)
		}
	}
	if got, want := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(whole))), w.blob(dir+"/content_hash.txt"); got != want {
		w.t.Errorf("%s: %s has hash %s, want %s", when, dir, got, want)
	}
}

// blob is a file of the metadata branch, byte for byte.
func (w *world) blob(name string) string {
	w.t.Helper()
	out, err := w.Command("git", "show", "entire/checkpoints/v1:"+name).Output()
	if err != nil {
		w.t.Fatalf("read %s: %v", name, err)
	}
	return string(out)
}

// TestWhatWeWriteIsReadable: a day with all that can happen to a session, looked
// at by the other tool after every event.
func TestWhatWeWriteIsReadable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	must := func(when string, do func()) {
		t.Helper()
		do()
		w.otherReads(when)
	}
	must("prompt", func() { w.prompt("s1", "Please write it") })
	must("stop", func() { w.Write("a.txt", "by the agent\n"); w.Write("new.txt", "n\n"); w.stop("s1") })
	must("a person", func() { w.Write("b.txt", "by a person\n"); w.prompt("s1", "go on") })
	must("second stop", func() {
		w.Write("new.txt", "n2\n")
		w.say("s1", "assistant", strings.Repeat("long ", 60_000))
		w.stop("s1")
	})
	must("second session", func() { w.turn("s2", "other", func() { w.Write("c.txt", "c\n") }) })
	must("part of a commit", func() { w.Git("add", "a.txt"); w.commit("part") })
	must("stop after a part", func() { w.turn("s1", "more", func() { w.Write("new.txt", "n3\n") }) })
	must("the rest", func() { w.Git("add", "-A"); w.commit("rest") })
	must("a turn without changes", func() { w.turn("s1", "explain", func() {}) })
	must("mid-turn commit", func() {
		w.prompt("s1", "commit it")
		w.Write("a.txt", "mid\n")
		w.Git("add", "-A")
		w.commit("mid")
	})
	must("the end of that turn", func() { w.stop("s1") })
	must("an unrelated commit", func() {
		w.turn("s2", "again", func() { w.Write("c.txt", "c2\n") })
		w.Write("b.txt", "unrelated\n")
		w.Git("add", "b.txt")
		w.commit("unrelated")
	})
	must("a task", func() {
		w.prompt("s2", "delegate")
		w.event(agent.TaskStart, "s2", func(ev *agent.Event) { ev.ToolUseID = "toolu_1" })
		w.Write("task.txt", "t\n")
		w.event(agent.TaskEnd, "s2", func(ev *agent.Event) {
			ev.ToolUseID, ev.AgentID, ev.SubagentType, ev.Description = "toolu_1", "ab12", "general", "do"
		})
		w.stop("s2")
	})
	must("HEAD moves", func() {
		w.Git("stash", "-q", "-u")
		w.Git("reset", "-q", "--hard", "HEAD~1")
		w.Git("stash", "pop", "-q")
		w.turn("s2", "on another base", func() { w.Write("c.txt", "c3\n") })
	})
	must("rewind", func() { w.rewind(w.points()[1].ID) })
	must("after the rewind", func() { w.turn("s2", "once more", func() { w.Write("c.txt", "c4\n") }) })
	must("ended", func() { w.event(agent.SessionEnd, "s2", nil) })
	must("a commit of an ended session's work", func() { w.Git("add", "-A"); w.commit("ended") })
	stored := w.Git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1")
	for _, part := range []string{"tasks/toolu_1", "/full.jsonl.001", "/content_hash.txt"} {
		if !strings.Contains(stored, part) {
			t.Errorf("the day had no %s", part)
		}
	}
	w.Fsck()
}

// TestStateDeletedByTheOtherTool: it throws away the states of sessions that wait
// for nothing. Such a session goes on as if it was new, and nothing it does then is
// lost.
func TestStateDeletedByTheOtherTool(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.turn("s1", "first", func() { w.Write("a.txt", "1\n") })
	w.Git("add", "-A")
	w.commit("first")
	w.turn("s1", "talk", func() {})
	if err := os.Remove(filepath.Join(w.GitPath("entire-sessions"), "s1.json")); err != nil {
		t.Fatal(err)
	}
	w.turn("s1", "second", func() { w.Write("a.txt", "2\n") })
	w.otherReads("after the state was deleted")
	w.Git("add", "-A")
	cp := w.commit("second")
	if files := w.slots(cp)["s1"]; !slices.Equal(files, []string{"a.txt"}) {
		t.Errorf("the checkpoint has files %q", files)
	}
	w.otherReads("after the commit")
}

// otherStep makes a step as the other tool does: a whole tree, the agent's file as
// it is now, no base.
func (w *world) otherStep(sid, subject string) string {
	w.t.Helper()
	index := filepath.Join(w.t.TempDir(), "index")
	git := func(args ...string) string {
		w.t.Helper()
		cmd := w.Command("git", args...)
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+index)
		out, err := cmd.Output()
		if err != nil {
			w.t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	dir := ".entire/metadata/" + sid
	git("add", "-A")
	for name, file := range map[string]string{"full.jsonl": w.transcript(sid), "prompt.txt": filepath.Join(w.Dir, ".git", "HEAD")} {
		git("update-index", "--add", "--cacheinfo", "100644,"+git("hash-object", "-w", file)+","+dir+"/"+name)
	}
	ref := "refs/heads/entire/" + w.Head()[:7] + "-e3b0c4"
	args := []string{"commit-tree", git("write-tree"), "-m", subject,
		"-m", "Entire-Metadata: " + dir + "\nEntire-Session: " + sid + "\nEntire-Strategy: manual-commit"}
	if tip, err := w.TryGit("rev-parse", "-q", "--verify", ref); err == nil {
		args = append(args, "-p", tip)
	}
	commit := git(args...)
	w.Git("update-ref", ref, commit)
	return commit
}

// TestRewindToTheirStep: files and conversation go back to what another tool saved,
// and the secrets it saved with it stay out of what is shared.
func TestRewindToTheirStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	secret := "AKIA" + "QYLPMN5HHHFPZAM2"
	w.turn("s1", "ours", func() { w.Write("a.txt", "ours\n") })
	w.Write("a.txt", "theirs\n")
	w.say("s1", "user", "theirs "+secret)
	point := w.otherStep("s1", "Theirs")
	live, err := os.ReadFile(w.transcript("s1"))
	if err != nil {
		t.Fatal(err)
	}
	w.turn("s1", "wrong", func() { w.Write("a.txt", "wrong\n") })
	out := w.rewind(point)
	if got := w.Read("a.txt"); got != "theirs\n" || len(out.Warnings) > 0 {
		t.Errorf("a.txt is %q, warnings %q", got, out.Warnings)
	}
	if now, _ := os.ReadFile(w.transcript("s1")); string(now) != string(live) {
		t.Errorf("the conversation is %q, want %q", now, live)
	}
	w.turn("s1", "right", func() { w.Write("a.txt", "right\n") })
	w.Git("add", "-A")
	cp := w.commit("right")
	talk := w.blob(cp[:2] + "/" + cp[2:] + "/0/full.jsonl")
	if strings.Contains(talk, secret) || strings.Contains(talk, "wrong") || !strings.Contains(talk, "right") || !strings.Contains(talk, "theirs REDACTED") {
		t.Errorf("stored conversation:\n%s", talk)
	}
	w.otherReads("after the commit")
	w.Fsck()
}
